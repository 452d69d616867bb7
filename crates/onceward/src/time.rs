//! Time as people write it: durations, and wall time in a zone.
//!
//! A wall time becomes an instant by one rule everywhere. In the gap of spring it is shifted forward by the
//! length of the gap; in the fold of autumn, when it comes twice, the first one counts.

pub mod duration;

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::Time;

/// A wish such as "09:00 in Seoul", kept as it was said.
///
/// Zones change their rules, so what is stored is the wish, and [`LocalTime::resolve`] is called anew by each
/// process.
///
/// ```
/// use onceward::time::LocalTime;
/// let wish = LocalTime::parse("2026-12-01 09:00", "Asia/Seoul")?;
/// assert_eq!(wish.resolve()?.to_string(), "2026-12-01T00:00:00Z");
/// # Ok::<(), onceward::time::LocalTimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalTime {
    /// What the clock on the wall shows.
    #[serde(with = "wall")]
    pub wall: DateTime,
    /// The IANA name of the zone, such as `Asia/Seoul`.
    pub zone: String,
}

/// Why a local time cannot become an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalTimeError {
    /// The text is not a wall time.
    Wall(String),
    /// The zone is in no zone database here.
    Zone(String),
    /// The instant is outside of the years that can be written down.
    OutOfRange(String),
}

impl fmt::Display for LocalTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wall(text) => {
                write!(f, "{text:?} is not a local time; expected YYYY-MM-DD HH:MM, such as 2026-12-01 09:00")
            }
            Self::Zone(name) => write!(
                f,
                "the time zone {name:?} is not known; expected an IANA name such as Asia/Seoul \
                 (is the system's tzdata installed?)"
            ),
            Self::OutOfRange(text) => write!(f, "{text} is outside of the years that can be written down"),
        }
    }
}

impl std::error::Error for LocalTimeError {}

impl LocalTime {
    /// Reads `2026-12-01 09:00` (seconds may follow, `T` may stand for the space) in the zone of that name.
    pub fn parse(wall: &str, zone: &str) -> Result<Self, LocalTimeError> {
        let wall = parse_wall(wall)?;
        self::zone(zone)?;
        Ok(Self { wall, zone: zone.to_owned() })
    }

    /// The instant that is meant, by the zone's rules as this process knows them.
    pub fn resolve(&self) -> Result<Time, LocalTimeError> {
        resolve(self.wall, &zone(&self.zone)?).ok_or_else(|| LocalTimeError::OutOfRange(self.to_string()))
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.wall.strftime("%Y-%m-%d %H:%M:%S"), self.zone)
    }
}

/// The zone of an IANA name, from the system's database.
pub fn zone(name: &str) -> Result<TimeZone, LocalTimeError> {
    TimeZone::get(name).map_err(|_| LocalTimeError::Zone(name.to_owned()))
}

/// The instant of a wall time, by the module's rule; `None` beyond the last year that can be written down.
pub(crate) fn resolve(wall: DateTime, zone: &TimeZone) -> Option<Time> {
    zone.to_ambiguous_timestamp(wall).compatible().ok().map(Time::from)
}

fn parse_wall(text: &str) -> Result<DateTime, LocalTimeError> {
    // The shape is checked first: the parser behind it also takes bare dates, offsets and zones.
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let known = ["0000-00-00 00:00", "0000-00-00 00:00:00"].contains(&shape.replacen('T', " ", 1).as_str());
    let wall = if known { text.parse().ok() } else { None };
    wall.ok_or_else(|| LocalTimeError::Wall(text.to_owned()))
}

/// A wall time as a text field.
mod wall {
    use super::{DateTime, Deserialize};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(wall: &DateTime, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&wall.strftime("%Y-%m-%d %H:%M:%S"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime, D::Error> {
        super::parse_wall(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}
