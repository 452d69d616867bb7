use std::time::Duration;

use onceward::Time;
use onceward::pace::{Rate, RateError, Taken, slots, take};
use proptest::prelude::*;

use crate::second;

fn rate(text: &str) -> Rate {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_rate_is_a_count_and_a_period() {
    for (text, count, seconds, written) in [
        ("30/5m", 30, 300, "30/5m"),
        ("1/10m", 1, 600, "1/10m"),
        ("10/s", 10, 1, "10/1s"),
        ("2/d", 2, 86_400, "2/1d"),
    ] {
        let rate = rate(text);
        assert_eq!((rate.count(), rate.period()), (count, Duration::from_secs(seconds)));
        assert_eq!(rate.to_string(), written);
    }
    assert_eq!(serde_json::to_string(&rate("30/5m")).unwrap(), "\"30/5m\"");
    assert_eq!(serde_json::from_str::<Rate>("\"10/s\"").unwrap(), rate("10/1s"));
}

#[test]
fn what_is_not_a_rate_is_refused_with_the_reason() {
    for text in ["", "30", "/5m", "x/5m", "-1/5m", "+1/5m", "1.5/m", "30 /5m"] {
        assert_eq!(text.parse::<Rate>(), Err(RateError::Form(text.to_owned())), "{text}");
    }
    for text in ["0/5m", "4294967296/s"] {
        assert_eq!(text.parse::<Rate>(), Err(RateError::Count(text.to_owned())));
    }
    for text in ["1/0s", "1/367d"] {
        assert_eq!(text.parse::<Rate>(), Err(RateError::Period(text.to_owned())));
    }
    for text in ["30/", "30/5", "30/5x", "30/m5", "30/5m/2"] {
        assert!(matches!(text.parse::<Rate>(), Err(RateError::Duration(_))), "{text}");
    }
    assert_eq!(
        "0/5m".parse::<Rate>().unwrap_err().to_string(),
        "the rate \"0/5m\" needs a count from 1 to 4294967295; to stop a queue, pause it"
    );
}

#[test]
fn a_whole_burst_goes_at_once_and_then_one_per_interval() {
    let rate = rate("30/5m");
    let first = take(rate, None, second(0), 100);
    assert_eq!(first, Taken { granted: 30, tat: Some(second(300)), next: Some(second(10)) });
    assert_eq!(take(rate, first.tat, second(9), 1).granted, 0);
    let second_take = take(rate, first.tat, second(25), 100);
    assert_eq!(second_take, Taken { granted: 2, tat: Some(second(320)), next: Some(second(30)) });
    assert_eq!(take(rate, second_take.tat, second(320), 100).granted, 30);
}

#[test]
fn a_count_of_one_is_a_minimum_gap() {
    let rate = rate("1/10m");
    let first = take(rate, None, second(0), 5);
    assert_eq!(first, Taken { granted: 1, tat: Some(second(600)), next: Some(second(600)) });
    assert_eq!(take(rate, first.tat, second(599), 1), Taken { granted: 0, ..first });
    assert_eq!(take(rate, first.tat, second(600), 1).granted, 1);
}

#[test]
fn wanting_nothing_changes_nothing() {
    assert_eq!(take(rate("1/10m"), None, second(0), 0), Taken { granted: 0, tat: None, next: None });
    let held = Some(second(5));
    assert_eq!(take(rate("1/10m"), held, second(0), 0), Taken { granted: 0, tat: held, next: held });
}

#[test]
fn a_clock_that_was_set_back_delays_by_no_more_than_a_period() {
    let rate = rate("2/10m");
    let year_ahead = Some(second(31_536_000));
    let taken = take(rate, year_ahead, second(0), 1);
    assert_eq!(taken, Taken { granted: 0, tat: Some(second(600)), next: Some(second(300)) });
    assert_eq!(take(rate, taken.tat, second(300), 1).granted, 1);
}

#[test]
fn a_count_that_does_not_divide_its_period_still_gets_no_more_than_it() {
    assert_eq!(rate("3/s").interval(), Duration::from_micros(333_334));
    assert_eq!(rate("4000000000/1us").interval(), Duration::from_micros(1));
}

#[test]
fn slots_are_what_is_left() {
    assert_eq!(slots(Some(3), 1), 2);
    assert_eq!(slots(Some(3), 3), 0);
    assert_eq!(slots(Some(3), 9), 0);
    assert_eq!(slots(None, 9), u32::MAX);
}

/// The instants of all starts, when so many are wanted after each of these waits (in microseconds).
fn starts(rate: Rate, asks: &[(u64, u32)]) -> Vec<Time> {
    let (mut now, mut tat, mut starts) = (second(0), None, Vec::new());
    for (wait, want) in asks {
        now = now.after(Duration::from_micros(*wait));
        let taken = take(rate, tat, now, *want);
        assert!(taken.granted <= *want);
        starts.extend((0..taken.granted).map(|_| now));
        tat = taken.tat;
    }
    starts
}

fn any_rate() -> impl Strategy<Value = Rate> {
    (1..12_u32, 1..3_000_000_u64)
        .prop_map(|(count, micros)| Rate::new(count, Duration::from_micros(micros)).unwrap())
}

/// Waits around the interval: some far below it, some beyond the period.
fn asks() -> impl Strategy<Value = Vec<(u64, u32)>> {
    prop::collection::vec((prop_oneof![0..1_000_u64, 0..300_000_u64, 0..4_000_000_u64], 0..15_u32), 1..60)
}

proptest! {
    #[test]
    fn n_starts_span_at_least_n_minus_count_intervals(rate in any_rate(), asks in asks()) {
        let starts = starts(rate, &asks);
        for (i, first) in starts.iter().enumerate() {
            for (n, last) in (1_u32..).zip(&starts[i..]) {
                let least = rate.interval() * n.saturating_sub(rate.count());
                prop_assert!(last.since(*first) >= least, "{} starts in {:?}", n, last.since(*first));
            }
        }
    }

    #[test]
    fn no_window_of_a_period_sees_twice_the_count(rate in any_rate(), asks in asks()) {
        let starts = starts(rate, &asks);
        for (i, first) in starts.iter().enumerate() {
            let end = first.after(rate.period());
            let seen = starts[i..].iter().take_while(|start| **start < end).count();
            prop_assert!(seen < 2 * rate.count() as usize, "{} in one period", seen);
        }
    }

    #[test]
    fn a_gap_is_at_least_its_period(micros in 1..3_000_000_u64, asks in asks()) {
        let rate = Rate::new(1, Duration::from_micros(micros)).unwrap();
        let starts = starts(rate, &asks);
        prop_assert!(starts.windows(2).all(|pair| pair[1].since(pair[0]) >= rate.period()));
    }

    #[test]
    fn taking_many_is_taking_one_many_times(rate in any_rate(), asks in asks()) {
        let singly: Vec<(u64, u32)> = asks.iter().flat_map(|(wait, want)| {
            std::iter::once((*wait, 0)).chain((0..*want).map(|_| (0, 1)))
        }).collect();
        prop_assert_eq!(starts(rate, &asks), starts(rate, &singly));
    }

    #[test]
    fn next_is_the_first_instant_that_gives_one(rate in any_rate(), asks in asks(), want in 0..15_u32) {
        let (mut now, mut tat) = (second(0), None);
        for (wait, want) in asks {
            now = now.after(Duration::from_micros(wait));
            tat = take(rate, tat, now, want).tat;
        }
        let taken = take(rate, tat, now, want);
        let next = taken.next.unwrap_or(now);
        prop_assert_eq!(take(rate, taken.tat, next, 1).granted, 1);
        if taken.next.is_some() {
            prop_assert!(next > now);
            prop_assert_eq!(take(rate, taken.tat, next.before(Duration::from_micros(1)), 1).granted, 0);
        }
    }

    #[test]
    fn no_input_overflows(
        count in 1..=u32::MAX, micros in 1..31_622_400_000_000_u64, tat: Option<i64>, now: i64, want: u32,
    ) {
        let rate = Rate::new(count, Duration::from_micros(micros)).unwrap();
        let taken = take(rate, tat.map(Time::from_micros), Time::from_micros(now), want);
        prop_assert!(taken.granted <= want.min(count));
        prop_assert_eq!(rate.to_string().parse::<Rate>(), Ok(rate));
    }
}

#[test]
fn the_bound_of_a_window_is_reached() {
    let rate = rate("5/5s");
    let greedy: Vec<(u64, u32)> = (0..5).map(|i| (u64::from(i > 0) * 1_000_000, 99)).collect();
    let all = starts(rate, &greedy);
    assert_eq!(all.len(), 9, "a burst of 5 at 0 s, then one at 1, 2, 3 and 4 s");
}
