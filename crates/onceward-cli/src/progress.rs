//! How a run is going, one line per channel, on standard error: alive on a terminal, else a line per change with -v.

use std::collections::BTreeMap;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::output::{Output, Shown, Stderr, one_line};

/// The jobs of one channel in this run, by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) total: u64,
    pub(crate) done: u64,
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    pub(crate) in_doubt: u64,
    pub(crate) dead: u64,
}

/// The lines on the screen. Dropping it takes them away, so that the final table stands alone.
#[derive(Debug)]
pub(crate) struct Progress {
    how: How,
    last: BTreeMap<String, String>,
}

#[derive(Debug)]
enum How {
    Alive(MultiProgress, BTreeMap<String, ProgressBar>),
    Lines,
    Silent,
}

impl Progress {
    /// As much as the run's output allows.
    pub(crate) fn new(output: &Output) -> Self {
        let how = match output {
            Output { verbosity: ..=-1, .. } => How::Silent,
            Output { err: Stderr { terminal: true, .. }, .. } => {
                How::Alive(MultiProgress::new(), BTreeMap::new())
            }
            Output { verbosity: 1.., .. } => How::Lines,
            _ => How::Silent,
        };
        Self { how, last: BTreeMap::new() }
    }

    /// The channel's present figures; `note` says why it waits, if it does.
    pub(crate) fn update(&mut self, channel: &str, tally: Tally, note: Option<&str>) {
        let text = line(channel, tally, note);
        if self.last.get(channel) == Some(&text) {
            return;
        }
        match &mut self.how {
            How::Alive(screen, bars) => {
                let bar = bars.entry(channel.to_owned()).or_insert_with(|| screen.add(bar()));
                bar.set_length(tally.total);
                bar.set_position(tally.done + tally.in_doubt + tally.dead);
                bar.set_message(text.clone());
            }
            How::Lines => eprintln!("{text}"),
            How::Silent => {}
        }
        self.last.insert(channel.to_owned(), text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let How::Alive(_, bars) = &self.how {
            bars.values().for_each(ProgressBar::finish_and_clear);
        }
    }
}

/// A bar whose text carries the news; without its template it would still count.
fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:12} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style.progress_chars("━╸─"))
}

/// "blog 3/5 · ◐ 1 Sending · ○ 1 Waiting: paused until 09:00".
fn line(channel: &str, tally: Tally, note: Option<&str>) -> String {
    let parts = [
        (Shown::Running, tally.running),
        (Shown::Pending, tally.waiting),
        (Shown::InDoubt, tally.in_doubt),
        (Shown::Dead, tally.dead),
    ];
    let mut words = vec![format!("{} {}/{}", one_line(channel), tally.done, tally.total)];
    let open = parts.into_iter().filter(|(_, count)| *count > 0);
    words.extend(open.map(|(state, count)| format!("{} {count} {}", state.shape(), state.word())));
    let note = note.map(|note| format!(": {}", one_line(note))).unwrap_or_default();
    words.join(" · ") + &note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_not_done_and_why() {
        let tally = Tally { total: 5, done: 2, running: 1, waiting: 1, in_doubt: 0, dead: 1 };
        let text = line("blog", tally, Some("paused\u{1b}[2J"));
        assert_eq!(text, "blog 2/5 · ◐ 1 Sending · ○ 1 Waiting · ✕ 1 Failed: paused\u{fffd}[2J");
        assert_eq!(line("blog", Tally { total: 2, done: 2, ..Tally::default() }, None), "blog 2/2");
    }
}
