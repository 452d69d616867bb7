//! Durations as people write them: `250ms`, `30s`, `10m`, `1h30m`, `3d`.
//!
//! For a field: `#[serde(with = "onceward::time::duration")]`; for an optional one, [`option`].

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

/// Units from large to small, in microseconds: the order in which a text may use them.
const UNITS: [(&str, u64); 6] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DurationError {
    /// A number without its unit.
    NoUnit(String),
    /// Not numbers with units from large to small.
    Form(String),
    /// More than can be counted in microseconds.
    TooLong(String),
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUnit(text) => {
                write!(f, "{text:?} lacks a unit; expected one of d, h, m, s, ms after each number")
            }
            Self::Form(text) => write!(
                f,
                "{text:?} is not a duration; expected numbers with units from large to small \
                 (d, h, m, s, ms), such as 250ms, 30s, 10m, 1h30m or 3d"
            ),
            Self::TooLong(text) => write!(f, "{text:?} is too long for a duration; write a smaller number"),
        }
    }
}

impl std::error::Error for DurationError {}

/// Reads a duration such as `1h30m`: each unit at most once, large ones first, no spaces.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let form = || DurationError::Form(text.to_owned());
    let too_long = || DurationError::TooLong(text.to_owned());
    // Searching on from the last unit found is what keeps the order and refuses a unit twice.
    let mut units = UNITS.iter();
    let mut micros = 0_u64;
    let mut rest = text;
    while !rest.is_empty() || text.is_empty() {
        let (number, unit, tail) = first_part(rest);
        if number.is_empty() {
            return Err(form());
        }
        if unit.is_empty() {
            return Err(DurationError::NoUnit(text.to_owned()));
        }
        let (_, size) = units.find(|(name, _)| *name == unit).ok_or_else(form)?;
        let number: u64 = number.parse().map_err(|_| too_long())?;
        micros = number.checked_mul(*size).and_then(|part| micros.checked_add(part)).ok_or_else(too_long)?;
        rest = tail;
    }
    Ok(Duration::from_micros(micros))
}

/// The leading number, the unit behind it, and what is left.
fn first_part(text: &str) -> (&str, &str, &str) {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(letters);
    (number, unit, rest)
}

/// Writes a duration so that [`parse`] reads it back; what is below a microsecond is cut.
pub fn format(duration: Duration) -> String {
    let mut left = duration.as_micros();
    let mut text = String::new();
    for (unit, size) in UNITS {
        let number = left / u128::from(size);
        left %= u128::from(size);
        if number > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{number}{unit}");
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Writes a duration field as text.
pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&format(*duration))
}

/// Reads a duration field from text.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

/// The same for a field that may be absent; it needs `#[serde(default)]` beside it.
pub mod option {
    use super::{Deserialize, Deserializer, Duration, Serializer};

    /// Writes an optional duration field as text or null.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => to.serialize_some(&super::format(*duration)),
            None => to.serialize_none(),
        }
    }

    /// Reads an optional duration field from text or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| super::parse(&text)).transpose().map_err(serde::de::Error::custom)
    }
}
