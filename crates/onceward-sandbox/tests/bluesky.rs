//! The stand-in for Bluesky: what its server answers, as the real one was heard to.

mod support;

use std::time::Duration;

use onceward_sandbox::{Fault, Kind, Sandbox};
use serde_json::{Value as Json, json};
use support::{Reply, sandbox, send};

const RKEY: &str = "3jzfcijpj2z2a";

struct Account<'s> {
    sandbox: &'s Sandbox,
    did: String,
    access: String,
    refresh: String,
}

async fn procedure(sandbox: &Sandbox, name: &str, token: Option<&str>, body: &Json) -> Reply {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
    send(sandbox, "POST", &format!("/bluesky/xrpc/{name}"), &headers, body.to_string().as_bytes()).await
}

async fn query(sandbox: &Sandbox, name: &str) -> Reply {
    send(sandbox, "GET", &format!("/bluesky/xrpc/{name}"), &[], b"").await
}

async fn login(sandbox: &Sandbox) -> Account<'_> {
    let wish = json!({ "identifier": "alice.test", "password": "pw" });
    let made = procedure(sandbox, "com.atproto.server.createSession", None, &wish).await.json();
    let text = |key: &str| made[key].as_str().unwrap().to_owned();
    Account { sandbox, did: text("did"), access: text("accessJwt"), refresh: text("refreshJwt") }
}

impl Account<'_> {
    async fn call(&self, name: &str, body: &Json) -> Reply {
        procedure(self.sandbox, name, Some(&self.access), body).await
    }

    fn write(&self, rkey: &str, record: &Json, swap: bool) -> Json {
        let mut body =
            json!({ "repo": self.did, "collection": "app.bsky.feed.post", "rkey": rkey, "record": record });
        if swap {
            body["swapRecord"] = Json::Null;
        }
        body
    }

    async fn put(&self, record: &Json, swap: bool) -> Reply {
        self.call("com.atproto.repo.putRecord", &self.write(RKEY, record, swap)).await
    }

    async fn upload(&self, kind: &str, bytes: &[u8]) -> Json {
        let bearer = format!("Bearer {}", self.access);
        let headers = [("content-type", kind), ("authorization", bearer.as_str())];
        send(self.sandbox, "POST", "/bluesky/xrpc/com.atproto.repo.uploadBlob", &headers, bytes).await.json()
            ["blob"]
            .clone()
    }

    async fn look(&self) -> Reply {
        let place = format!("repo={}&collection=app.bsky.feed.post&rkey={RKEY}", self.did);
        query(self.sandbox, &format!("com.atproto.repo.getRecord?{place}")).await
    }
}

fn post(text: &str) -> Json {
    json!({ "$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-12-01T09:30:00.123Z" })
}

fn named(reply: &Reply) -> (u16, String) {
    (reply.status(), reply.json()["error"].as_str().unwrap_or_default().to_owned())
}

fn is(status: u16, name: &str) -> (u16, String) {
    (status, name.to_owned())
}

#[tokio::test]
async fn a_record_is_written_once_and_never_over_another_when_nothing_may_be_there() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    let first = alice.put(&post("one"), true).await;
    assert_eq!((first.status(), first.json().get("commit").is_some()), (200, true));
    let again = alice.put(&post("one"), true).await;
    assert_eq!(
        (again.status(), again.json().get("commit").is_some()),
        (200, false),
        "the same again changes nothing"
    );
    assert_eq!(again.json()["cid"], first.json()["cid"]);
    assert_eq!(named(&alice.put(&post("two"), true).await), is(400, "InvalidSwap"));
    let create = alice.write(RKEY, &post("two"), false);
    assert_eq!(
        named(&alice.call("com.atproto.repo.createRecord", &create).await),
        is(500, "InternalServerError")
    );
    assert_eq!(alice.look().await.json()["value"]["text"], "one");
    assert_eq!(sandbox.ledger().visible("bluesky").count(), 1);
    assert_eq!(alice.put(&post("two"), false).await.status(), 200, "without it, it is an edit");
    assert_eq!(alice.look().await.json()["value"]["text"], "two");
}

#[tokio::test]
async fn a_deleted_record_is_gone_until_it_is_made_again() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    alice.put(&post("one"), true).await;
    let place = alice.write(RKEY, &Json::Null, false);
    for commit in [true, false] {
        let deleted = alice.call("com.atproto.repo.deleteRecord", &place).await;
        assert_eq!((deleted.status(), deleted.json().get("commit").is_some()), (200, commit));
    }
    assert_eq!(named(&alice.look().await), is(400, "RecordNotFound"));
    alice.put(&post("one"), true).await;
    assert_eq!(alice.look().await.status(), 200);
    assert_eq!(sandbox.ledger().visible("bluesky").count(), 2, "readers saw it twice");
}

#[tokio::test]
async fn what_the_lexicon_forbids_is_refused_in_the_servers_words() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    let refused = async |record: Json, words: &str| {
        let reply = alice.put(&record, true).await;
        assert_eq!(named(&reply), is(400, "InvalidRequest"));
        assert!(reply.json()["message"].as_str().unwrap().contains(words), "{}", reply.text());
    };
    refused(post(&"가".repeat(301)), "grapheme too big (maximum 300, got 301)").await;
    refused(post(&"👨‍👩‍👧‍👦".repeat(121)), "string too big (maximum 3000, got 3025)").await;
    let mut odd = post("a");
    odd["createdAt"] = "bad".into();
    refused(odd, "Invalid datetime (got \"bad\") at $.record.createdAt").await;
    let key = alice.call("com.atproto.repo.putRecord", &alice.write("my-key", &post("a"), true)).await;
    assert!(key.json()["message"].as_str().unwrap().contains("Invalid TID string"), "{}", key.text());
    assert_eq!(alice.put(&post(&"👨‍👩‍👧‍👦".repeat(120)), true).await.status(), 200);
}

#[tokio::test]
async fn pictures_are_judged_when_a_post_shows_them() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    let showing = |blobs: &[&Json]| {
        let images: Vec<_> = blobs.iter().map(|blob| json!({ "alt": "", "image": blob })).collect();
        let mut record = post("a");
        record["embed"] = json!({ "$type": "app.bsky.embed.images", "images": images });
        record
    };
    let blob = alice.upload("image/png", b"small").await;
    assert_eq!(alice.upload("image/png", b"small").await, blob, "the same bytes are the same blob");
    let large = alice.upload("image/png", &vec![7; 2_000_001]).await;
    let mut lost = blob.clone();
    lost["ref"]["$link"] = "bafkreiaaa".into();
    let mut other = blob.clone();
    other["mimeType"] = "image/jpeg".into();
    assert_eq!(named(&alice.put(&showing(&[&large]), true).await), is(400, "BlobTooLarge"));
    assert_eq!(named(&alice.put(&showing(&[&lost]), true).await), is(400, "BlobNotFound"));
    assert_eq!(named(&alice.put(&showing(&[&other]), true).await), is(400, "InvalidMimeType"));
    assert_eq!(named(&alice.put(&showing(&[&blob; 5]), true).await), is(400, "InvalidRequest"));
    assert_eq!(alice.put(&showing(&[&blob; 4]), true).await.status(), 200);
}

#[tokio::test]
async fn sessions_end_and_are_renewed() {
    let sandbox = sandbox().await;
    let mut alice = login(&sandbox).await;
    let nobody = procedure(&sandbox, "com.atproto.repo.putRecord", None, &json!({})).await;
    assert_eq!(named(&nobody), is(401, "AuthMissing"));
    let empty = json!({ "identifier": "alice.test", "password": "" });
    let wrong = procedure(&sandbox, "com.atproto.server.createSession", None, &empty).await;
    assert_eq!(named(&wrong), is(401, "AuthenticationRequired"));
    sandbox.advance(Duration::from_hours(2));
    assert_eq!(named(&alice.put(&post("a"), true).await), is(400, "ExpiredToken"));
    let refresh = async |token: &str| {
        procedure(&sandbox, "com.atproto.server.refreshSession", Some(token), &json!({})).await
    };
    assert_eq!(named(&refresh(&alice.access).await), is(400, "InvalidToken"));
    let renewed = refresh(&alice.refresh).await.json();
    assert_eq!(renewed["did"], alice.did.as_str());
    alice.access = renewed["accessJwt"].as_str().unwrap().to_owned();
    assert_eq!(alice.put(&post("a"), true).await.status(), 200);
    alice.access = "made.up.token".to_owned();
    assert_eq!(named(&alice.put(&post("a"), true).await), is(400, "InvalidToken"));
}

#[tokio::test]
async fn thirty_logins_in_five_minutes_are_the_most_and_the_end_of_the_wait_is_an_instant() {
    let sandbox = sandbox().await;
    for _ in 0..30 {
        login(&sandbox).await;
    }
    let wish = json!({ "identifier": "alice.test", "password": "pw" });
    let limited = procedure(&sandbox, "com.atproto.server.createSession", None, &wish).await;
    assert_eq!(named(&limited), is(429, "RateLimitExceeded"));
    assert_eq!(limited.header("retry-after"), None);
    let reset: i64 = limited.header("ratelimit-reset").unwrap().parse().unwrap();
    assert!(reset * 1_000_000 > sandbox.now() && reset * 1_000_000 <= sandbox.now() + 300_000_000);
    sandbox.advance(Duration::from_mins(5));
    login(&sandbox).await;
}

#[tokio::test]
async fn faults_speak_the_servers_language() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    for (kind, status, name) in [
        (Kind::AcceptThenStatus(500), 500, "InternalServerError"),
        (Kind::Duplicate { accept: false }, 400, "InvalidSwap"),
        (Kind::ExpiredToken, 400, "ExpiredToken"),
        (Kind::RevokedToken, 400, "InvalidToken"),
        (Kind::RateLimit(7.0, None), 429, "RateLimitExceeded"),
    ] {
        sandbox.fault(Fault::new(kind).on("bluesky").act("post").times(1));
        assert_eq!(named(&alice.put(&post("a"), true).await), is(status, name));
    }
    sandbox.fault(Fault::new(Kind::RevokedToken).on("bluesky").act("login").times(1));
    let wish = json!({ "identifier": "alice.test", "password": "pw" });
    let login = procedure(&sandbox, "com.atproto.server.createSession", None, &wish).await;
    assert_eq!(named(&login), is(401, "AuthenticationRequired"));
    assert_eq!(sandbox.ledger().visible("bluesky").count(), 1);
}

#[tokio::test]
async fn handles_are_resolved_and_nobodys_is_not() {
    let sandbox = sandbox().await;
    let alice = login(&sandbox).await;
    let resolve = async |handle: &str| {
        query(&sandbox, &format!("com.atproto.identity.resolveHandle?handle={handle}")).await
    };
    assert_eq!(resolve("alice.test").await.json()["did"], alice.did.as_str());
    assert_eq!(named(&resolve("nobody.test").await), is(400, "InvalidRequest"));
}
