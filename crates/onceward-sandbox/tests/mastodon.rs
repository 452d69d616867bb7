//! The Mastodon family, as its documentation says it behaves.

mod support;

use std::time::Duration;

use onceward_sandbox::{Fault, Kind, Options, Sandbox};
use serde_json::{Value as Json, json};
use support::{Reply, get, post, sandbox, send, toot};

async fn own(sandbox: &Sandbox, server: &str) -> Vec<Json> {
    let account = get(sandbox, &format!("/{server}/api/v1/accounts/verify_credentials")).await.json();
    let id = account["id"].as_str().unwrap();
    let found = get(sandbox, &format!("/{server}/api/v1/accounts/{id}/statuses?limit=40")).await;
    found.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn a_key_gives_the_first_status_for_an_hour() {
    let sandbox = sandbox().await;
    let first = toot(&sandbox, "mastodon", "k", "one").await.json();
    assert_eq!(toot(&sandbox, "mastodon", "k", "another text").await.json()["id"], first["id"]);
    sandbox.advance(Duration::from_mins(59));
    assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.json()["id"], first["id"]);
    sandbox.advance(Duration::from_mins(2));
    assert_ne!(toot(&sandbox, "mastodon", "k", "one").await.json()["id"], first["id"]);
    assert_eq!(own(&sandbox, "mastodon").await.len(), 2);
}

#[tokio::test]
async fn a_key_belongs_to_its_account() {
    let sandbox = sandbox().await;
    toot(&sandbox, "mastodon", "k", "one").await;
    let headers = [("authorization", "Bearer other"), ("idempotency-key", "k")];
    let other = send(&sandbox, "POST", "/mastodon/api/v1/statuses", &headers, b"status=one").await;
    assert_eq!(other.status(), 200);
    assert_eq!(sandbox.ledger().visible("mastodon").count(), 2);
    assert_eq!(own(&sandbox, "mastodon").await.len(), 1);
}

#[tokio::test]
async fn a_repeated_key_can_be_an_error() {
    let sandbox = sandbox().await;
    sandbox.fault(Fault::new(Kind::RepeatError));
    assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.status(), 200);
    assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.status(), 500);
    assert_eq!(own(&sandbox, "mastodon").await.len(), 1);
}

#[tokio::test]
async fn pleroma_replays_whole_answers_and_gotosocial_knows_no_keys() {
    let sandbox = sandbox().await;
    let first = toot(&sandbox, "pleroma", "k", "").await;
    assert_eq!((first.status(), first.header("idempotent-replayed")), (422, None));
    let again = toot(&sandbox, "pleroma", "k", "a good text now").await;
    assert_eq!((again.status(), again.header("idempotent-replayed").as_deref()), (422, Some("true")));
    assert_eq!(toot(&sandbox, "pleroma", "k2", "text").await.status(), 200);
    sandbox.advance(Duration::from_hours(7));
    assert_eq!(toot(&sandbox, "pleroma", "k", "a good text now").await.status(), 200);

    toot(&sandbox, "gotosocial", "k", "text").await;
    toot(&sandbox, "gotosocial", "k", "text").await;
    assert_eq!(own(&sandbox, "gotosocial").await.len(), 2);

    for (server, version, most) in
        [("mastodon", "4.", 500), ("pleroma", "Pleroma", 5000), ("gotosocial", "git", 5000)]
    {
        let instance = get(&sandbox, &format!("/{server}/api/v2/instance")).await.json();
        assert!(instance["version"].as_str().unwrap().contains(version));
        assert_eq!(instance["configuration"]["statuses"]["max_characters"], most);
    }
}

#[tokio::test]
async fn texts_are_counted_by_the_server_itself() {
    let sandbox = sandbox().await;
    let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦".repeat(500);
    assert_eq!(toot(&sandbox, "mastodon", "1", &family).await.status(), 200);
    let link = format!("{} https://example.org/{}", "a".repeat(476), "b".repeat(300));
    assert_eq!(toot(&sandbox, "mastodon", "2", &link).await.status(), 200);
    let long = toot(&sandbox, "mastodon", "3", &"가".repeat(501)).await;
    assert_eq!(long.status(), 422);
    assert_eq!(long.json()["error"], "Validation failed: Text character limit of 500 exceeded");
}

#[tokio::test]
async fn answers_need_a_status_that_is_there() {
    let sandbox = sandbox().await;
    let parent = toot(&sandbox, "mastodon", "k", "one").await.json();
    let path = "/mastodon/api/v1/statuses";
    let reply = post(&sandbox, path, &json!({ "status": "two", "in_reply_to_id": parent["id"] })).await;
    assert_eq!(reply.json()["in_reply_to_id"], parent["id"]);
    let lost = post(&sandbox, path, &json!({ "status": "three", "in_reply_to_id": "123" })).await;
    assert_eq!(lost.status(), 404);
}

fn form(description: &str, bytes: &[u8]) -> Vec<u8> {
    let mut form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n{description}\r\n\
         --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
    )
    .into_bytes();
    form.extend_from_slice(bytes);
    form.extend_from_slice(b"\r\n--x--\r\n");
    form
}

async fn upload(sandbox: &Sandbox, description: &str, bytes: &[u8]) -> Reply {
    let headers = [("authorization", "Bearer a-token"), ("content-type", "multipart/form-data; boundary=x")];
    send(sandbox, "POST", "/mastodon/api/v2/media", &headers, &form(description, bytes)).await
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n rest";
const FILM: &[u8] = b"\0\0\0\x18ftypisom rest";

#[tokio::test]
async fn media_is_attached_once_it_is_ready_and_only_once() {
    let sandbox = sandbox().await;
    let picture = upload(&sandbox, "a beacon", PNG).await;
    assert_eq!((picture.status(), &picture.json()["description"]), (200, &json!("a beacon")));
    let film = upload(&sandbox, "", FILM).await;
    assert_eq!(film.status(), 202);
    let (picture, film) = (picture.json()["id"].clone(), film.json()["id"].clone());

    let path = format!("/mastodon/api/v1/media/{}", film.as_str().unwrap());
    let status = json!({ "status": "film", "media_ids": [film] });
    assert_eq!(get(&sandbox, &path).await.status(), 206);
    let early = post(&sandbox, "/mastodon/api/v1/statuses", &status).await;
    assert!(early.status() == 422 && early.body().contains("not finished processing"));
    sandbox.advance(Duration::from_secs(5));
    assert_eq!(get(&sandbox, &path).await.status(), 200);
    assert_eq!(post(&sandbox, "/mastodon/api/v1/statuses", &status).await.status(), 200);
    assert_eq!(post(&sandbox, "/mastodon/api/v1/statuses", &status).await.status(), 422);

    let both = json!({ "status": "", "media_ids": [picture] });
    let posted = post(&sandbox, "/mastodon/api/v1/statuses", &both).await.json();
    assert_eq!(posted["media_attachments"][0]["type"], "image");
    assert_eq!(upload(&sandbox, "", b"plain text").await.status(), 422);
    assert_eq!(upload(&sandbox, &"a".repeat(1501), PNG).await.status(), 422);
    let five = json!({ "status": "x", "media_ids": ["1", "2", "3", "4", "5"] });
    assert_eq!(post(&sandbox, "/mastodon/api/v1/statuses", &five).await.status(), 422);
}

#[tokio::test]
async fn a_slow_look_makes_a_picture_wait_too() {
    let sandbox = sandbox().await;
    sandbox.fault(Fault::new(Kind::SlowLook(30.0)).act("upload").times(1));
    assert_eq!(upload(&sandbox, "", PNG).await.status(), 202);
}

#[tokio::test]
async fn requests_are_limited_for_each_account_and_the_headers_count_down() {
    let sandbox = sandbox().await;
    let first = toot(&sandbox, "mastodon", "k", "one").await;
    assert_eq!(first.header("x-ratelimit-remaining").as_deref(), Some("299"));
    assert!(first.header("x-ratelimit-reset").unwrap().ends_with('Z'));
    for _ in 1..300 {
        assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.status(), 200);
    }
    let refused = toot(&sandbox, "mastodon", "k", "one").await;
    assert_eq!((refused.status(), refused.header("x-ratelimit-remaining").as_deref()), (429, Some("0")));
    sandbox.advance(Duration::from_mins(6));
    assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.status(), 200);
}

#[tokio::test]
async fn limits_can_be_left_out() {
    let mut options = Options::default();
    options.faults.limits = false;
    let sandbox = Sandbox::start(options).await.unwrap();
    for _ in 0..305 {
        assert_eq!(toot(&sandbox, "mastodon", "k", "one").await.status(), 200);
    }
}

#[tokio::test]
async fn nobody_posts_without_a_token() {
    let sandbox = sandbox().await;
    assert_eq!(send(&sandbox, "POST", "/mastodon/api/v1/statuses", &[], b"status=a").await.status(), 401);
    assert_eq!(get(&sandbox, "/mastodon/api/v1/accounts/1/statuses").await.status(), 404);
    assert_eq!(get(&sandbox, "/mastodon/api/v9/nothing").await.status(), 404);
    let link = toot(&sandbox, "mastodon", "k", "a <b>").await.json()["url"].as_str().unwrap().to_owned();
    let path = link.split_once("/mastodon").unwrap().1;
    assert_eq!(get(&sandbox, &format!("/mastodon{path}")).await.body(), "<p>a &lt;b&gt;</p>");
}
