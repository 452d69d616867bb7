//! How long a server asks to wait, in all the ways in which servers say it.

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::{Timestamp, tz::Offset};

/// The longest wait that is believed; a longer one becomes this.
const LONGEST: f64 = 7.0 * 86_400.0;
/// Further away than this is no wait but nonsense (a wrong unit, a wrong clock).
const NONSENSE: f64 = 366.0 * 86_400.0;
/// Numbers from here on are instants: seconds since 1970, 2001 and later.
const EPOCH_SECONDS: f64 = 1e9;
/// Numbers from here on are instants in milliseconds, 1973 and later.
const EPOCH_MILLISECONDS: f64 = 1e11;

/// The headers that ask for a wait, the plainest first: RFC 9110; Discord; the IETF draft (Bluesky sends an instant
/// in it); Mastodon and many others; X.
const HEADERS: [&str; 5] =
    ["retry-after", "x-ratelimit-reset-after", "ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset"];

/// The wait that the headers ask for, from `now`; the first header that makes sense wins.
pub(crate) fn from_headers<'a>(header: impl Fn(&str) -> Option<&'a str>, now: Timestamp) -> Option<Duration> {
    let now = header("date").and_then(instant).filter(|date| plausible(*date, now)).unwrap_or(now);
    HEADERS.into_iter().filter_map(header).find_map(|value| parse_wait(value, now))
}

/// The wait that a text asks for, from `now`: seconds (with decimals), an HTTP date, an RFC 3339 or ISO 8601 time
/// (UTC unless it says otherwise), or seconds or milliseconds since 1970. An instant in the past is no wait; at
/// most 7 days; nonsense gives nothing. Also for fields in a body (`retry_after`).
pub fn parse_wait(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = match text.parse::<f64>() {
        Ok(number) if plain => from_number(number, now),
        _ => seconds_until(instant(text)?.as_duration().as_secs_f64(), now),
    };
    (seconds.abs() <= NONSENSE).then(|| Duration::from_secs_f64(seconds.clamp(0.0, LONGEST)))
}

fn from_number(number: f64, now: Timestamp) -> f64 {
    if number >= EPOCH_MILLISECONDS {
        seconds_until(number / 1000.0, now)
    } else if number >= EPOCH_SECONDS {
        seconds_until(number, now)
    } else {
        number
    }
}

fn seconds_until(epoch_seconds: f64, now: Timestamp) -> f64 {
    epoch_seconds - now.as_duration().as_secs_f64()
}

/// An instant in any of the notations of HTTP (RFC 9110 section 5.6.7) and RFC 3339.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    let utc = |civil: DateTime| Offset::UTC.to_timestamp(civil).ok();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    if let Ok(timestamp) = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text) {
        return Some(timestamp);
    }
    // The obsolete forms (RFC 850, asctime) must still be accepted.
    ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        .into_iter()
        .find_map(|format| DateTime::strptime(format, text).ok())
        .or_else(|| text.contains(['T', ' ']).then(|| text.parse().ok()).flatten())
        .and_then(utc)
}

/// Whether the server's clock can be meant: within a day of ours.
fn plausible(date: Timestamp, now: Timestamp) -> bool {
    date.duration_since(now).as_secs().abs() < 86_400
}
