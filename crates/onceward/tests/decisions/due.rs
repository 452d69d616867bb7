use onceward::Time;
use onceward::schedule::{Due, Missed, due};
use onceward::time::zone;

use crate::at;
use crate::cron::{cron, fires};

/// What `text` owes in Berlin when its next fire was stored and then nobody ran until `now`.
fn owed(text: &str, next_fire_at: &str, now: &str, missed: Missed, limit: usize) -> Due {
    due(at(next_fire_at), at(now), missed, &cron(text), &zone("Europe/Berlin").unwrap(), limit)
}

/// Nine o'clock in Berlin, on that day of November.
fn nine(day: u8) -> Time {
    at(&format!("2026-11-{day:02}T08:00:00Z"))
}

const NINE: &str = "0 9 * * *";
const FIRST: &str = "2026-11-02T08:00:00Z";

#[test]
fn nothing_is_owed_before_its_time() {
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        let early = owed(NINE, FIRST, "2026-11-02T07:59:59Z", missed, 10);
        assert_eq!(early, Due { fires: vec![], next: Some(nine(2)), left_out: 0 });
    }
}

#[test]
fn a_fire_on_time_is_the_same_for_every_policy() {
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        for now in [FIRST, "2026-11-02T08:01:00Z"] {
            let on_time = owed(NINE, FIRST, now, missed, 10);
            assert_eq!(on_time, Due { fires: vec![nine(2)], next: Some(nine(3)), left_out: 0 });
        }
    }
}

#[test]
fn skip_drops_what_is_late_and_keeps_what_is_on_time() {
    let late = owed(NINE, FIRST, "2026-11-05T12:00:00Z", Missed::Skip, 10);
    assert_eq!(late, Due { fires: vec![], next: Some(nine(6)), left_out: 4 });
    let on_time = owed(NINE, FIRST, "2026-11-05T08:00:30Z", Missed::Skip, 10);
    assert_eq!(on_time, Due { fires: vec![nine(5)], next: Some(nine(6)), left_out: 3 });
}

#[test]
fn once_fires_the_latest_for_all() {
    let late = owed(NINE, FIRST, "2026-11-05T12:00:00Z", Missed::Once, 10);
    assert_eq!(late, Due { fires: vec![nine(5)], next: Some(nine(6)), left_out: 3 });
    assert_eq!(owed(NINE, FIRST, "2026-11-05T08:00:00Z", Missed::Once, 10), late, "at that very instant");
}

#[test]
fn all_fires_each_and_goes_on_where_the_limit_cut_it() {
    let first = owed(NINE, FIRST, "2026-11-05T12:00:00Z", Missed::All, 3);
    assert_eq!(first, Due { fires: vec![nine(2), nine(3), nine(4)], next: Some(nine(5)), left_out: 0 });
    let rest = owed(NINE, "2026-11-05T08:00:00Z", "2026-11-05T12:00:00Z", Missed::All, 3);
    assert_eq!(rest, Due { fires: vec![nine(5)], next: Some(nine(6)), left_out: 0 });
}

#[test]
fn a_limit_of_none_moves_nothing() {
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        let held = owed(NINE, FIRST, "2026-11-05T12:00:00Z", missed, 0);
        assert_eq!(held, Due { fires: vec![], next: Some(nine(2)), left_out: 0 });
    }
}

#[test]
fn once_finds_the_latest_across_a_change_of_the_clock() {
    // 02:30 on 28 March is fired at 03:30 (01:30Z).
    let late = owed("30 2 * * *", "2027-03-26T01:30:00Z", "2027-03-28T02:00:00Z", Missed::Once, 10);
    let next = Some(at("2027-03-29T00:30:00Z"));
    assert_eq!(late, Due { fires: vec![at("2027-03-28T01:30:00Z")], next, left_out: 2 });
}

#[test]
fn years_of_minutes_are_caught_up_in_bounded_work() {
    let late = owed("* * * * *", "2016-01-01T00:00:00Z", "2026-11-29T12:00:30Z", Missed::Once, 10);
    let next = Some(at("2026-11-29T12:01:00Z"));
    assert_eq!(late, Due { fires: vec![at("2026-11-29T12:00:00Z")], next, left_out: 10_000 });
}

#[test]
fn the_last_fire_of_all_leaves_no_next() {
    let now = "2026-11-05T12:00:00Z";
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        assert_eq!(
            owed("0 0 30 2 *", now, now, missed, 10),
            Due { fires: vec![at(now)], next: None, left_out: 0 }
        );
    }
}

#[test]
fn once_agrees_with_all() {
    let now = "2026-11-08T11:11:11Z";
    for text in ["*/7 * * * *", "0 9 * * 1-5", "59 23 1,2,3 11 *", "30 2 * * *", "0 0 6 11 *"] {
        let every = fires(text, "Europe/Berlin", "2026-10-20T00:00:00Z", now);
        let once = owed(text, &every[0].to_string(), now, Missed::Once, 1);
        let all = owed(text, &every[0].to_string(), now, Missed::All, usize::MAX);
        assert_eq!(all.fires, every, "{text}");
        assert_eq!((once.fires.last(), once.next), (every.last(), all.next), "{text}");
        assert_eq!(once.left_out, every.len() as u64 - 1, "{text}");
    }
}

#[test]
fn the_policy_is_a_word_and_once_unless_said_otherwise() {
    assert_eq!(Missed::default(), Missed::Once);
    let read: Vec<Missed> = serde_json::from_str(r#"["skip","once","all"]"#).unwrap();
    assert_eq!(read, [Missed::Skip, Missed::Once, Missed::All]);
}
