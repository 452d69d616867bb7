//! How long a failed job waits for its next try, and when it has had enough of them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::duration;

/// The curve of waits between tries, and how many tries there are.
///
/// ```
/// use onceward::retry::RetryPolicy;
/// let policy = RetryPolicy::CHANNEL;
/// let minutes: Vec<u64> = (1..4).map(|failures| policy.wait(failures, 0.5).as_secs() / 60).collect();
/// assert_eq!(minutes, [1, 2, 4]);
/// assert!(policy.exhausted(4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryPolicy {
    /// Failed tries after which the job is dead; at least 1.
    pub max_attempts: u32,
    /// The wait after the first failure.
    #[serde(with = "duration")]
    pub base: Duration,
    /// By what each further wait is longer; at least 1.
    pub factor: f64,
    /// The longest wait, before jitter.
    #[serde(with = "duration")]
    pub max: Duration,
    /// How far a wait may lie beside the curve, as a share of it: 0 to 1.
    pub jitter: f64,
}

/// The keys of a policy that a configuration names; the rest comes from the policy of that place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryKeys {
    /// See [`RetryPolicy::max_attempts`].
    pub max_attempts: Option<u32>,
    /// See [`RetryPolicy::base`].
    #[serde(with = "duration::option")]
    pub base: Option<Duration>,
    /// See [`RetryPolicy::factor`].
    pub factor: Option<f64>,
    /// See [`RetryPolicy::max`].
    #[serde(with = "duration::option")]
    pub max: Option<Duration>,
    /// See [`RetryPolicy::jitter`].
    pub jitter: Option<f64>,
}

/// Which key of a policy is wrong, with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RetryError {
    /// No try at all.
    MaxAttempts,
    /// No wait at all: a failing job would run in a circle.
    Base,
    /// A curve that falls, or is no number.
    Factor(f64),
    /// A longest wait (the first value) below the first one (the second).
    Max(Duration, Duration),
    /// A share outside of 0 to 1.
    Jitter(f64),
}

impl RetryPolicy {
    /// For channels: waits of 1, 2 and 4 minutes, ±10 %; the fourth failure is dead.
    pub const CHANNEL: Self = Self {
        max_attempts: 4,
        base: Duration::from_mins(1),
        factor: 2.0,
        max: Duration::from_hours(1),
        jitter: 0.1,
    };

    /// For e-mail and other jobs: the same curve, and the fifth failure is dead.
    pub const GENERIC: Self = Self { max_attempts: 5, ..Self::CHANNEL };

    /// How long to wait after that many failures (none counts as one).
    ///
    /// `unit` is the random part, from 0 to 1: 0.5 lies on the curve, 0 and 1 lie `jitter` below and above it.
    /// Jitter comes after `max`, so that jobs at the longest wait are kept apart too. Any input gives an
    /// answer: what cannot be computed waits for `max`.
    pub fn wait(&self, failures: u32, unit: f64) -> Duration {
        // `f64::min` drops a NaN and keeps its other side.
        let growth = self.factor.powf(f64::from(failures.saturating_sub(1)));
        let curve = (self.base.as_secs_f64() * growth).min(self.max.as_secs_f64());
        let aside = share(self.jitter, 0.0) * (2.0 * share(unit, 0.5) - 1.0);
        Duration::try_from_secs_f64(curve * (1.0 + aside)).unwrap_or(self.max)
    }

    /// Whether a job with that many failures has no try left.
    pub const fn exhausted(&self, failures: u32) -> bool {
        failures >= self.max_attempts
    }

    /// Refuses a policy that makes no sense, and names the key.
    pub fn validate(&self) -> Result<(), RetryError> {
        if self.max_attempts == 0 {
            return Err(RetryError::MaxAttempts);
        }
        if self.base.is_zero() {
            return Err(RetryError::Base);
        }
        if !(self.factor.is_finite() && self.factor >= 1.0) {
            return Err(RetryError::Factor(self.factor));
        }
        if self.max < self.base {
            return Err(RetryError::Max(self.max, self.base));
        }
        if !(0.0..=1.0).contains(&self.jitter) {
            return Err(RetryError::Jitter(self.jitter));
        }
        Ok(())
    }
}

/// A number held in 0 to 1; `other` in place of a NaN.
fn share(number: f64, other: f64) -> f64 {
    if number.is_nan() { other } else { number.clamp(0.0, 1.0) }
}

impl RetryKeys {
    /// The policy `under` with these keys in place of its own.
    #[must_use]
    pub fn over(self, under: RetryPolicy) -> RetryPolicy {
        RetryPolicy {
            max_attempts: self.max_attempts.unwrap_or(under.max_attempts),
            base: self.base.unwrap_or(under.base),
            factor: self.factor.unwrap_or(under.factor),
            max: self.max.unwrap_or(under.max),
            jitter: self.jitter.unwrap_or(under.jitter),
        }
    }
}

impl RetryError {
    /// The name of the key, as it stands in the configuration.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::MaxAttempts => "max_attempts",
            Self::Base => "base",
            Self::Factor(_) => "factor",
            Self::Max(..) => "max",
            Self::Jitter(_) => "jitter",
        }
    }
}

impl fmt::Display for RetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key();
        match self {
            Self::MaxAttempts => write!(f, "retry.{key} is 0; expected at least 1"),
            Self::Base => write!(f, "retry.{key} is 0s; expected a wait, such as 1m"),
            Self::Factor(found) => write!(f, "retry.{key} is {found}; expected a number of at least 1"),
            Self::Max(found, base) => write!(
                f,
                "retry.{key} is {}; expected at least retry.base, which is {}",
                duration::format(*found),
                duration::format(*base)
            ),
            Self::Jitter(found) => write!(f, "retry.{key} is {found}; expected a share from 0 to 1"),
        }
    }
}

impl std::error::Error for RetryError {}
