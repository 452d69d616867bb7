use onceward::time::{LocalTime, LocalTimeError};

fn resolved(wall: &str, zone: &str) -> String {
    LocalTime::parse(wall, zone).and_then(|wish| wish.resolve()).unwrap().to_string()
}

#[test]
fn an_ordinary_wall_time_is_one_instant() {
    assert_eq!(resolved("2026-12-01 09:00", "Asia/Seoul"), "2026-12-01T00:00:00Z");
    assert_eq!(resolved("2026-07-01T09:00:30", "Europe/Berlin"), "2026-07-01T07:00:30Z");
    assert_eq!(resolved("2028-02-29 12:00", "UTC"), "2028-02-29T12:00:00Z");
}

#[test]
fn a_wall_time_in_the_gap_is_shifted_forward() {
    assert_eq!(resolved("2027-03-14 02:30", "America/New_York"), "2027-03-14T07:30:00Z"); // 03:30 EDT
    assert_eq!(resolved("2027-03-28 02:00", "Europe/Berlin"), "2027-03-28T01:00:00Z"); // 03:00 CEST
    assert_eq!(resolved("2026-10-04 02:15", "Australia/Lord_Howe"), "2026-10-03T15:45:00Z"); // 02:45 +11
}

#[test]
fn a_wall_time_in_the_fold_is_the_first() {
    assert_eq!(resolved("2026-11-01 01:30", "America/New_York"), "2026-11-01T05:30:00Z"); // EDT
    assert_eq!(resolved("2026-10-25 02:30", "Europe/Berlin"), "2026-10-25T00:30:00Z"); // CEST
    assert_eq!(resolved("2027-04-04 01:45", "Australia/Lord_Howe"), "2027-04-03T14:45:00Z"); // +11
}

#[test]
fn what_is_not_a_wall_time_is_refused() {
    for text in [
        "",
        "2026-12-01",
        "09:00",
        "2026-12-01 9:00",
        "2026-13-01 09:00",
        "2026-02-29 09:00",
        "2026-12-01 24:00",
        "2026-12-01 09:00Z",
        "2026-12-01 09:00+09:00",
        "2026-12-01  09:00",
        "٢٠٢٦-12-01 09:00",
    ] {
        let error = LocalTime::parse(text, "UTC").unwrap_err();
        assert_eq!(error, LocalTimeError::Wall(text.to_owned()));
    }
    let error = LocalTime::parse("tomorrow", "UTC").unwrap_err().to_string();
    assert_eq!(
        error,
        "\"tomorrow\" is not a local time; expected YYYY-MM-DD HH:MM, such as 2026-12-01 09:00"
    );
}

#[test]
fn an_unknown_zone_is_refused_by_name() {
    for zone in ["", "Asia/Soul", "+09:00", "../etc/passwd"] {
        let error = LocalTime::parse("2026-12-01 09:00", zone).unwrap_err();
        assert_eq!(error, LocalTimeError::Zone(zone.to_owned()));
    }
}

#[test]
fn an_instant_beyond_the_calendar_is_refused() {
    let last = LocalTime::parse("9999-12-31 23:59", "America/New_York").unwrap();
    assert!(matches!(last.resolve(), Err(LocalTimeError::OutOfRange(_))));
}

#[test]
fn a_wish_is_stored_as_it_was_said() {
    let wish = LocalTime::parse("2026-12-01 09:00", "Asia/Seoul").unwrap();
    let json = serde_json::to_string(&wish).unwrap();
    assert_eq!(json, r#"{"wall":"2026-12-01 09:00:00","zone":"Asia/Seoul"}"#);
    assert_eq!(serde_json::from_str::<LocalTime>(&json).unwrap(), wish);
    assert_eq!(wish.to_string(), "2026-12-01 09:00:00 in Asia/Seoul");
}
