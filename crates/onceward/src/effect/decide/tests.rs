//! When what was heard nothing of is repeated or looked for.

use super::*;
use crate::Receipt;
use crate::effect::Terms;

const LAG: Duration = Duration::from_secs(20);
const MINUTE: Duration = Duration::from_mins(1);

fn at(seconds: u64) -> Time {
    Time::from_micros(1_796_115_600_000_000).after(Duration::from_secs(seconds))
}

/// Sent so often before, first at 0.
fn entry(class: Class, timeout: u64, sends: u32) -> Entry {
    Entry {
        generation: 1,
        terms: Terms { class, timeout: Duration::from_secs(timeout), resend: false },
        key: "k".to_owned(),
        request: "{}".to_owned(),
        request_hash: "h".to_owned(),
        state: if sends == 0 { EffectState::Prepared } else { EffectState::Unknown },
        sends,
        looks: 0,
        absent: 0,
        first_sent_at: (sends > 0).then(|| at(0)),
        quiet_until: None,
        receipt: Receipt::default(),
        stop: false,
        lost: false,
        now: at(0),
    }
}

fn check(entry: &Entry, now: u64) -> Option<Time> {
    schedule(entry, at(now), at(now).after(MINUTE)).1
}

fn keyed(window: Duration, fallback: Fallback) -> Class {
    Class::Keyed { window, fallback }
}

#[test]
fn a_repeat_waits_twice_as_long_each_time_and_an_hour_at_most() {
    let long = keyed(Duration::from_hours(24 * 30), Fallback::Blind);
    let waits = [(0, 30), (1, 60), (2, 120), (3, 240), (6, 1920), (7, 3600), (40, 3600), (u32::MAX, 3600)];
    for class in [Class::Deterministic, long] {
        for (sends, wait) in waits {
            assert_eq!(check(&entry(class, 30, sends), 100), Some(at(100 + wait)), "{class:?} after {sends}");
        }
    }
    let slow = entry(Class::Deterministic, 2 * 3600, 3);
    assert_eq!(check(&slow, 0), Some(at(2 * 3600)), "and never before the answer can be there");
}

#[test]
fn the_last_repeat_that_a_key_allows_is_made_while_it_does() {
    // Trusted until 3240 s after the first send.
    let hour = |fallback| keyed(Duration::from_hours(1), fallback);
    let look_up = Fallback::LookUp { lag: LAG };
    let table = [
        // sends before, now, fallback, check
        (6, 100, Fallback::Blind, 2020),
        (6, 2000, Fallback::Blind, 3210),
        (6, 3180, Fallback::Blind, 3210),
        (6, 3200, look_up, 3230),
        // No repeat fits any more: straight to the fallback, which a claim finds out.
        (6, 3230, Fallback::Blind, 3260),
        (6, 3230, look_up, 3230 + 60 + 20),
    ];
    for (sends, now, fallback, expected) in table {
        let entry = entry(hour(fallback), 30, sends);
        assert_eq!(check(&entry, now), Some(at(expected)), "{sends} sends, {now} s, {fallback:?}");
    }
}

#[test]
fn what_is_looked_for_is_looked_for_after_its_quiet_period_however_often_it_was_sent() {
    for sends in [0, 1, 9] {
        let entry = entry(Class::LookUp { lag: LAG }, 30, sends);
        assert_eq!(check(&entry, 0), Some(at(80)));
        assert_eq!(check(&self::entry(Class::Blind, 30, sends), 0), None);
    }
}

#[test]
fn what_was_cancelled_is_looked_for_and_never_repeated() {
    let (hour, look_up) = (Duration::from_hours(1), Fallback::LookUp { lag: LAG });
    for class in [Class::Deterministic, keyed(hour, look_up), Class::LookUp { lag: LAG }] {
        let cancelled = Entry { stop: true, quiet_until: Some(at(0)), ..entry(class, 30, 1) };
        assert_eq!(next(&cancelled, true), Next::Look, "{class:?}");
        assert_eq!(next(&cancelled, false), Next::Park, "{class:?}");
        assert_eq!(next(&Entry { absent: 2, ..cancelled }, true), Next::Gone, "{class:?}");
    }
    for class in [keyed(hour, Fallback::Blind), Class::Blind] {
        assert_eq!(next(&Entry { stop: true, ..entry(class, 30, 1) }, true), Next::Park, "{class:?}");
    }
}

#[test]
fn only_what_is_absent_twice_is_gone() {
    let class = Class::LookUp { lag: LAG };
    for (absent, expected) in [(0, Next::Look), (1, Next::Look), (2, Next::Gone), (3, Next::Gone)] {
        let seen = Entry { absent, ..entry(class, 30, 1) };
        assert_eq!(next(&Entry { quiet_until: Some(at(0)), ..seen.clone() }, true), expected);
        assert_eq!(next(&Entry { quiet_until: Some(at(1)), ..seen }, true), Next::Wait(at(1)));
    }
}
