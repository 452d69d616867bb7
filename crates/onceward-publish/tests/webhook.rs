//! Signatures by the words of the Standard Webhooks specification.

use onceward_db::Time;
use onceward_publish::channels::webhook::{
    Attached, Headers, Key, KeyError, Published, VerifyError, body, sign, verify,
};
use onceward_publish::media::MediaType;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const AT: i64 = 1_614_265_330;
const BODY: &[u8] = br#"{"test": 2432232314}"#;
const GOOD: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

fn key() -> Key {
    Key::parse(SECRET).unwrap()
}

fn at(seconds: i64) -> Time {
    Time::from_micros(seconds * 1_000_000)
}

fn checked(signature: &str) -> Result<(), VerifyError> {
    verify(&key(), Headers { id: ID, timestamp: "1614265330", signature }, BODY, at(AT))
}

#[test]
fn the_published_vector_is_reproduced() {
    assert_eq!(sign(&key(), ID, AT, BODY), GOOD);
    assert_eq!(checked(GOOD), Ok(()));
}

#[test]
fn one_good_signature_among_several_is_enough() {
    let other = sign(&Key::parse("another secret").unwrap(), ID, AT, BODY);
    assert_eq!(checked(&format!("{other} {GOOD}")), Ok(()));
    assert_eq!(checked(&format!("v1a,AAAA {GOOD} {other}")), Ok(()));
    assert_eq!(checked(&other), Err(VerifyError::Signature));
}

#[test]
fn a_truncated_signature_is_refused() {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    let whole = base64.decode(&GOOD[3..]).unwrap();
    for length in 0..whole.len() {
        let short = format!("v1,{}", base64.encode(&whole[..length]));
        assert_eq!(checked(&short), Err(VerifyError::Signature), "{length} bytes");
    }
    let long = format!("v1,{}", base64.encode([whole.as_slice(), &[0]].concat()));
    assert_eq!(checked(&long), Err(VerifyError::Signature));
}

#[test]
fn every_changed_bit_is_refused() {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    let whole = base64.decode(&GOOD[3..]).unwrap();
    for bit in 0..whole.len() * 8 {
        let mut wrong = whole.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(
            checked(&format!("v1,{}", base64.encode(wrong))),
            Err(VerifyError::Signature),
            "bit {bit}"
        );
    }
}

#[test]
fn empty_foreign_and_malformed_signatures_are_refused() {
    let code = &GOOD[3..];
    for signature in [
        "",
        " ",
        "v1,",
        "v1",
        code,
        "v1, ",
        &format!("v2,{code}"),
        &format!("v1a,{code}"),
        &format!("V1,{code}"),
        &format!("v1 {code}"),
        &format!("v1,{code}x"),
        "v1,!!!",
    ] {
        assert_eq!(checked(signature), Err(VerifyError::Signature), "{signature:?}");
    }
}

#[test]
fn id_timestamp_and_body_are_all_signed() {
    let good = Headers { id: ID, timestamp: "1614265330", signature: GOOD };
    let now = at(AT);
    assert_eq!(verify(&key(), good, BODY, now), Ok(()));
    assert_eq!(verify(&key(), good, b"{}", now), Err(VerifyError::Signature));
    assert_eq!(verify(&key(), Headers { id: "msg_2", ..good }, BODY, now), Err(VerifyError::Signature));
    assert_eq!(
        verify(&key(), Headers { timestamp: "1614265331", ..good }, BODY, now),
        Err(VerifyError::Signature)
    );
    assert_eq!(verify(&key(), Headers { timestamp: "soon", ..good }, BODY, now), Err(VerifyError::Timestamp));
    assert_eq!(verify(&key(), Headers { timestamp: "", ..good }, BODY, now), Err(VerifyError::Timestamp));
}

#[test]
fn five_minutes_either_way_are_allowed_and_not_a_second_more() {
    let good = Headers { id: ID, timestamp: "1614265330", signature: GOOD };
    for (now, expected) in [
        (AT - 300, Ok(())),
        (AT + 300, Ok(())),
        (AT - 301, Err(VerifyError::TooNew)),
        (AT + 301, Err(VerifyError::TooOld)),
    ] {
        assert_eq!(verify(&key(), good, BODY, at(now)), expected, "{now}");
    }
    let far = Headers { timestamp: "9223372036854775807", ..good };
    assert_eq!(verify(&key(), far, BODY, at(AT)), Err(VerifyError::TooNew));
}

#[test]
fn a_secret_is_base64_after_its_prefix_and_raw_without_it() {
    use base64::Engine as _;
    let coded = format!("whsec_{}", base64::engine::general_purpose::STANDARD.encode("a raw secret"));
    assert_eq!(
        sign(&Key::parse(&coded).unwrap(), ID, AT, BODY),
        sign(&Key::parse("a raw secret").unwrap(), ID, AT, BODY)
    );
    assert_eq!(Key::parse("whsec_***").unwrap_err(), KeyError::NotBase64);
    assert_eq!(Key::parse("whsec_").unwrap_err(), KeyError::Empty);
    assert_eq!(Key::parse("  ").unwrap_err(), KeyError::Empty);
}

#[test]
fn a_secret_never_shows() {
    let shown = format!("{:?}", Key::parse("topsecret").unwrap());
    assert!(!shown.contains("topsecret") && !shown.contains("116"), "{shown}");
}

#[test]
fn the_body_has_the_documented_shape() {
    let published = Published {
        id: "posts/a".into(),
        title: None,
        text: "Hello".into(),
        html: "<p>Hello</p>".into(),
        link: Some("https://example.org/".into()),
        tags: vec!["rust".into()],
        media: vec![Attached { sha256: "ab".into(), kind: MediaType::Png, alt: Some("A hill".into()) }],
        alert: false,
    };
    let found: serde_json::Value = serde_json::from_slice(&body(&published, at(AT))).unwrap();
    let expected = serde_json::json!({
        "type": "content.published",
        "timestamp": "2021-02-25T15:02:10Z",
        "data": {
            "id": "posts/a", "title": null, "text": "Hello", "html": "<p>Hello</p>",
            "link": "https://example.org/", "tags": ["rust"],
            "media": [{"sha256": "ab", "type": "image/png", "alt": "A hill"}],
        },
    });
    assert_eq!(found, expected);
    assert_eq!(body(&published, at(AT)), body(&published, at(AT)));
}
