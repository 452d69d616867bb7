//! Why a command could not do its work.

use serde_json::{Value, json};

use crate::config::ConfigError;
use crate::exit::Exit;

/// An error for people and scripts: a stable word, a text without secrets, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) exit: Exit,
}

impl Stop {
    /// The program failed: exit 1.
    pub(crate) fn failed(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), exit: Exit::Failed }
    }

    /// The command line or the configuration is wrong: exit 2.
    pub(crate) fn usage(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), exit: Exit::Usage }
    }

    /// A file or folder that could not be used: exit 1.
    pub(crate) fn at(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::failed("io", format!("{}: {error}", path.display()))
    }

    /// The error as scripts see it.
    pub(crate) fn document(&self) -> Value {
        json!({ "error": { "code": self.code, "text": self.text } })
    }
}

impl Stop {
    /// A failed call to the library. What was wrong with the input is the caller's to correct: exit 2.
    pub(crate) fn of(error: &onceward::Error) -> Self {
        let exit = match error {
            onceward::Error::Invalid { .. } => Exit::Usage,
            onceward::Error::Store(store) if store.kind() == onceward_db::ErrorKind::Config => Exit::Usage,
            _ => Exit::Failed,
        };
        Self { code: error.code(), text: error.to_string(), exit }
    }
}

impl Stop {
    /// A failed call that was given a payload: what is wrong with it is said of the flag, or the key, that it came by.
    pub(crate) fn of_payload(from: &str, error: &onceward::Error) -> Self {
        let stop = Self::of(error);
        if !stop.code.starts_with("payload_") {
            return stop;
        }
        // The root of the payload needs no path.
        let text = stop.text.strip_prefix("$: ").unwrap_or(&stop.text);
        Self { text: format!("{from}: {text}"), ..stop }
    }
}

impl From<onceward::Error> for Stop {
    fn from(error: onceward::Error) -> Self {
        Self::of(&error)
    }
}

impl From<onceward_db::Error> for Stop {
    fn from(error: onceward_db::Error) -> Self {
        onceward::Error::from(error).into()
    }
}

impl From<ConfigError> for Stop {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.code(), error.to_string())
    }
}
