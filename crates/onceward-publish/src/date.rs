//! A date as people write it in front matter, and the instant it means.

use std::fmt;

use jiff::civil::{DateTime, Time as Clock};
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{AmbiguousZonedDateTime, Offset, OffsetConflict, TimeZone};
use onceward_db::Time;
use serde::{Deserialize, Serialize};

/// A wish for a moment: the instant it means today, and the wall clock it was said by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The instant, by the zone rules known when it was read.
    pub at: Time,
    /// Set when the wish follows a zone's clock; it is resolved again when the zone's rules change.
    pub wall: Option<Wall>,
}

/// A reading of the clock on a wall somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wall {
    /// The local date and time, such as `2026-12-01T09:00:00`.
    pub local: String,
    /// The IANA name of the zone, such as `Asia/Seoul`.
    pub zone: String,
}

/// Why a text is not a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateError {
    /// No known form of a date.
    Unreadable(String),
    /// A local date where no time zone is configured.
    NoZone(String),
    /// Offset and zone name contradict each other.
    Conflict(String),
    /// The zone is not in the IANA database.
    UnknownZone(String),
}

impl DateError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "date_unreadable",
            Self::NoZone(_) => "date_without_zone",
            Self::Conflict(_) => "date_conflict",
            Self::UnknownZone(_) => "zone_unknown",
        }
    }
}

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(text) => {
                write!(
                    f,
                    "{text:?} is not a date; expected one such as 2026-12-01 09:00 or 2026-12-01T09:00:00+09:00"
                )
            }
            Self::NoZone(text) => write!(
                f,
                "{text:?} has no time zone; set [publish] timezone, or write an offset such as {text}+09:00"
            ),
            Self::Conflict(text) => {
                write!(f, "{text:?}: the offset is never that zone's at this time; drop one of them")
            }
            Self::UnknownZone(text) => {
                write!(f, "{text:?} names no zone of the IANA database; expected one such as Asia/Seoul")
            }
        }
    }
}

impl std::error::Error for DateError {}

impl Wish {
    /// An instant that follows no wall clock.
    pub fn instant(at: Time) -> Self {
        Self { at, wall: None }
    }

    /// The same wish by the zone rules known now; an instant stays as it is.
    ///
    /// # Errors
    /// [`DateError`] when the zone has left the database.
    pub fn resolve_again(&self) -> Result<Self, DateError> {
        match &self.wall {
            None => Ok(self.clone()),
            Some(wall) => {
                let zone = zone(&wall.zone)?;
                let local = wall.local.parse().map_err(|_| DateError::Unreadable(wall.local.clone()))?;
                on_wall(local, &zone, &wall.local)
            }
        }
    }
}

/// The zone of that IANA name.
///
/// # Errors
/// [`DateError::UnknownZone`].
pub fn zone(name: &str) -> Result<TimeZone, DateError> {
    TimeZone::get(name).map_err(|_| DateError::UnknownZone(name.to_owned()))
}

/// Reads RFC 3339, RFC 9557 (`…[Asia/Seoul]`), Jekyll's `2026-12-01 09:00:00 +0900`, and dates without an
/// offset, which are read by the clock of `zone`.
///
/// A time that the clock skips in spring is moved forward by the gap; of a time that it shows twice in autumn,
/// the first is meant. A date alone means midnight.
///
/// ```
/// use onceward_publish::date::{parse, zone};
/// let seoul = zone("Asia/Seoul")?;
/// assert_eq!(parse("2026-12-01 09:00", Some(&seoul))?.at.to_string(), "2026-12-01T00:00:00Z");
/// # Ok::<(), onceward_publish::date::DateError>(())
/// ```
///
/// # Errors
/// [`DateError`] says what is wrong with the text.
pub fn parse(text: &str, zone: Option<&TimeZone>) -> Result<Wish, DateError> {
    let unreadable = || DateError::Unreadable(text.to_owned());
    let joined = join_offset(text.trim());
    let pieces = Pieces::parse(&joined).map_err(|_| unreadable())?;
    let local = pieces.date().to_datetime(pieces.time().unwrap_or(Clock::midnight()));
    let named = pieces.to_time_zone().map_err(|_| DateError::UnknownZone(text.to_owned()))?;
    let offset = pieces.offset().map(|offset| offset.to_numeric_offset());
    match (pieces.time_zone_annotation().and(named), offset) {
        (Some(named), Some(offset)) => on_both(local, offset, is_zulu(&pieces), &named, text),
        (Some(named), None) => on_wall(local, &named, text),
        (None, Some(offset)) => {
            let stamp = offset.to_timestamp(local).map_err(|_| unreadable())?;
            Ok(Wish::instant(Time::from(stamp)))
        }
        (None, None) => on_wall(local, zone.ok_or_else(|| DateError::NoZone(text.to_owned()))?, text),
    }
}

/// `Z` beside a zone says only "this instant"; a written offset must be one that the zone has at that time.
fn on_both(
    local: DateTime,
    offset: Offset,
    zulu: bool,
    zone: &TimeZone,
    text: &str,
) -> Result<Wish, DateError> {
    let policy = if zulu { OffsetConflict::AlwaysOffset } else { OffsetConflict::Reject };
    let zoned = policy.resolve(local, offset, zone.clone());
    let zoned = zoned.and_then(AmbiguousZonedDateTime::unambiguous);
    on_instant(zoned.map_err(|_| DateError::Conflict(text.to_owned()))?.timestamp(), zone)
}

fn is_zulu(pieces: &Pieces<'_>) -> bool {
    matches!(pieces.offset(), Some(PiecesOffset::Zulu))
}

fn on_wall(local: DateTime, zone: &TimeZone, text: &str) -> Result<Wish, DateError> {
    let zoned = zone
        .to_ambiguous_zoned_datetime(local)
        .compatible()
        .map_err(|_| DateError::Unreadable(text.to_owned()))?;
    let wall = zone.iana_name().map(|zone| Wall { local: local.to_string(), zone: zone.to_owned() });
    Ok(Wish { at: Time::from(zoned.timestamp()), wall })
}

fn on_instant(stamp: jiff::Timestamp, zone: &TimeZone) -> Result<Wish, DateError> {
    let wish = on_wall(zone.to_datetime(stamp), zone, "")?;
    // The second 02:30 of an autumn night cannot be said by its wall clock alone.
    Ok(if wish.at == Time::from(stamp) { wish } else { Wish::instant(Time::from(stamp)) })
}

/// Jekyll sets the offset apart by a space; RFC 3339 does not.
fn join_offset(text: &str) -> String {
    let Some((before, offset)) = text.rsplit_once(' ') else { return text.to_owned() };
    match offset {
        "UTC" | "GMT" | "Z" => format!("{}Z", before.trim_end()),
        _ if offset.starts_with(['+', '-']) => format!("{}{offset}", before.trim_end()),
        _ => text.to_owned(),
    }
}
