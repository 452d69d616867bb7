//! When a recurring job fires next, and what happens to fires that nobody was there for.
//!
//! A cron speaks of wall time, and each of its wall times fires once, at the instant that [`crate::time`] gives
//! it: in the gap of spring shifted forward, in the fold of autumn the first of the two. Two wall times that
//! meet in one instant fire once. So `*/5 * * * *` rests during the second pass of the hour that comes twice.

mod cron;

pub use cron::{Cron, CronError};

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::Time;
use crate::time::resolve;

/// A fire that is not later than this is on time: a cron knows nothing finer than a minute.
pub const ON_TIME: Duration = Duration::from_mins(1);

/// How far [`Due::left_out`] counts; the figure is for people, and a minute cron has half a million fires a year.
const MOST_COUNTED: u64 = 10_000;

/// What to do with fires that came due while nobody was running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missed {
    /// Leave out each that is later than [`ON_TIME`].
    Skip,
    /// Fire once for all of them: the latest.
    #[default]
    Once,
    /// Fire each of them, the oldest first.
    All,
}

/// What a schedule owes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// To fire now, oldest first; at most the limit.
    pub fires: Vec<Time>,
    /// To store as `next_fire_at`. It lies in the past when the limit cut [`Missed::All`] short: ask again.
    /// `None`: the cron never fires again.
    pub next: Option<Time>,
    /// How many fires were dropped for good, counted up to 10,000.
    pub left_out: u64,
}

/// The first instant after `after` at which the cron fires in that zone.
///
/// `None` if it never does (30 February), found in bounded work: 41 years of the months in question.
///
/// ```
/// use onceward::{schedule::next_after, time::zone};
/// let nine = "0 9 * * *".parse().unwrap();
/// let after = "2026-12-01T00:00:00Z".parse().unwrap();
/// let fire = next_after(&nine, &zone("Asia/Seoul").unwrap(), after).unwrap();
/// assert_eq!(fire.to_string(), "2026-12-02T00:00:00Z");
/// ```
pub fn next_after(cron: &Cron, zone: &TimeZone, after: Time) -> Option<Time> {
    let mut best: Option<Time> = None;
    let mut from = first_wall(zone, after);
    while let Some(wall) = cron.next_wall(from) {
        let Some(fire) = resolve(wall, zone) else { break };
        if fire > after {
            let earliest = best.map_or(fire, |best| best.min(fire));
            best = Some(earliest);
            // A fire never shows an earlier wall time than its own. So, once the walk has reached the wall
            // time of the earliest fire found, nothing further on can precede it. Before that, it can: wall
            // times in a gap fire after some that follow the gap.
            if zone.to_datetime(earliest.timestamp()) <= wall {
                break;
            }
        }
        let Ok(next) = wall.checked_add(jiff::SignedDuration::from_mins(1)) else { break };
        from = next;
    }
    best
}

/// The earliest wall time that can fire after `after`.
///
/// That is the present one, except in the hours after a gap, where those in the gap still can. No gap is longer
/// than a day, so the offset of a day ago shows how far to go back.
fn first_wall(zone: &TimeZone, after: Time) -> DateTime {
    let yesterday = after.before(Duration::from_hours(24)).timestamp();
    let as_of_yesterday = zone.to_offset(yesterday).to_datetime(after.timestamp());
    zone.to_datetime(after.timestamp()).min(as_of_yesterday)
}

/// What a schedule owes at `now`, and when it fires next.
///
/// `limit` bounds the fires of one answer; with 0 nothing moves.
pub fn due(next_fire_at: Time, now: Time, missed: Missed, cron: &Cron, zone: &TimeZone, limit: usize) -> Due {
    if next_fire_at > now || limit == 0 {
        return Due { fires: Vec::new(), next: Some(next_fire_at), left_out: 0 };
    }
    if missed == Missed::All {
        let owed = fires_from(cron, zone, next_fire_at).take_while(|fire| *fire <= now);
        let fires: Vec<Time> = owed.take(limit).collect();
        let next = fires.last().and_then(|last| next_after(cron, zone, *last));
        return Due { fires, next, left_out: 0 };
    }
    let latest = latest_until(cron, zone, next_fire_at, now);
    let fires = match missed {
        Missed::Skip if now.since(latest) > ON_TIME => Vec::new(),
        _ => vec![latest],
    };
    let before = fires_from(cron, zone, next_fire_at).take_while(|fire| *fire < latest);
    let earlier = before.zip(1..=MOST_COUNTED).last().map_or(0, |(_, count)| count);
    let left_out = earlier + u64::from(fires.is_empty());
    Due { fires, next: next_after(cron, zone, now), left_out }
}

fn fires_from(cron: &Cron, zone: &TimeZone, first: Time) -> impl Iterator<Item = Time> {
    std::iter::successors(Some(first), move |fire| next_after(cron, zone, *fire))
}

/// The latest fire that is not after `now`, `first` being one of them.
///
/// Found by halving: a fire lies in `(at, now]` for every `at` before the latest, and for none from it on.
fn latest_until(cron: &Cron, zone: &TimeZone, first: Time, now: Time) -> Time {
    let (mut latest, mut beyond) = (first.micros(), now.micros());
    while latest < beyond {
        // Rounded down to `latest`, so that each turn shortens the span.
        let middle = latest + beyond.saturating_sub(latest) / 2;
        match next_after(cron, zone, Time::from_micros(middle)) {
            Some(fire) if fire <= now => latest = fire.micros(),
            _ => beyond = middle,
        }
    }
    Time::from_micros(latest)
}
