//! `next_after` against a reading of its rule that goes minute by minute and uses nothing of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use onceward::Time;
use onceward::schedule::next_after;
use onceward::time::zone;
use proptest::prelude::*;

use crate::at;
use crate::cron::cron;

const MINUTE: i64 = 60_000_000;

/// The numbers of each field; none: a star.
#[derive(Debug, Clone)]
struct Fields {
    minutes: BTreeSet<i8>,
    hours: BTreeSet<i8>,
    days: BTreeSet<i8>,
    months: BTreeSet<i8>,
    weekdays: BTreeSet<i8>,
}

impl Fields {
    fn text(&self) -> String {
        [&self.minutes, &self.hours, &self.days, &self.months, &self.weekdays].map(list).join(" ")
    }

    fn matches(&self, wall: DateTime) -> bool {
        let has = |set: &BTreeSet<i8>, number| set.is_empty() || set.contains(&number);
        let weekday = wall.weekday().to_sunday_zero_offset();
        let day = match (self.days.is_empty(), self.weekdays.is_empty()) {
            (false, false) => self.days.contains(&wall.day()) || self.weekdays.contains(&weekday),
            _ => has(&self.days, wall.day()) && has(&self.weekdays, weekday),
        };
        day && has(&self.minutes, wall.minute())
            && has(&self.hours, wall.hour())
            && has(&self.months, wall.month())
    }
}

fn list(set: &BTreeSet<i8>) -> String {
    let numbers: Vec<String> = set.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { "*".to_owned() } else { numbers.join(",") }
}

/// Each wall minute that the zone shows from one instant to another (both in minutes), with its first instant.
fn shown(zone: &TimeZone, from: i64, to: i64) -> BTreeMap<i64, i64> {
    let mut first = BTreeMap::new();
    for minute in from..to {
        let stamp = Timestamp::from_second(minute * 60).unwrap();
        let wall = minute + i64::from(zone.to_offset(stamp).seconds()) / 60;
        first.entry(wall).or_insert(minute);
    }
    first
}

/// Each instant (in minutes) in `(from, to]` that fires.
fn expected(fields: &Fields, zone: &TimeZone, from: i64, to: i64) -> Vec<i64> {
    let shown = shown(zone, from - 3 * 1440, to + 3 * 1440);
    let (&first, &last) = (shown.keys().next().unwrap(), shown.keys().next_back().unwrap());
    let mut fires = BTreeSet::new();
    for wall in first..=last {
        let stamp = Timestamp::from_second(wall * 60).unwrap();
        if fields.matches(Offset::UTC.to_datetime(stamp)) {
            // A wall time that is never shown is as far behind the last one shown as it would have been.
            let (before, instant) = shown.range(..=wall).next_back().unwrap();
            fires.insert(instant + (wall - before));
        }
    }
    fires.into_iter().filter(|fire| (from + 1..=to).contains(fire)).collect()
}

fn set(numbers: std::ops::RangeInclusive<i8>, most: usize) -> impl Strategy<Value = BTreeSet<i8>> {
    prop::collection::btree_set(numbers, 0..=most)
}

fn fields() -> impl Strategy<Value = Fields> {
    (set(0..=59, 4), set(0..=23, 6), set(1..=31, 10), set(1..=12, 8), set(0..=6, 3)).prop_map(
        |(minutes, hours, days, months, weekdays)| Fields { minutes, hours, days, months, weekdays },
    )
}

/// A zone, and an instant within two days of one of its changes (or anywhere, where it has none).
fn place() -> impl Strategy<Value = (&'static str, Time)> {
    let change = prop_oneof![
        Just(("America/New_York", "2027-03-14T07:00:00Z")),
        Just(("America/New_York", "2026-11-01T06:00:00Z")),
        Just(("Europe/Berlin", "2027-03-28T01:00:00Z")),
        Just(("Europe/Berlin", "2026-10-25T01:00:00Z")),
        Just(("Australia/Lord_Howe", "2026-10-03T15:30:00Z")),
        Just(("Australia/Lord_Howe", "2027-04-03T15:00:00Z")),
        Just(("America/Sao_Paulo", "2018-11-04T03:00:00Z")), // a gap at midnight
        Just(("Pacific/Apia", "2011-12-30T10:00:00Z")),      // a day left out
        Just(("Asia/Seoul", "2026-12-31T15:00:00Z")),
        Just(("UTC", "2028-02-29T00:00:00Z")),
    ];
    (change, 0..4 * 1440_u64).prop_map(|((zone, change), minutes)| {
        (zone, at(change).before(Duration::from_hours(48)).after(Duration::from_mins(minutes)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn next_after_agrees_with_a_walk_by_minutes(
        (zone_name, start) in place(), fields in fields(), micros in 0..MINUTE,
    ) {
        let (zone, cron) = (zone(zone_name).unwrap(), cron(&fields.text()));
        let from = start.micros() / MINUTE;
        let expected = expected(&fields, &zone, from, from + 3 * 1440);
        let mut after = Time::from_micros(from * MINUTE + micros);
        for fire in expected {
            let found = next_after(&cron, &zone, after);
            prop_assert_eq!(found, Some(Time::from_micros(fire * MINUTE)), "{} after {}", cron, after);
            after = Time::from_micros(fire * MINUTE);
        }
        let beyond = next_after(&cron, &zone, after);
        prop_assert!(beyond.is_none_or(|fire| fire.micros() > (from + 3 * 1440) * MINUTE));
    }

    #[test]
    fn fires_strictly_rise((zone_name, start) in place(), fields in fields()) {
        let (zone, cron) = (zone(zone_name).unwrap(), cron(&fields.text()));
        let mut after = start;
        for _ in 0..50 {
            let Some(fire) = next_after(&cron, &zone, after) else { break };
            prop_assert!(fire > after);
            let gap = SignedDuration::from_hours(24 * 366 * 9);
            prop_assert!(fire.timestamp().duration_since(after.timestamp()) < gap, "{} waits for {}", cron, fire);
            after = fire;
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in "[0-9*/,@a-z -]{0,30}") {
        if let Ok(cron) = text.parse::<onceward::schedule::Cron>() {
            let again = cron.to_string().parse();
            prop_assert_eq!(again, Ok(cron));
        }
    }
}
