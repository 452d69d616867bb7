//! What can go wrong with a database, by what the caller can do about it.

use std::fmt;
use std::sync::Arc;

/// A failed database operation. Cheap to clone, since one failed turn answers many callers.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    text: Arc<str>,
}

/// The whole space of database failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The row breaks a rule of the schema: this row is bad, others may be good.
    Constraint,
    /// The database refused for now (locked, deadlock, serialization): the same call may succeed.
    Busy,
    /// The connection broke: whether the last commit happened is not known.
    Connection,
    /// A table or column is missing: not migrated, or another database.
    Schema,
    /// The disk is full, or reading or writing it failed.
    Disk,
    /// A URL, path or setting is wrong.
    Config,
    /// A value is not of the expected type.
    Decode,
    /// Anything else that the database said.
    Other,
}

impl Error {
    /// An error of `kind` with a text that is safe to show.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into().into() }
    }

    /// What can be done about it.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.text)
    }
}

impl std::error::Error for Error {}
