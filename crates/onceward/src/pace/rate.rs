//! How many jobs may start in a span of time: the text of a rate, and the arithmetic behind it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Time;
use crate::time::duration::{self, DurationError};

/// The longest period of a rate; it keeps all sums below far from the end of the calendar.
const LONGEST: Duration = Duration::from_hours(366 * 24);

/// "30/5m": that many in that period; "1/10m" is a minimum gap.
///
/// The whole count may start at once; afterwards one more becomes free per *interval*, which is period ÷ count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    count: u32,
    period: Duration,
}

/// Why a text is not a rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RateError {
    /// Not a count, a slash and a period.
    Form(String),
    /// A count of none.
    Count(String),
    /// A period of nothing, or of more than a year.
    Period(String),
    /// A period that is not a duration.
    Duration(DurationError),
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(text) => {
                write!(f, "{text:?} is not a rate; expected count/period, such as 30/5m, 1/10m or 10/s")
            }
            Self::Count(text) => {
                write!(f, "the rate {text:?} needs a count from 1 to {}; to stop a queue, pause it", u32::MAX)
            }
            Self::Period(text) => write!(f, "the rate {text:?} needs a period from 1us to 366d"),
            Self::Duration(error) => write!(f, "the period of a rate: {error}"),
        }
    }
}

impl std::error::Error for RateError {}

impl Rate {
    /// So many in that period.
    pub fn new(count: u32, period: Duration) -> Result<Self, RateError> {
        let text = || format!("{count}/{}", duration::format(period));
        if count == 0 {
            return Err(RateError::Count(text()));
        }
        if period < Duration::from_micros(1) || period > LONGEST {
            return Err(RateError::Period(text()));
        }
        Ok(Self { count, period })
    }

    /// How many may start at once; at least 1.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// The span in which that many become free.
    pub const fn period(self) -> Duration {
        self.period
    }

    /// After how long one more becomes free, rounded up to a microsecond so that no period gets one too many.
    pub fn interval(self) -> Duration {
        Duration::from_micros(self.interval_micros().unsigned_abs())
    }

    fn interval_micros(self) -> i64 {
        let micros = self.period.as_micros().div_ceil(u128::from(self.count));
        i64::try_from(micros).unwrap_or(i64::MAX)
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let form = || RateError::Form(text.to_owned());
        let (count, period) = text.split_once('/').ok_or_else(form)?;
        if count.is_empty() || !count.bytes().all(|b| b.is_ascii_digit()) {
            return Err(form());
        }
        let count = count.parse().map_err(|_| RateError::Count(text.to_owned()))?;
        // "10/s" is short for "10/1s".
        let one = if period.starts_with(|c: char| c.is_ascii_alphabetic()) { "1" } else { "" };
        let period = duration::parse(&format!("{one}{period}")).map_err(RateError::Duration)?;
        Self::new(count, period)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, duration::format(self.period))
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a rate gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// How many may start; at most what was wanted.
    pub granted: u32,
    /// To store, even when nothing was granted.
    pub tat: Option<Time>,
    /// When one more may start; `None` when it may at once.
    pub next: Option<Time>,
}

/// Takes up to `want` starts at `now`: the generic cell rate algorithm (GCRA) over one stored instant.
///
/// `tat`, the *theoretical arrival time*, is when all that was granted would have started had it come evenly,
/// one per interval *I*. A start conforms while `tat` is at most (count − 1) · *I* ahead of `now`, and moves
/// `tat` to `max(tat, now) + I`.
///
/// **Bound.** Any *n* starts span at least (n − count) · *I*. Proof: the first, at t₁, leaves `tat ≥ t₁ + I`,
/// and each further one adds at least *I*, so the last, at tₙ, found `tat ≥ t₁ + (n − 1) · I`; it conformed, so
/// `tat ≤ tₙ + (count − 1) · I`. Hence in any window `[t, t + period)` there are at most 2 · count − 1 (a whole
/// burst, then one per interval), and with a count of 1 the gap is at least the period.
///
/// No conforming start leaves `tat` more than count · *I* ahead; a stored one that is (the clock was set back,
/// or the rate was changed) is brought back to that, so the wait is never longer than a period.
#[must_use]
pub fn take(rate: Rate, tat: Option<Time>, now: Time, want: u32) -> Taken {
    let interval = rate.interval_micros();
    let tolerance = interval.saturating_mul(i64::from(rate.count) - 1);
    let latest = now.micros().saturating_add(tolerance);
    let held = tat.map(|tat| tat.micros().min(latest.saturating_add(interval)));
    let start = held.map_or(now.micros(), |tat| tat.max(now.micros()));
    let granted = conforming(latest.saturating_sub(start), interval).min(want);
    let tat = match granted {
        0 => held,
        _ => Some(start.saturating_add(interval.saturating_mul(i64::from(granted)))),
    };
    let next = tat.map(|tat| tat.saturating_sub(tolerance)).filter(|next| *next > now.micros());
    Taken { granted, tat: tat.map(Time::from_micros), next: next.map(Time::from_micros) }
}

/// How many starts fit: one when there is any slack, and one more for each interval of it.
fn conforming(slack: i64, interval: i64) -> u32 {
    if slack < 0 {
        return 0;
    }
    u32::try_from(slack / interval).unwrap_or(u32::MAX).saturating_add(1)
}
