//! A leased job: whose it is, until when, and for what.

use std::time::Duration;

use onceward_db::Time;

use crate::JobId;
use crate::retry::RetryPolicy;

/// What a claim is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To do the work.
    Run,
    /// To find out whether an effect happened; has a budget of its own.
    Verify,
}

impl Purpose {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Verify => "verify",
        }
    }
}

/// The fence: a change to a leased job names it and must hit exactly one row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// 128 random bits in hexadecimal, made for the round of claims that took it.
    pub token: String,
}

/// A job as its claim gave it.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The fence.
    pub lease: Lease,
    /// Its queue.
    pub queue: String,
    /// Its kind.
    pub kind: String,
    /// The version of its payload.
    pub version: u32,
    /// Its payload: JSON, byte for byte as it was given.
    pub payload: String,
    /// Which attempt this is, from 1; grows for ever.
    pub attempt: u32,
    /// How often the job was claimed: a fencing number to hand downstream.
    pub claim_no: i64,
    /// What the claim is for.
    pub purpose: Purpose,
    /// When it was claimed, by the database's clock.
    pub claimed_at: Time,
    /// When the lease runs out unless it is extended, by the database's clock.
    pub leased_until: Time,
    /// Whether it runs alone in its process.
    pub lone: bool,
    /// Whether it goes alone to find out if the queue's peer is back: its circuit was open. Where the peer can be asked
    /// something harmless, ask that first.
    pub probe: bool,
    pub(crate) created_at: Time,
    /// Scope and hash of its dedup key.
    pub(crate) dedup: Option<(String, String)>,
}

/// What a decision about a job needs to know.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub tries: u32,
    pub crashes: u32,
    pub lone: bool,
    pub purpose: Purpose,
    /// Effects that are sending or unknown.
    pub open: i64,
    pub stop: bool,
    pub checks: u32,
    /// When the ledger wants to look again, if an effect is open; `None`: a person decides.
    pub look_at: Option<Time>,
    pub policy: Option<RetryPolicy>,
    pub failed_at: Option<Time>,
    pub waiting_since: Option<Time>,
    pub dedup: Option<(String, String)>,
    pub attempt: u32,
    pub claimed_at: Option<Time>,
    pub owner: Option<String>,
    pub now: Time,
}

impl Claimed {
    /// How long the lease was when it was claimed.
    pub fn lease_time(&self) -> Duration {
        self.leased_until.since(self.claimed_at)
    }
}
