use std::time::Duration;

use onceward::time::duration::{self, DurationError};
use proptest::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Keys {
    #[serde(with = "duration")]
    pause: Duration,
    #[serde(default, with = "duration::option")]
    max: Option<Duration>,
}

#[test]
fn each_unit_is_read_and_written_back() {
    for (text, millis) in [
        ("0s", 0),
        ("250ms", 250),
        ("30s", 30_000),
        ("10m", 600_000),
        ("1h", 3_600_000),
        ("3d", 259_200_000),
        ("1h30m", 5_400_000),
        ("90d", 7_776_000_000),
        ("1d2h3m4s5ms", 93_784_005),
    ] {
        let read = duration::parse(text);
        assert_eq!(read, Ok(Duration::from_millis(millis)), "{text}");
        assert_eq!(duration::format(Duration::from_millis(millis)), text);
    }
    assert_eq!(duration::format(Duration::from_mins(90)), "1h30m");
    assert_eq!(duration::parse("90m"), duration::parse("1h30m"));
}

#[test]
fn what_is_not_a_duration_is_refused_with_the_reason() {
    for text in
        ["", "m", "30x", "30m1h", "1m1m", "1h 30m", " 1h", "-1h", "1.5h", "+1h", "1M", "½h", "ms30", "\0"]
    {
        assert_eq!(duration::parse(text), Err(DurationError::Form(text.to_owned())), "{text:?}");
    }
    for text in ["30", "1h30"] {
        assert_eq!(duration::parse(text), Err(DurationError::NoUnit(text.to_owned())));
    }
    for text in ["99999999999999999999s", "99999999999999999d", "213503982d1000000000000h"] {
        assert_eq!(duration::parse(text), Err(DurationError::TooLong(text.to_owned())), "{text}");
    }
    let text = duration::parse("30").unwrap_err().to_string();
    assert_eq!(text, "\"30\" lacks a unit; expected one of d, h, m, s, ms after each number");
}

#[test]
fn fields_are_texts() {
    let keys: Keys = serde_json::from_str(r#"{"pause":"1h30m"}"#).unwrap();
    assert_eq!(keys, Keys { pause: Duration::from_mins(90), max: None });
    let keys = Keys { max: Some(Duration::from_secs(5)), ..keys };
    assert_eq!(serde_json::to_string(&keys).unwrap(), r#"{"pause":"1h30m","max":"5s"}"#);
    let null: Keys = serde_json::from_str(r#"{"pause":"1s","max":null}"#).unwrap();
    assert_eq!(null.max, None);
    let error = serde_json::from_str::<Keys>(r#"{"pause":"1s","max":"soon"}"#).unwrap_err();
    assert!(error.to_string().contains("\"soon\" is not a duration"), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(micros: u64) {
        let written = Duration::from_micros(micros);
        prop_assert_eq!(duration::parse(&duration::format(written)), Ok(written));
    }

    #[test]
    fn any_text_gets_an_answer(text in "[0-9dhmsu .\\PC]{0,24}") {
        if let Ok(read) = duration::parse(&text) {
            prop_assert_eq!(duration::parse(&duration::format(read)), Ok(read));
        }
    }
}
