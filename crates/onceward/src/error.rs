//! What a call to this crate can fail with.

use std::fmt;

use onceward_db::ErrorKind;

use crate::job::JobId;

/// A call that did nothing, and why.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The database failed.
    Store(onceward_db::Error),
    /// The transaction belongs to a database that has no job tables, or to another engine.
    WrongStore(String),
    /// The key was used before for another payload; that job was left as it is.
    DedupConflict {
        /// The job that has the key.
        existing: JobId,
    },
    /// The id of the message was used before by another message; the job of that one was left as it is.
    MessageConflict {
        /// The job that was made from the first.
        existing: JobId,
    },
    /// A payload, key or setting breaks a limit.
    Invalid {
        /// A stable machine code.
        code: &'static str,
        /// What is wrong, what was expected.
        text: String,
    },
    /// There is no such job, queue or schedule.
    NotFound(String),
    /// The job is in a state that does not allow it.
    NotNow {
        /// A stable machine code.
        code: &'static str,
        /// Why not, and what to do instead.
        text: String,
    },
    /// The lease was lost: another worker may have the job, and nothing was changed.
    LeaseLost,
    /// A handler blocks its thread past its time. Only the end of the process stops it.
    Stuck {
        /// Its job.
        job: JobId,
    },
}

impl Error {
    pub(crate) fn invalid(code: &'static str, text: impl Into<String>) -> Self {
        Self::Invalid { code, text: text.into() }
    }

    pub(crate) fn not_now(code: &'static str, text: impl Into<String>) -> Self {
        Self::NotNow { code, text: text.into() }
    }

    /// A stable machine code, the same in the command line and the API.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => match error.kind() {
                ErrorKind::Busy => "store_busy",
                ErrorKind::Connection => "store_unreachable",
                ErrorKind::Schema => "store_not_migrated",
                ErrorKind::Disk => "store_disk",
                ErrorKind::Config => "store_config",
                _ => "store",
            },
            Self::WrongStore(_) => "wrong_store",
            Self::DedupConflict { .. } | Self::MessageConflict { .. } => "dedup_conflict",
            Self::Invalid { code, .. } | Self::NotNow { code, .. } => code,
            Self::NotFound(_) => "not_found",
            Self::LeaseLost => "lease_lost",
            Self::Stuck { .. } => "stuck",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::WrongStore(text)
            | Self::NotFound(text)
            | Self::Invalid { text, .. }
            | Self::NotNow { text, .. } => f.write_str(text),
            Self::DedupConflict { existing } => write!(
                f,
                "job {existing} has this dedup key with another payload; it was left as it is: use another key, or change that job"
            ),
            Self::MessageConflict { existing } => write!(
                f,
                "job {existing} was made from another message with this message id, which carried something else; it was left as it is: give each message an id of its own, such as a UUID"
            ),
            Self::Stuck { job } => write!(
                f,
                "the handler of job {job} blocks its thread past its time; only the end of this process stops it"
            ),
            Self::LeaseLost => {
                f.write_str("the lease was lost: another worker may have the job; nothing was changed")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<onceward_db::Error> for Error {
    fn from(error: onceward_db::Error) -> Self {
        Self::Store(error)
    }
}
