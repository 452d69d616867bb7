//! What cannot be published, as data: it is collected from all files and channels, then reported together.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// One reason why one file, or one channel's share of it, will not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The file, as it was named on the command line.
    pub file: String,
    /// The line of the cause, counted from 1; none when the file as a whole is meant.
    pub line: Option<u32>,
    /// The front matter key, such as `publish_at` or `variants.x`.
    pub key: Option<String>,
    /// The channel that refuses; none when every channel is affected.
    pub channel: Option<String>,
    /// A stable word for programs, such as `key_unknown`.
    pub code: String,
    /// What was found, what was expected, and what to do.
    pub text: String,
}

impl Refusal {
    /// A refusal of the whole file; narrow it with [`at`](Self::at), [`of`](Self::of) and [`by`](Self::by).
    pub fn new(file: &Path, code: &str, text: impl Into<String>) -> Self {
        Self {
            file: file.display().to_string(),
            line: None,
            key: None,
            channel: None,
            code: code.to_owned(),
            text: text.into(),
        }
    }

    /// Names the line, counted from 1.
    #[must_use]
    pub fn at(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// Names the front matter key.
    #[must_use]
    pub fn of(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Names the channel that refuses.
    #[must_use]
    pub fn by(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(channel) = &self.channel {
            write!(f, " ({channel})")?;
        }
        write!(f, ": {}", self.text)
    }
}
