//! What is wrong with a configuration, and where.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

/// One mistake, at a line and column that count from 1 (columns in characters).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// Why there is no configuration to work with. No text in it repeats a value that may be secret.
#[derive(Debug)]
pub(crate) enum ConfigError {
    /// No file was named, and none lies in this folder or above.
    Missing { from: PathBuf },
    /// The file cannot be read as text.
    Unreadable { file: PathBuf, why: String },
    /// The file was read and refused, for each of these reasons, in the file's order.
    Refused { file: PathBuf, problems: Vec<Problem> },
}

impl ConfigError {
    /// A stable word for scripts.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "config_missing",
            Self::Unreadable { .. } => "config_unreadable",
            Self::Refused { .. } => "config_invalid",
        }
    }

    /// The file or folder that cannot be read, with the system's reason.
    pub(crate) fn unreadable(file: &Path, why: impl fmt::Display) -> Self {
        Self::Unreadable { file: file.to_owned(), why: why.to_string() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { from } => write!(
                f,
                "no onceward.toml in {} or above; write one with `onceward init`, or name one with --config",
                from.display()
            ),
            Self::Unreadable { file, why } => write!(f, "{}: {why}", file.display()),
            Self::Refused { file, problems } => {
                for (nth, Problem { line, column, text }) in problems.iter().enumerate() {
                    let end_of_last = if nth == 0 { "" } else { "\n" };
                    write!(f, "{end_of_last}{}:{line}:{column}: {text}", file.display())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// The text of one file, and what was found wrong with it so far.
///
/// Reading goes on after a mistake, so that a person sees all of them at once.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    text: &'a str,
    folder: &'a Path,
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Report<'a> {
    /// Nothing wrong yet; relative paths in `text` start at `folder`.
    pub(crate) fn new(text: &'a str, folder: &'a Path) -> Self {
        Self { text, folder, problems: RefCell::default() }
    }

    /// Where relative paths start.
    pub(crate) fn folder(&self) -> &'a Path {
        self.folder
    }

    /// The line of a byte of the file, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        position(self.text, at).0
    }

    /// Notes a mistake at a byte of the file.
    pub(crate) fn refuse(&self, at: usize, text: impl Into<String>) {
        let (line, column) = position(self.text, at);
        self.problems.borrow_mut().push(Problem { line, column, text: text.into() });
    }

    /// All mistakes in the file's order.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| (problem.line, problem.column));
        problems
    }
}

/// Line and column of a byte, both from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

/// The candidate that was probably meant: at most a third of its letters differ, swaps and a missing letter included.
pub(crate) fn nearest<'c>(wrong: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wrong = wrong.to_lowercase().replace('-', "_");
    let far = |known: &str| strsim::damerau_levenshtein(&wrong, &known.to_lowercase().replace('-', "_"));
    let (distance, best) = candidates.into_iter().map(|known| (far(known), known)).min()?;
    (distance <= best.chars().count().div_ceil(3)).then_some(best)
}

/// What to say after "unknown": the nearest candidate, or all of them.
pub(crate) fn advice<'c>(wrong: &str, candidates: impl IntoIterator<Item = &'c str> + Clone) -> String {
    match nearest(wrong, candidates.clone()) {
        Some(best) => format!("did you mean `{best}`?"),
        None => format!("known: {}", candidates.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_not_bytes() {
        assert_eq!(position("큐 = 1\n한글 = x", 0), (1, 1));
        assert_eq!(position("큐 = 1\n한글 = x", "큐 = 1\n한글 = ".len()), (2, 6));
    }

    #[test]
    fn a_position_past_the_end_is_the_end() {
        assert_eq!(position("ab\nc", 99), (2, 2));
    }

    #[test]
    fn the_nearest_name_is_offered_and_a_stranger_is_not() {
        let known = ["channels", "timezone", "publish_at"];
        assert_eq!(nearest("chanels", known), Some("channels"));
        assert_eq!(nearest("publish-at", known), Some("publish_at"));
        assert_eq!(nearest("publishAt", known), Some("publish_at"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(advice("colour", known), "known: channels, timezone, publish_at");
    }
}
