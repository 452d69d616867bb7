//! The laws of the pure decisions: retry, pace, circuit, schedule and time.

mod circuit;
mod cron;
mod due;
mod duration;
mod local_time;
mod oracle;
mod pace;
mod retry;
mod room;

use onceward::Time;

/// An instant from RFC 3339.
fn at(text: &str) -> Time {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// An instant so many seconds into a test.
fn second(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000 + seconds * 1_000_000)
}
