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
