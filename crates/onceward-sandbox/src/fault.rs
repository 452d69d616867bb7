//! Faults: what a stand-in does wrong, to which requests, how often.

mod file;
mod standing;

use serde::{Deserialize, Serialize};

pub use file::FaultFile;
pub(crate) use standing::{Met, Standing};

/// A fault, and the requests that it meets: all of them, until it is narrowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "file::Row", into = "file::Row")]
pub struct Fault {
    /// Only requests to this platform.
    pub platform: Option<String>,
    /// Only this act, such as `post`, `upload` or `look`.
    pub act: Option<String>,
    /// How many matching requests pass before it begins.
    pub skip: u64,
    /// How many requests it meets; none: all, until the faults are cleared.
    pub times: Option<u64>,
    /// What goes wrong.
    pub kind: Kind,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Accepts, and never answers.
    AcceptThenHang,
    /// Accepts, and resets the connection.
    AcceptThenReset,
    /// Accepts, and answers with this status.
    AcceptThenStatus(u16),
    /// Accepts, and closes the connection after this many bytes of the answer, head included.
    AcceptThenCut(u64),
    /// Accepts, and sends one byte of the answer each time that so many seconds are over.
    SlowLoris(f64),
    /// Answers with this status, and accepts nothing.
    Refuse(u16),
    /// Never answers, and accepts nothing.
    Hang,
    /// Resets the connection, and accepts nothing.
    Reset,
    /// Answers 429 and tells to wait so many seconds, in this unit; none: as the platform does it.
    RateLimit(f64, Option<Unit>),
    /// What is accepted stays out of sight of look-ups for so many seconds. The request goes on as usual.
    SlowLook(f64),
    /// Answers with the platform's error for a duplicate, after it accepted the request or without.
    Duplicate {
        /// Whether the request was accepted all the same.
        accept: bool,
    },
    /// A repeated key is answered 500, as some servers do, and accepted no second time.
    RepeatError,
    /// Answers that the token has expired, and accepts nothing.
    ExpiredToken,
    /// Answers that the token was revoked, and accepts nothing.
    RevokedToken,
}

/// How a platform tells how long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// `Retry-After` in whole seconds.
    Seconds,
    /// `Retry-After` in seconds with decimals.
    Float,
    /// `X-RateLimit-Reset` as seconds since 1970.
    Epoch,
    /// `X-RateLimit-Reset` as an ISO 8601 time.
    Iso,
    /// `Retry-After` as a date of HTTP.
    HttpDate,
    /// `retry_after` in the JSON body, where the platform has it there.
    Body,
}

impl Fault {
    /// A fault that meets every request.
    pub const fn new(kind: Kind) -> Self {
        Self { platform: None, act: None, skip: 0, times: None, kind }
    }

    /// Meets only requests to this platform.
    #[must_use]
    pub fn on(mut self, platform: &str) -> Self {
        self.platform = Some(platform.to_owned());
        self
    }

    /// Meets only this act.
    #[must_use]
    pub fn act(mut self, act: &str) -> Self {
        self.act = Some(act.to_owned());
        self
    }

    /// Lets this many matching requests pass first.
    #[must_use]
    pub const fn skip(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    /// Meets only so many requests.
    #[must_use]
    pub const fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }
}

impl Kind {
    /// Its name in files and in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AcceptThenHang => "accept_then_hang",
            Self::AcceptThenReset => "accept_then_reset",
            Self::AcceptThenStatus(_) => "accept_then_status",
            Self::AcceptThenCut(_) => "accept_then_cut",
            Self::SlowLoris(_) => "slow_loris",
            Self::Refuse(_) => "refuse",
            Self::Hang => "hang",
            Self::Reset => "reset",
            Self::RateLimit(..) => "rate_limit",
            Self::SlowLook(_) => "slow_look",
            Self::Duplicate { .. } => "duplicate",
            Self::RepeatError => "repeat_error",
            Self::ExpiredToken => "expired_token",
            Self::RevokedToken => "revoked_token",
        }
    }

    /// Whether the request goes on as usual, with something changed beside it.
    const fn goes_on(self) -> bool {
        matches!(self, Self::SlowLook(_) | Self::RepeatError)
    }
}
