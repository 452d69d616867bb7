//! The states as people see them: a word, a shape and a colour, since a colour alone is no information.

use comfy_table::Color;

/// What a row of a table says about a job, a queue or a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Pending,
    Running,
    Done,
    Skipped,
    InDoubt,
    Dead,
    Cancelled,
    Paused,
}

impl Shown {
    /// From the word in the database and in JSON.
    pub(crate) fn of(state: &str) -> Option<Self> {
        Some(match state {
            "pending" => Self::Pending,
            "running" => Self::Running,
            "done" => Self::Done,
            "skipped" => Self::Skipped,
            "in_doubt" => Self::InDoubt,
            "dead" => Self::Dead,
            "cancelled" => Self::Cancelled,
            "paused" => Self::Paused,
            _ => return None,
        })
    }

    /// The word for people.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Pending => "Waiting",
            Self::Running => "Sending",
            Self::Done => "Done",
            Self::Skipped => "Skipped",
            Self::InDoubt => "Unsure",
            Self::Dead => "Failed",
            Self::Cancelled => "Cancelled",
            Self::Paused => "Paused",
        }
    }

    /// The shape beside the word.
    pub(crate) const fn shape(self) -> char {
        match self {
            Self::Pending => '○',
            Self::Running => '◐',
            Self::Done => '●',
            Self::Skipped => '⦸',
            Self::InDoubt => '?',
            Self::Dead => '✕',
            Self::Cancelled => '–',
            Self::Paused => '‖',
        }
    }

    /// Shape and word, coloured where colours are on.
    pub(crate) fn painted(self, color: bool) -> String {
        self.paint(&self.to_string(), color)
    }

    /// The shape alone, likewise.
    pub(crate) fn shape_painted(self, color: bool) -> String {
        self.paint(&self.shape().to_string(), color)
    }

    /// The same colours as in tables, by their codes of ECMA-48.
    fn paint(self, text: &str, color: bool) -> String {
        let code = match self.color() {
            Color::DarkBlue => 34,
            Color::DarkCyan => 36,
            Color::DarkYellow => 33,
            Color::DarkRed => 31,
            Color::DarkMagenta => 35,
            _ => 90,
        };
        if color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// One of the terminal's own colours, so that it fits a light and a dark background.
    pub(super) const fn color(self) -> Color {
        match self {
            Self::Pending | Self::Skipped | Self::Cancelled => Color::DarkGrey,
            Self::Running => Color::DarkBlue,
            Self::Done => Color::DarkCyan,
            Self::InDoubt => Color::DarkYellow,
            Self::Dead => Color::DarkRed,
            Self::Paused => Color::DarkMagenta,
        }
    }
}

/// Shape and word.
impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.shape(), self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_shapes_are_those_of_the_dashboard() {
        let states = ["pending", "running", "done", "skipped", "in_doubt", "dead", "paused"];
        let shown = states.map(|state| Shown::of(state).unwrap().to_string());
        assert_eq!(
            shown,
            ["○ Waiting", "◐ Sending", "● Done", "⦸ Skipped", "? Unsure", "✕ Failed", "‖ Paused"]
        );
        assert_eq!(Shown::of("sleeping"), None);
    }
}
