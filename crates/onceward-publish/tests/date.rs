//! Dates as people write them.

use onceward_publish::date::{DateError, Wall, parse, zone};

fn at(text: &str, name: &str) -> String {
    let zone = zone(name).unwrap();
    parse(text, Some(&zone)).unwrap().at.to_string()
}

#[test]
fn every_known_form_is_read() {
    let table = [
        ("2026-12-01T09:00:00+09:00", "2026-12-01T00:00:00Z"),
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        ("2026-12-01t00:00:00z", "2026-12-01T00:00:00Z"),
        ("2026-12-01T09:00:00.123456+09:00", "2026-12-01T00:00:00.123456Z"),
        ("2026-12-01T09:00:00+09:00[Asia/Seoul]", "2026-12-01T00:00:00Z"),
        ("2026-12-01T00:00:00Z[Asia/Seoul]", "2026-12-01T00:00:00Z"),
        ("2026-12-01T09:00[Asia/Seoul]", "2026-12-01T00:00:00Z"),
        ("2026-12-01 09:00:00 +0900", "2026-12-01T00:00:00Z"),
        ("2026-12-01 09:00 +0900", "2026-12-01T00:00:00Z"),
        ("2026-11-30 20:00:00 -0400", "2026-12-01T00:00:00Z"),
        ("2026-12-01 00:00:00 UTC", "2026-12-01T00:00:00Z"),
        ("2026-12-01 00:00:00 Z", "2026-12-01T00:00:00Z"),
        ("2026-12-01 09:00", "2026-12-01T00:00:00Z"),
        ("2026-12-01T09:00:00", "2026-12-01T00:00:00Z"),
        ("2026-12-01 09:00:00", "2026-12-01T00:00:00Z"),
        ("  2026-12-01 09:00  ", "2026-12-01T00:00:00Z"),
        ("2026-12-01", "2026-11-30T15:00:00Z"),
    ];
    for (text, expected) in table {
        assert_eq!(at(text, "Asia/Seoul"), expected, "{text}");
    }
}

#[test]
fn a_gap_in_spring_moves_forward_and_a_fold_in_autumn_means_the_first() {
    let table = [
        ("2026-03-29 01:59", "Europe/Berlin", "2026-03-29T00:59:00Z"),
        ("2026-03-29 02:30", "Europe/Berlin", "2026-03-29T01:30:00Z"), // shown as 03:30
        ("2026-03-29 03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"),
        ("2026-10-25 02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"), // still summer time
        ("2026-10-25 03:00", "Europe/Berlin", "2026-10-25T02:00:00Z"),
        ("2026-03-08 02:30", "America/New_York", "2026-03-08T07:30:00Z"),
        ("2026-11-01 01:30", "America/New_York", "2026-11-01T05:30:00Z"),
        ("2026-10-04 02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"), // a gap of half an hour
        ("2026-03-29 02:30", "Asia/Seoul", "2026-03-28T17:30:00Z"),
    ];
    for (text, zone, expected) in table {
        assert_eq!(at(text, zone), expected, "{text} in {zone}");
    }
}

#[test]
fn a_local_wish_keeps_its_clock_and_zone() {
    let seoul = zone("Asia/Seoul").unwrap();
    let wall = Some(Wall { local: "2026-12-01T09:00:00".into(), zone: "Asia/Seoul".into() });
    let wish = parse("2026-12-01 09:00", Some(&seoul)).unwrap();
    assert_eq!(wish.wall, wall);
    assert_eq!(parse("2026-12-01T09:00:00+09:00[Asia/Seoul]", None).unwrap().wall, wall);
    assert_eq!(parse("2026-12-01T09:00:00+09:00", Some(&seoul)).unwrap().wall, None);
    assert_eq!(wish.resolve_again().unwrap(), wish);
}

#[test]
fn the_second_half_of_a_fold_is_kept_as_an_instant() {
    let first = parse("2026-10-25T02:30:00+02:00[Europe/Berlin]", None).unwrap();
    let second = parse("2026-10-25T02:30:00+01:00[Europe/Berlin]", None).unwrap();
    assert_eq!((first.at.to_string().as_str(), first.wall.is_some()), ("2026-10-25T00:30:00Z", true));
    assert_eq!((second.at.to_string().as_str(), second.wall), ("2026-10-25T01:30:00Z", None));
}

#[test]
fn what_is_no_date_is_refused_with_its_reason() {
    let seoul = zone("Asia/Seoul").unwrap();
    for text in [
        "",
        "tomorrow",
        "09:00",
        "09:00:00",
        "2026",
        "2026-13-01",
        "2026-02-30",
        "2026-12-01 25:00",
        "01/12/2026",
        "Dec 1 2026",
        "2026-12-01 9am",
        "1764547200",
    ] {
        assert!(
            matches!(parse(text, Some(&seoul)), Err(DateError::Unreadable(_))),
            "{text}: {:?}",
            parse(text, Some(&seoul))
        );
    }
    assert!(matches!(parse("2026-12-01 09:00", None), Err(DateError::NoZone(_))));
    assert!(matches!(parse("2026-12-01", None), Err(DateError::NoZone(_))));
    assert!(matches!(parse("2026-12-01T09:00+08:00[Asia/Seoul]", None), Err(DateError::Conflict(_))));
    assert!(matches!(parse("2026-12-01T09:00[Asia/Seul]", None), Err(DateError::UnknownZone(_))));
    assert!(matches!(zone("Mars/Olympus"), Err(DateError::UnknownZone(_))));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,40}|[0-9TZ:+ \\[\\]/-]{0,30}") {
        let _ = parse(&text, Some(&zone("Europe/Berlin").unwrap()));
        let _ = parse(&text, None);
    }
}
