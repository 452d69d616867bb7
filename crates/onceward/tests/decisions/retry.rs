use std::time::Duration;

use onceward::retry::{RetryKeys, RetryPolicy};
use proptest::prelude::*;

#[test]
fn the_middle_of_the_random_part_lies_on_the_curve() {
    let minutes: Vec<u64> =
        (0..=8).map(|failures| RetryPolicy::GENERIC.wait(failures, 0.5).as_secs() / 60).collect();
    assert_eq!(minutes, [1, 1, 2, 4, 8, 16, 32, 60, 60]);
    let odd = RetryPolicy { base: Duration::from_millis(100), factor: 3.0, ..RetryPolicy::GENERIC };
    assert_eq!(odd.wait(3, 0.5), Duration::from_millis(900));
}

#[test]
fn the_random_part_moves_a_wait_by_the_jitter() {
    let policy = RetryPolicy::CHANNEL;
    assert_eq!(policy.wait(1, 0.0), Duration::from_secs(54));
    assert_eq!(policy.wait(1, 1.0), Duration::from_secs(66));
    assert_eq!(policy.wait(20, 1.0), Duration::from_mins(66));
}

#[test]
fn the_last_failure_exhausts() {
    assert_eq!([3, 4, 5].map(|failures| RetryPolicy::CHANNEL.exhausted(failures)), [false, true, true]);
    assert_eq!([4, 5, 6].map(|failures| RetryPolicy::GENERIC.exhausted(failures)), [false, true, true]);
}

#[test]
fn a_wrong_key_is_named() {
    let good = RetryPolicy::CHANNEL;
    assert_eq!(good.validate(), Ok(()));
    for (key, bad) in [
        ("max_attempts", RetryPolicy { max_attempts: 0, ..good }),
        ("base", RetryPolicy { base: Duration::ZERO, ..good }),
        ("factor", RetryPolicy { factor: 0.5, ..good }),
        ("factor", RetryPolicy { factor: f64::NAN, ..good }),
        ("factor", RetryPolicy { factor: f64::INFINITY, ..good }),
        ("max", RetryPolicy { max: Duration::from_secs(59), ..good }),
        ("jitter", RetryPolicy { jitter: 1.1, ..good }),
        ("jitter", RetryPolicy { jitter: -0.1, ..good }),
        ("jitter", RetryPolicy { jitter: f64::NAN, ..good }),
    ] {
        let error = bad.validate().unwrap_err();
        assert_eq!(error.key(), key);
        assert!(error.to_string().starts_with(&format!("retry.{key} is ")), "{error}");
    }
    let error = RetryPolicy { max: Duration::from_secs(59), ..good }.validate().unwrap_err();
    assert_eq!(error.to_string(), "retry.max is 59s; expected at least retry.base, which is 1m");
}

#[test]
fn a_policy_is_read_and_written_with_durations_as_text() {
    let json = r#"{"max_attempts":4,"base":"1m","factor":2.0,"max":"1h","jitter":0.1}"#;
    assert_eq!(serde_json::to_string(&RetryPolicy::CHANNEL).unwrap(), json);
    assert_eq!(serde_json::from_str::<RetryPolicy>(json).unwrap(), RetryPolicy::CHANNEL);
    assert!(serde_json::from_str::<RetryPolicy>(&json.replace("jitter", "jiter")).is_err());
}

#[test]
fn keys_that_are_not_given_come_from_the_place() {
    let keys: RetryKeys = serde_json::from_str(r#"{"base":"2m","jitter":0.0}"#).unwrap();
    let expected = RetryPolicy { base: Duration::from_mins(2), jitter: 0.0, ..RetryPolicy::GENERIC };
    assert_eq!(keys.over(RetryPolicy::GENERIC), expected);
    assert_eq!(keys.over(RetryPolicy::CHANNEL).max_attempts, 4);
    assert_eq!(RetryKeys::default().over(RetryPolicy::CHANNEL), RetryPolicy::CHANNEL);
    assert!(serde_json::from_str::<RetryKeys>(r#"{"bas":"2m"}"#).is_err());
}

fn any_duration() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        Just(Duration::MAX),
        (any::<u64>(), 0..1_000_000_000_u32).prop_map(|(secs, nanos)| Duration::new(secs, nanos)),
        (0..86_400_000_u64).prop_map(Duration::from_millis),
    ]
}

/// Each special value of `f64` as well.
fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(f64::MAX), -2.0..4.0]
}

proptest! {
    #[test]
    fn no_input_overflows(
        max_attempts: u32, base in any_duration(), factor in any_float(), max in any_duration(),
        jitter in any_float(), failures: u32, unit in any_float(),
    ) {
        let policy = RetryPolicy { max_attempts, base, factor, max, jitter };
        let longest = Duration::try_from_secs_f64(max.as_secs_f64() * 2.0).unwrap_or(Duration::MAX);
        prop_assert!(policy.wait(failures, unit) <= longest.max(max));
        prop_assert_eq!(policy.exhausted(failures), failures >= max_attempts);
    }

    #[test]
    fn a_wait_stays_within_its_jitter_and_grows(
        base in 1..100_000_u64, factor in 1.0..5.0, jitter in 0.0..=1.0, failures in 1..60_u32, unit in 0.0..=1.0,
    ) {
        let (base, max) = (Duration::from_millis(base), Duration::from_hours(1));
        let policy = RetryPolicy { max_attempts: 9, base, factor, max, jitter };
        let curve = policy.wait(failures, 0.5).as_secs_f64();
        let wait = policy.wait(failures, unit).as_secs_f64();
        prop_assert!((wait - curve).abs() <= curve * jitter + 1e-6);
        prop_assert!(policy.wait(failures + 1, 0.5).as_secs_f64() >= curve);
        prop_assert!(curve <= max.as_secs_f64());
    }
}
