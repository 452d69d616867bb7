//! How long a server asks to wait, in every notation that the platforms use.

use std::time::Duration;

use jiff::Timestamp;
use onceward_http::{Response, parse_wait};

const WEEK: f64 = 7.0 * 86_400.0;

/// 2026-11-29 12:00:00 UTC, 1795953600 seconds since 1970.
fn noon() -> Timestamp {
    "2026-11-29T12:00:00Z".parse().unwrap()
}

fn seconds(wait: Option<Duration>) -> Option<f64> {
    wait.map(|wait| (wait.as_secs_f64() * 1000.0).round() / 1000.0)
}

#[test]
fn every_notation_of_a_wait_is_understood() {
    assert_eq!(noon().as_second(), 1_795_953_600);
    let table = [
        // seconds, with and without decimals
        ("0", 0.0),
        ("1", 1.0),
        (" 120 ", 120.0),
        ("0.65", 0.65),
        ("64.57", 64.57),
        ("300.000", 300.0),
        ("5.", 5.0),
        (".5", 0.5),
        ("604800", WEEK),
        ("604801", WEEK),
        ("5000000", WEEK),
        // HTTP dates: the current form, and the two that are obsolete
        ("Sun, 29 Nov 2026 12:01:30 GMT", 90.0),
        ("Mon, 29 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("Sunday, 29-Nov-26 12:01:30 GMT", 90.0),
        ("Sun Nov 29 12:01:30 2026", 90.0),
        ("Wed, 30 Dec 2026 12:00:00 GMT", WEEK),
        // RFC 3339 and ISO 8601 (Mastodon, GoToSocial)
        ("2026-11-29T12:05:00.000Z", 300.0),
        ("2026-11-29T12:05:00.250000Z", 300.25),
        ("2026-11-29T21:05:00+09:00", 300.0),
        ("2026-11-29T12:05:00", 300.0),
        ("2026-11-29 12:05:00", 300.0),
        ("2026-11-29T11:00:00Z", 0.0),
        // seconds since 1970 (X, Bluesky, Zulip), with decimals (Discord), and milliseconds
        ("1795953660", 60.0),
        ("1795953660.5", 60.5),
        ("1795953660000", 60.0),
        ("1795953600", 0.0),
        ("1795953000", 0.0),
        ("1798553600", WEEK),
    ];
    for (text, expected) in table {
        assert_eq!(seconds(parse_wait(text, noon())), Some(expected), "{text}");
    }
}

#[test]
fn nonsense_asks_for_nothing() {
    let table = [
        "",
        " ",
        "-1",
        "-0",
        "+5",
        "1e3",
        "inf",
        "NaN",
        "nan",
        "infinity",
        "soon",
        "1 s",
        "10m",
        "0x10",
        "1,5",
        "1..2",
        ".",
        "..",
        "99999999",
        "999999999",
        "1000000000",
        "100000000000",
        "99999999999999999999",
        "1795953660000000",
        "Sun, 29 Nov 9999 12:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Sun, 99 Nov 2026 12:00:00 GMT",
        "2026-13-29T12:05:00Z",
        "2026-11-29",
        "9999-12-31T23:59:59Z",
        "12:00",
        "٣",
        "\0",
    ];
    for text in table {
        assert_eq!(parse_wait(text, noon()), None, "{text:?}");
    }
    let digits = "9".repeat(1 << 20);
    assert_eq!(parse_wait(&digits, noon()), None);
}

type Headers = &'static [(&'static str, &'static str)];

fn wait(headers: &[(&str, &str)]) -> Option<f64> {
    seconds(Response::new(429, headers, "").retry_after(noon()))
}

#[test]
fn each_platform_s_header_is_read() {
    let table: &[(Headers, Option<f64>)] = &[
        (&[], None),
        (&[("Retry-After", "30")], Some(30.0)),
        (&[("retry-after", "Sun, 29 Nov 2026 12:00:30 GMT")], Some(30.0)),
        (&[("X-RateLimit-Reset", "2026-11-29T12:05:00.000000Z")], Some(300.0)),
        (&[("x-rate-limit-reset", "1795953630")], Some(30.0)),
        (&[("RateLimit-Reset", "1795953630")], Some(30.0)),
        (&[("ratelimit-reset", "45")], Some(45.0)),
        (&[("X-RateLimit-Reset-After", "1.25"), ("X-RateLimit-Reset", "1795959999.1")], Some(1.25)),
        (&[("X-Ratelimit-Reset", "17")], Some(17.0)),
        (&[("Retry-After", "5"), ("X-RateLimit-Reset", "1795959999")], Some(5.0)),
        (&[("Retry-After", "soon"), ("X-RateLimit-Reset", "1795953660")], Some(60.0)),
        (&[("Retry-After", "soon")], None),
    ];
    for (headers, expected) in table {
        assert_eq!(wait(headers), *expected, "{headers:?}");
    }
}

#[test]
fn the_server_s_clock_is_believed_for_its_own_instants_within_reason() {
    let reset = ("x-ratelimit-reset", "1795953660");
    assert_eq!(wait(&[reset, ("date", "Sun, 29 Nov 2026 11:59:00 GMT")]), Some(120.0));
    assert_eq!(wait(&[reset, ("date", "Sun, 29 Nov 2026 12:00:50 GMT")]), Some(10.0));
    assert_eq!(wait(&[reset, ("date", "Thu, 01 Jan 1970 00:00:00 GMT")]), Some(60.0));
    assert_eq!(wait(&[reset, ("date", "rubbish")]), Some(60.0));
    assert_eq!(wait(&[("retry-after", "60"), ("date", "Sun, 29 Nov 2026 11:59:00 GMT")]), Some(60.0));
}
