//! Instants as platforms write them.

use crate::clock::{Micros, SECOND};

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECONDS_A_DAY: i64 = 86_400;

/// ISO 8601 in UTC, with milliseconds: `2026-11-29T23:05:07.120Z`.
pub(crate) fn iso(at: Micros) -> String {
    let (days, second) = split(at);
    let (year, month, day) = civil(days);
    let milli = at.rem_euclid(SECOND) / 1000;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The date of HTTP headers, RFC 9110: `Sun, 29 Nov 2026 23:05:07 GMT`.
pub(crate) fn http(at: Micros) -> String {
    let (days, second) = split(at);
    let (year, month, day) = civil(days);
    let weekday = DAYS[usize::try_from(days.rem_euclid(7)).unwrap_or(0)];
    let month = MONTHS[usize::try_from(month - 1).unwrap_or(0)];
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

/// Days since 1970 and the second of that day.
fn split(at: Micros) -> (i64, i64) {
    let seconds = at.div_euclid(SECOND);
    (seconds.div_euclid(SECONDS_A_DAY), seconds.rem_euclid(SECONDS_A_DAY))
}

/// Year, month and day of a day since 1970, in the Gregorian calendar, counted in eras of 400 years from March.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day - (153 * march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_both_forms() {
        for (seconds, iso_form, http_form) in [
            (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "1994-11-06T08:49:37.000Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_798_761_599, "2026-12-31T23:59:59.000Z", "Thu, 31 Dec 2026 23:59:59 GMT"),
        ] {
            assert_eq!(iso(seconds * SECOND), iso_form);
            assert_eq!(http(seconds * SECOND), http_form);
        }
        assert_eq!(iso(1_500), "1970-01-01T00:00:00.001Z");
    }
}
