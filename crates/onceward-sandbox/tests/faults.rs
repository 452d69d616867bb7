//! Each fault does what it says, seen from a plain client.

mod support;

use std::time::Duration;

use onceward_sandbox::{Fault, Kind, Unit};
use support::{End, get, met, post, sandbox, send, toot};

#[tokio::test]
async fn what_is_accepted_first_is_there_whatever_the_answer() {
    let (reply, accepted, _) = met(Fault::new(Kind::AcceptThenHang)).await;
    assert_eq!((reply.end, reply.bytes.len(), accepted), (End::Silent, 0, 1));

    let (reply, accepted, _) = met(Fault::new(Kind::AcceptThenReset)).await;
    assert_eq!((reply.end, reply.bytes.len(), accepted), (End::Reset, 0, 1));

    let (reply, accepted, _) = met(Fault::new(Kind::AcceptThenStatus(500))).await;
    assert_eq!((reply.status(), accepted), (500, 1));

    let (reply, accepted, _) = met(Fault::new(Kind::Duplicate { accept: true })).await;
    assert_eq!((reply.status(), accepted), (500, 1));
}

#[tokio::test]
async fn an_answer_is_cut_at_the_byte_that_was_asked_for() {
    let (whole, _, _) = met(Fault::new(Kind::SlowLook(0.0))).await;
    for at in [0, 1, 40, whole.bytes.len() - 1] {
        let (reply, accepted, _) = met(Fault::new(Kind::AcceptThenCut(at as u64))).await;
        assert_eq!((reply.bytes.len(), accepted), (at, 1));
        assert_ne!(reply.end, End::Silent);
    }
}

#[tokio::test]
async fn a_slow_answer_comes_byte_by_byte() {
    let (reply, accepted, _) = met(Fault::new(Kind::SlowLoris(60.0))).await;
    assert_eq!((reply.end, reply.bytes.len(), accepted), (End::Silent, 0, 1));
    let (reply, _, _) = met(Fault::new(Kind::SlowLoris(0.002))).await;
    assert_eq!(reply.status(), 200);
    assert!(reply.pieces > 50 && reply.end == End::Closed, "{} pieces", reply.pieces);
}

#[tokio::test]
async fn what_is_refused_first_is_not_there() {
    let (reply, accepted, _) = met(Fault::new(Kind::Refuse(503))).await;
    assert_eq!((reply.status(), accepted), (503, 0));
    assert!(reply.json()["error"].is_string());

    let (reply, accepted, _) = met(Fault::new(Kind::Hang)).await;
    assert_eq!((reply.end, reply.bytes.len(), accepted), (End::Silent, 0, 0));

    let (reply, accepted, _) = met(Fault::new(Kind::Reset)).await;
    assert_eq!((reply.end, accepted), (End::Reset, 0));

    let (reply, accepted, _) = met(Fault::new(Kind::Duplicate { accept: false })).await;
    assert_eq!((reply.status(), accepted), (500, 0));

    let (reply, accepted, _) = met(Fault::new(Kind::ExpiredToken)).await;
    assert_eq!((reply.status(), accepted), (401, 0));
    assert!(reply.body().contains("expired"));

    let (reply, accepted, _) = met(Fault::new(Kind::RevokedToken)).await;
    assert_eq!((reply.status(), accepted), (401, 0));
    assert!(reply.body().contains("revoked"));
}

#[tokio::test]
async fn arrivals_are_counted_apart_from_acceptances() {
    let sandbox = sandbox().await;
    sandbox.fault(Fault::new(Kind::Refuse(503)).on("mastodon").act("post").times(1));
    toot(&sandbox, "mastodon", "k", "text").await;
    toot(&sandbox, "mastodon", "k", "text").await;
    toot(&sandbox, "mastodon", "k", "text").await;
    let ledger = sandbox.ledger();
    let arrivals: Vec<_> = ledger.arrived("mastodon", "post").collect();
    let seen: Vec<_> =
        arrivals.iter().map(|it| (it.status, it.fault.as_deref(), it.accepted.len())).collect();
    assert_eq!(seen, [(Some(503), Some("refuse"), 0), (Some(200), None, 1), (Some(200), None, 0)]);
    let accepted = ledger.visible("mastodon").next().unwrap();
    assert_eq!((accepted.key.as_deref(), accepted.text.as_str()), (Some("k"), "text"));
    assert_eq!(accepted.body_hash, arrivals[1].body_hash);
    assert!(!format!("{ledger:?}").contains("a-token"));
}

#[tokio::test]
async fn a_wait_is_told_in_each_unit() {
    let limited = async |unit| {
        let (reply, accepted, sandbox) = met(Fault::new(Kind::RateLimit(90.0, unit))).await;
        assert_eq!((reply.status(), accepted), (429, 0));
        (reply, sandbox.now() / 1_000_000)
    };
    let after = |reply: &support::Reply| reply.header("retry-after").unwrap();
    let reset = |reply: &support::Reply| reply.header("x-ratelimit-reset").unwrap();
    assert_eq!(after(&limited(Some(Unit::Seconds)).await.0), "90");
    assert_eq!(after(&limited(Some(Unit::Float)).await.0), "90.000");
    assert!(after(&limited(Some(Unit::HttpDate)).await.0).ends_with(" GMT"));
    let (reply, now) = limited(Some(Unit::Epoch)).await;
    assert!((88..=92).contains(&(reset(&reply).parse::<i64>().unwrap() - now)), "{}", reply.text());
    assert!(reset(&limited(Some(Unit::Iso)).await.0).contains('T'));
    assert_eq!(limited(Some(Unit::Body)).await.0.json()["retry_after"], 90.0);
    // Mastodon's own way is an ISO time.
    assert!(reset(&limited(None).await.0).contains('T'));
}

#[tokio::test]
async fn a_slow_look_up_misses_what_is_there_until_its_time() {
    let sandbox = sandbox().await;
    let account = get(&sandbox, "/mastodon/api/v1/accounts/verify_credentials").await.json();
    let path = format!("/mastodon/api/v1/accounts/{}/statuses", account["id"].as_str().unwrap());
    sandbox.fault(Fault::new(Kind::SlowLook(60.0)).act("post").times(1));
    toot(&sandbox, "mastodon", "a", "slow").await;
    toot(&sandbox, "mastodon", "b", "quick").await;
    let seen = get(&sandbox, &path).await.json();
    assert_eq!((seen.as_array().unwrap().len(), &seen[0]["content"]), (1, &"<p>quick</p>".into()));
    sandbox.advance(Duration::from_secs(61));
    assert_eq!(get(&sandbox, &path).await.json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_door_does_what_the_handle_does() {
    let sandbox = sandbox().await;
    let fault = serde_json::json!({ "kind": "refuse", "status": 502, "act": "post", "times": 1 });
    assert_eq!(post(&sandbox, "/-/faults", &fault).await.status(), 200);
    assert_eq!(get(&sandbox, "/-/faults").await.json()[0]["status"], 502);
    assert_eq!(toot(&sandbox, "mastodon", "k", "text").await.status(), 502);
    post(&sandbox, "/-/faults", &serde_json::json!([fault, fault])).await;
    assert_eq!(send(&sandbox, "DELETE", "/-/faults", &[], b"").await.status(), 200);
    assert_eq!(toot(&sandbox, "mastodon", "k", "text").await.status(), 200);
    let ledger = get(&sandbox, "/-/ledger").await.json();
    assert_eq!(ledger["arrivals"].as_array().unwrap().len(), 2);
    assert_eq!(ledger["accepted"][0]["text"], "text");

    let before = sandbox.now();
    post(&sandbox, "/-/advance", &serde_json::json!({ "seconds": 3600 })).await;
    assert!(sandbox.now() - before >= 3_600_000_000);
    for (path, body) in [
        ("/-/faults", serde_json::json!({ "kind": "hnag" })),
        ("/-/advance", serde_json::json!({ "seconds": -1 })),
        ("/-/advance", serde_json::json!({ "minutes": 1 })),
    ] {
        assert_eq!(post(&sandbox, path, &body).await.status(), 400, "{path} {body}");
    }
    assert!(
        post(&sandbox, "/-/faults", &serde_json::json!({ "kind": "hnag" })).await.body().contains("hnag")
    );
}
