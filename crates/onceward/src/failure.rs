//! Why an attempt did not succeed, by what is to be done about it. No text decides a retry.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Time;

/// What a cause's text may hold at most, in bytes.
const TEXT_LIMIT: usize = 8 * 1024;

/// A failed attempt. It does not implement `Error`, so that `?` can turn any error into `Transient`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Try again by the retry policy, or after the time that the peer named.
    Transient {
        /// Why.
        cause: Cause,
        /// At least this long.
        retry_after: Option<Duration>,
    },
    /// The queue waits as a whole; no try is spent.
    RateLimited {
        /// Until then.
        until: Time,
        /// Why.
        cause: Cause,
    },
    /// The queue pauses and asks for a person; its jobs wait.
    AuthNeeded {
        /// Why.
        cause: Cause,
    },
    /// The same try will never work: dead now.
    Permanent {
        /// Why.
        cause: Cause,
    },
    /// It may have happened, and no ledger can tell: parked until a person decides.
    InDoubt {
        /// Why.
        cause: Cause,
    },
}

/// The reason of a failure. Its text is safe to show and to store, whatever it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// A stable machine code: `http_503`, `text_too_long`, `token_revoked` …
    pub code: Cow<'static, str>,
    /// What happened, in plain words: at most 8 KiB, no control characters.
    pub text: String,
    /// The HTTP status, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The other system's own code, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform_code: Option<String>,
    /// The other system is down or unreachable: counts for the circuit, not against this job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outage: bool,
    /// The other system asks to be left alone until then (`Retry-After` of a 503): the queue waits as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

impl Cause {
    /// A cause with a code and a text, which is made safe.
    pub fn new(code: impl Into<Cow<'static, str>>, text: impl AsRef<str>) -> Self {
        let code = code.into();
        let code = if is_clean(&code) { code } else { Cow::Owned(clean(&code)) };
        Self {
            code,
            text: clean(text.as_ref()),
            status: None,
            platform_code: None,
            outage: false,
            until: None,
        }
    }

    /// The same cause with the HTTP status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The same cause with the other system's code.
    #[must_use]
    pub fn platform(mut self, code: impl AsRef<str>) -> Self {
        self.platform_code = Some(clean(code.as_ref()));
        self
    }

    /// The same cause, said of the other system as a whole.
    #[must_use]
    pub fn outage(mut self) -> Self {
        self.outage = true;
        self
    }

    /// The same cause, with the time until which the other system asks to be left alone.
    #[must_use]
    pub fn until(mut self, until: Time) -> Self {
        self.until = Some(until);
        self
    }

    fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            text = format!("{text}: {inner}");
            source = inner.source();
        }
        Self::new("error", text)
    }
}

fn is_clean(text: &str) -> bool {
    text.len() <= TEXT_LIMIT && !text.chars().any(char::is_control)
}

/// Recording an error must not fail: no NUL, no escape sequences, no megabytes.
fn clean(text: &str) -> String {
    let short = &text[..text.floor_char_boundary(TEXT_LIMIT)];
    short
        .chars()
        .map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c })
        .collect::<String>()
        .replace('\n', " ")
}

impl Failure {
    /// Try again by the retry policy.
    pub fn transient(cause: Cause) -> Self {
        Self::Transient { cause, retry_after: None }
    }

    /// Never try the same again.
    pub fn permanent(cause: Cause) -> Self {
        Self::Permanent { cause }
    }

    /// The cause.
    pub fn cause(&self) -> &Cause {
        match self {
            Self::Transient { cause, .. }
            | Self::RateLimited { cause, .. }
            | Self::AuthNeeded { cause }
            | Self::Permanent { cause }
            | Self::InDoubt { cause } => cause,
        }
    }

    /// The same kind of failure for another reason.
    pub(crate) fn because(mut self, new: Cause) -> Self {
        match &mut self {
            Self::Transient { cause, .. }
            | Self::RateLimited { cause, .. }
            | Self::AuthNeeded { cause }
            | Self::Permanent { cause }
            | Self::InDoubt { cause } => *cause = new,
        }
        self
    }

    /// The kind of failure, as errors are grouped by: `transient`, `rate_limited`, `auth_needed`, `permanent`, `in_doubt`.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Transient { .. } => "transient",
            Self::RateLimited { .. } => "rate_limited",
            Self::AuthNeeded { .. } => "auth_needed",
            Self::Permanent { .. } => "permanent",
            Self::InDoubt { .. } => "in_doubt",
        }
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error: Box<dyn StdError + Send + Sync> = error.into();
        Self::transient(Cause::of(&*error))
    }
}

/// How one request of an effect ended badly. `?` inside a send gives `Unknown`: the cautious reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// The other system answered, and did not do it.
    Refused(Failure),
    /// Certainly nothing was sent: a short closed list (DNS, connect refused, TLS, nothing written).
    NotSent(Cause),
    /// It may have happened.
    Unknown(Cause),
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for SendError {
    fn from(error: E) -> Self {
        let error: Box<dyn StdError + Send + Sync> = error.into();
        Self::Unknown(Cause::of(&*error))
    }
}

/// Says what an error means for the job: `address.parse().permanent("bad_address")?`
pub trait OrFail<T> {
    /// The same try will never work.
    fn permanent(self, code: &'static str) -> Result<T, Failure>;
    /// Worth another try.
    fn transient(self, code: &'static str) -> Result<T, Failure>;
    /// It may have happened; a person must look.
    fn in_doubt(self, code: &'static str) -> Result<T, Failure>;
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> OrFail<T> for Result<T, E> {
    fn permanent(self, code: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure::Permanent { cause: coded(code, error) })
    }

    fn transient(self, code: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure::transient(coded(code, error)))
    }

    fn in_doubt(self, code: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure::InDoubt { cause: coded(code, error) })
    }
}

fn coded(code: &'static str, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Cause {
    let error: Box<dyn StdError + Send + Sync> = error.into();
    Cause { code: code.into(), ..Cause::of(&*error) }
}
