use onceward::Time;
use onceward::schedule::{Cron, CronError, next_after};
use onceward::time::zone;

use crate::at;

pub(crate) fn cron(text: &str) -> Cron {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// All fires after `from` and not after `to`.
pub(crate) fn fires(text: &str, zone_name: &str, from: &str, to: &str) -> Vec<Time> {
    let (cron, zone, to) = (cron(text), zone(zone_name).unwrap(), at(to));
    let next = |after: &Time| next_after(&cron, &zone, *after);
    std::iter::successors(next(&at(from)), next).take_while(|fire| *fire <= to).collect()
}

fn texts(fires: &[Time]) -> Vec<String> {
    fires.iter().map(|fire| fire.to_string().replace(":00Z", "")).collect()
}

fn fires_on(text: &str, days: std::ops::RangeInclusive<i8>) -> Vec<String> {
    let from = format!("2026-11-{:02}T00:00:00Z", days.start());
    let before = at(&from).before(std::time::Duration::from_secs(1)).to_string();
    texts(&fires(text, "UTC", &before, &format!("2026-11-{:02}T23:59:59Z", days.end())))
}

#[test]
fn a_table_of_fires() {
    // 29 November 2026 is a Sunday.
    let day = |text| fires_on(text, 29..=29).iter().map(|fire| fire[11..].to_owned()).collect::<Vec<_>>();
    assert_eq!(day("0 9 * * *"), ["09:00"]);
    assert_eq!(day("*/20 9-10 * * *"), ["09:00", "09:20", "09:40", "10:00", "10:20", "10:40"]);
    assert_eq!(day("5,50 8-18/5 * * *"), ["08:05", "08:50", "13:05", "13:50", "18:05", "18:50"]);
    assert_eq!(day("10-30/10,45 0 * * *"), ["00:10", "00:20", "00:30", "00:45"]);
    assert_eq!(day("0 9 * * 1-5"), [""; 0]);
    assert_eq!(day("0 9 * * 0"), ["09:00"]);
    assert_eq!(day("0 9 * * 7"), ["09:00"]);
    assert_eq!(day("0 9 * * SUN"), ["09:00"]);
    assert_eq!(day("0 9 * nov sat-sun"), ["09:00"]);
    assert_eq!(day("0 9 * 10 *"), [""; 0]);
    assert_eq!(day("@hourly").len(), 24);
    assert_eq!(day("* * * * *").len(), 1440);
    assert_eq!(day("@daily"), ["00:00"]);
    assert_eq!(day("@weekly"), ["00:00"]);
    assert_eq!(day("@monthly"), [""; 0]);
}

#[test]
fn nicknames_stand_for_their_fields() {
    assert_eq!(
        texts(&fires("@monthly", "UTC", "2026-11-29T00:00:00Z", "2027-01-02T00:00:00Z")),
        ["2026-12-01T00:00", "2027-01-01T00:00"]
    );
    assert_eq!(
        texts(&fires("@yearly", "UTC", "2026-11-29T00:00:00Z", "2028-01-01T00:00:00Z")),
        ["2027-01-01T00:00", "2028-01-01T00:00"]
    );
}

#[test]
fn two_restricted_day_fields_match_either_and_a_star_matches_both() {
    let days = |text| fires_on(text, 1..=30).iter().map(|fire| fire[8..10].to_owned()).collect::<Vec<_>>();
    assert_eq!(days("0 0 13 * 5"), ["06", "13", "20", "27"]);
    assert_eq!(days("0 0 1,10 * mon"), ["01", "02", "09", "10", "16", "23", "30"]);
    assert_eq!(days("0 0 13 * *"), ["13"]);
    assert_eq!(days("0 0 * * 5"), ["06", "13", "20", "27"]);
    // As in cron since 1987: a step over `*` is not a restriction, so both must match (odd Fridays).
    assert_eq!(days("0 0 */2 * 5"), ["13", "27"]);
}

#[test]
fn an_ordinary_zone_fires_at_its_own_nine_o_clock() {
    let week = fires("0 9 * * 1-5", "Asia/Seoul", "2026-11-29T00:00:00Z", "2026-12-07T00:00:00Z");
    assert_eq!(
        texts(&week),
        [
            "2026-11-30T00:00",
            "2026-12-01T00:00",
            "2026-12-02T00:00",
            "2026-12-03T00:00",
            "2026-12-04T00:00",
            "2026-12-07T00:00"
        ]
    );
}

#[test]
fn the_gap_of_spring_fires_once_shifted_forward() {
    let new_york = fires("30 2 * * *", "America/New_York", "2027-03-13T12:00:00Z", "2027-03-15T12:00:00Z");
    assert_eq!(texts(&new_york), ["2027-03-14T07:30", "2027-03-15T06:30"], "03:30, then 02:30");
    let berlin = fires("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z");
    assert_eq!(texts(&berlin), ["2027-03-28T01:30", "2027-03-29T00:30"]);
    let lord_howe =
        fires("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-05T12:00:00Z");
    assert_eq!(texts(&lord_howe), ["2026-10-03T15:45", "2026-10-04T15:15"], "02:45, then 02:15");
}

#[test]
fn wall_times_that_meet_after_the_gap_fire_once_and_in_order() {
    let both = fires("30 2,3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T12:00:00Z");
    assert_eq!(texts(&both), ["2027-03-28T01:30"]);
    // 02:50 becomes 03:50, which is after 03:10 and 03:30.
    let mixed = fires("10-50/20 2-3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T12:00:00Z");
    assert_eq!(texts(&mixed), ["2027-03-28T01:10", "2027-03-28T01:30", "2027-03-28T01:50"]);
    // A gap of half an hour: 02:20 becomes 02:50, which is after 02:35.
    let half = fires("20,35 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z");
    assert_eq!(texts(&half), ["2026-10-03T15:35", "2026-10-03T15:50"]);
    let late = fires("50 2 * * *", "Europe/Berlin", "2027-03-28T01:40:00Z", "2027-03-28T12:00:00Z");
    assert_eq!(texts(&late), ["2027-03-28T01:50"], "asked from within the hour after the gap");
}

#[test]
fn the_fold_of_autumn_fires_once_the_first() {
    let new_york = fires("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z");
    assert_eq!(texts(&new_york), ["2026-11-01T05:30", "2026-11-02T06:30"]);
    let berlin = fires("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z");
    assert_eq!(texts(&berlin), ["2026-10-25T00:30", "2026-10-26T01:30"]);
    let lord_howe =
        fires("45 1 * * *", "Australia/Lord_Howe", "2027-04-03T12:00:00Z", "2027-04-04T18:00:00Z");
    assert_eq!(texts(&lord_howe), ["2027-04-03T14:45", "2027-04-04T15:15"]);
}

#[test]
fn a_day_of_hours_fires_once_per_hour_on_the_wall() {
    let day = |from, to| fires("@hourly", "Europe/Berlin", from, to).len();
    assert_eq!(day("2026-10-24T21:59:59Z", "2026-10-25T22:59:59Z"), 24, "a day of 25 hours");
    assert_eq!(day("2027-03-27T22:59:59Z", "2027-03-28T21:59:59Z"), 23, "two of 24 met in one instant");
}

#[test]
fn a_day_that_a_zone_left_out_is_shifted_as_a_whole() {
    // Samoa went from 29 to 31 December 2011.
    let noon = fires("0 12 30 12 *", "Pacific/Apia", "2011-12-30T00:00:00Z", "2011-12-31T22:00:00Z");
    assert_eq!(texts(&noon), ["2011-12-30T22:00"], "noon of the 31st, at +14");
}

#[test]
fn a_leap_day_comes_every_four_years_and_not_in_2100() {
    let leap = fires("0 12 29 2 *", "UTC", "2090-01-01T00:00:00Z", "2109-01-01T00:00:00Z");
    assert_eq!(
        texts(&leap),
        ["2092-02-29T12:00", "2096-02-29T12:00", "2104-02-29T12:00", "2108-02-29T12:00"]
    );
}

#[test]
fn the_rarest_day_is_found_and_an_impossible_one_is_none() {
    let utc = zone("UTC").unwrap();
    // `*/7` leaves Sundays, and since it starts with a star both day fields must match. The year 2100, which
    // has no leap day, makes the wait 40 years; none is longer.
    let rare = fires("0 0 29 2 */7", "UTC", "2026-01-01T00:00:00Z", "2150-01-01T00:00:00Z");
    assert_eq!(
        texts(&rare),
        ["2032-02-29T00:00", "2060-02-29T00:00", "2088-02-29T00:00", "2128-02-29T00:00"]
    );
    for impossible in ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30,31 feb *"] {
        assert_eq!(next_after(&cron(impossible), &utc, at("2026-11-29T00:00:00Z")), None);
    }
}

#[test]
fn the_ends_of_the_calendar_are_no_trap() {
    let seoul = zone("Asia/Seoul").unwrap();
    let every = cron("* * * * *");
    assert_eq!(next_after(&every, &seoul, Time::from_micros(i64::MAX)), None);
    assert_eq!(next_after(&every, &seoul, Time::from_micros(i64::MIN)), None);
    assert!(next_after(&every, &seoul, at("-009999-06-01T00:00:00Z")).is_some());
    assert_eq!(next_after(&cron("@yearly"), &seoul, at("9999-06-01T00:00:00Z")), None);
}

#[test]
fn a_wrong_part_is_named_with_its_field() {
    for (text, field, item) in [
        ("60 * * * *", "minute", "60"),
        ("* 24 * * *", "hour", "24"),
        ("* * 0 * *", "day of month", "0"),
        ("* * 32 * *", "day of month", "32"),
        ("* * * 13 *", "month", "13"),
        ("* * * * 8", "day of week", "8"),
        ("* * * * monday", "day of week", "monday"),
        ("* * * mon *", "month", "mon"),
        ("+5 * * * *", "minute", "+5"),
        ("-5 * * * *", "minute", "-5"),
        ("5- * * * *", "minute", "5-"),
        ("1,,2 * * * *", "minute", ""),
        ("*/0 * * * *", "minute", "*/0"),
        ("*/60 * * * *", "minute", "*/60"),
        ("*/x * * * *", "minute", "*/x"),
        ("1-5/2/2 * * * *", "minute", "1-5/2/2"),
        ("5/15 * * * *", "minute", "5/15"),
        ("0 22-2 * * *", "hour", "22-2"),
        ("0 0 L * *", "day of month", "L"),
        ("0 0 ? * *", "day of month", "?"),
        ("0 0 * * 5#3", "day of week", "5#3"),
        ("*5 * * * *", "minute", "*5"),
        ("** * * * *", "minute", "**"),
        ("０ * * * *", "minute", "０"),
    ] {
        let error = text.parse::<Cron>().unwrap_err();
        let CronError::Item { field: at_field, item: at_item, .. } = &error else { panic!("{error}") };
        assert_eq!((*at_field, at_item.as_str()), (field, item), "{text}: {error}");
    }
    assert_eq!("".parse::<Cron>(), Err(CronError::Count(0)));
    assert_eq!("0 9 * *".parse::<Cron>(), Err(CronError::Count(4)));
    assert_eq!("0 0 9 * * *".parse::<Cron>(), Err(CronError::Count(6)));
    assert_eq!("@reboot".parse::<Cron>(), Err(CronError::Nickname("@reboot".to_owned())));
    let wraps = "0 22-2 * * *".parse::<Cron>().unwrap_err().to_string();
    assert_eq!(
        wraps,
        "\"22-2\" in the hour of a cron is not valid; expected a range that rises, such as 22-23,0-2"
    );
}

#[test]
fn a_cron_is_a_text_in_storage() {
    let weekdays = cron("  0   9 * * mon-fri ");
    let json = serde_json::to_string(&weekdays).unwrap();
    assert_eq!(json, "\"0 9 * * mon-fri\"");
    assert_eq!(serde_json::from_str::<Cron>(&json).unwrap().to_string(), weekdays.to_string());
    assert!(serde_json::from_str::<Cron>("\"every day\"").is_err());
}
