//! An instant, as both databases keep it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant in UTC, in whole microseconds since 1970.
///
/// It is written and read as RFC 3339 everywhere that people or programs see it.
///
/// ```
/// use onceward_db::Time;
/// let noon: Time = "2026-12-01T12:00:00+09:00".parse()?;
/// assert_eq!(noon.to_string(), "2026-12-01T03:00:00Z");
/// # Ok::<(), onceward_db::TimeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A text that is not an RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeError(String);

impl Time {
    /// The instant `micros` microseconds after 1970-01-01T00:00:00Z.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The wall clock of this machine. Decisions take a `Time` instead of calling this.
    pub fn now() -> Self {
        Self(jiff::Timestamp::now().as_microsecond())
    }

    /// This instant moved forward, held at the last instant that can be written down.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros).min(jiff::Timestamp::MAX.as_microsecond()))
    }

    /// This instant moved back, held at the first instant that can be written down.
    #[must_use]
    pub fn before(self, wait: Duration) -> Self {
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(micros).max(jiff::Timestamp::MIN.as_microsecond()))
    }

    /// How long from `earlier` until this instant; zero when it is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The same instant for calendar arithmetic.
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl From<jiff::Timestamp> for Time {
    fn from(stamp: jiff::Timestamp) -> Self {
        Self(stamp.as_microsecond())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.timestamp(), f)
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        text.parse::<jiff::Timestamp>().map(Self::from).map_err(|_| TimeError(text.to_owned()))
    }
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an instant; expected RFC 3339, such as 2026-12-01T09:00:00+09:00", self.0)?;
        // Close to the end of what can be written down, an instant has to be one in every time zone.
        if self.0.starts_with("9999-12-3") { f.write_str(", at most 9999-12-30T00:00:00Z") } else { Ok(()) }
    }
}

impl std::error::Error for TimeError {}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
