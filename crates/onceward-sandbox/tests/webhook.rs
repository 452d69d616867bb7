//! The receiver of Standard Webhooks.

mod support;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use onceward_sandbox::{Sandbox, WEBHOOK_SECRET};
use sha2::Sha256;
use support::{Reply, sandbox, send};

/// Signed by the library that others use.
fn signature(time: i64, body: &[u8]) -> String {
    let secret = STANDARD.decode(WEBHOOK_SECRET.trim_start_matches("whsec_")).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
    mac.update(format!("msg_1.{time}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

async fn deliver(sandbox: &Sandbox, time: i64, signature: &str, body: &[u8]) -> Reply {
    let time = time.to_string();
    let headers =
        [("webhook-id", "msg_1"), ("webhook-timestamp", time.as_str()), ("webhook-signature", signature)];
    send(sandbox, "POST", "/webhook/in", &headers, body).await
}

const BODY: &[u8] = b"{\"text\":\"hi\"}";

#[tokio::test]
async fn what_is_signed_is_taken_once_a_day() {
    let sandbox = sandbox().await;
    let time = now();
    let signed = signature(time, BODY);
    let first = deliver(&sandbox, time, &format!("v1,bm90aGluZw== {signed}"), BODY).await;
    assert_eq!(first.status(), 200, "{}", first.text());
    let again = deliver(&sandbox, time, &signed, BODY).await;
    assert_eq!((again.status(), &again.json()["repeat"]), (200, &true.into()));
    let ledger = sandbox.ledger();
    assert_eq!((ledger.visible("webhook").count(), ledger.arrivals.len()), (1, 2));
    assert_eq!(ledger.visible("webhook").next().unwrap().text, "hi");
    sandbox.advance(Duration::from_hours(25));
    assert_eq!(deliver(&sandbox, time, &signed, BODY).await.status(), 200);
    assert_eq!(sandbox.ledger().visible("webhook").count(), 2);
}

#[tokio::test]
async fn what_is_not_signed_is_refused() {
    let sandbox = sandbox().await;
    let now = now();
    let signed = signature(now, BODY);
    assert_eq!(deliver(&sandbox, now, &signed, b"{\"text\":\"ho\"}").await.status(), 401);
    assert_eq!(deliver(&sandbox, now - 1, &signed, BODY).await.status(), 401);
    assert_eq!(deliver(&sandbox, now, &signed[..20], BODY).await.status(), 401);
    assert_eq!(deliver(&sandbox, now, "", BODY).await.status(), 401);
    assert_eq!(send(&sandbox, "POST", "/webhook/in", &[], b"{}").await.status(), 400);
    assert_eq!(send(&sandbox, "POST", "/webhook/in", &[("webhook-id", "a")], b"{}").await.status(), 401);
    for old in [now - 400, now + 400] {
        assert_eq!(deliver(&sandbox, old, &signature(old, BODY), BODY).await.status(), 400);
    }
    assert_eq!(sandbox.ledger().visible("webhook").count(), 0);
}
