//! What an actor says: one JSON line on stdout for each thing that the store has acknowledged to it.

use std::io::Write;

use onceward::{JobId, Report};
use serde::{Deserialize, Serialize};

/// One thing that an actor knows for certain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The store is open; this is the boot id that owns the actor's leases.
    Ready {
        /// The id.
        boot: String,
    },
    /// Its clock stands there now.
    Clock {
        /// Microseconds since 1970.
        at: i64,
    },
    /// An enqueue was acknowledged; `new` unless it was skipped for its dedup key.
    Enqueued {
        /// The job.
        job: JobId,
        /// Whether it is a new one.
        new: bool,
    },
    /// A claim was acknowledged, and its handler begins.
    Started {
        /// The job.
        job: JobId,
        /// How often it was claimed.
        claim_no: i64,
        /// The token of its lease.
        token: String,
        /// Whether it runs alone in its process.
        lone: bool,
    },
    /// A job's end as done was acknowledged.
    Done {
        /// The job.
        job: JobId,
    },
    /// A change to a leased job was refused.
    Refused {
        /// The job.
        job: JobId,
        /// The code of the error.
        code: String,
    },
    /// A call to the store failed.
    Failed {
        /// The code of the error.
        code: String,
        /// Its text.
        text: String,
    },
    /// A worker ended: what became of its attempts.
    Report {
        /// Ended as done.
        done: u64,
        /// Went back to pending.
        again: u64,
        /// Ended as dead.
        dead: u64,
        /// Whose lease was lost, so that nothing was changed.
        lost: u64,
    },
}

impl Fact {
    /// The fact that this error is.
    pub fn failed(error: &onceward::Error) -> Self {
        Self::Failed { code: error.code().to_owned(), text: error.to_string() }
    }

    /// Says it on stdout. A fact that cannot be said ends the process: the test would wait for it in vain.
    pub fn say(&self) {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(3);
        }
    }
}

impl From<Report> for Fact {
    fn from(report: Report) -> Self {
        Self::Report { done: report.done, again: report.again, dead: report.dead, lost: report.lost }
    }
}
