//! Slack, as its documentation says it behaves.

mod support;

use onceward_sandbox::{Fault, Kind, Sandbox};
use serde_json::{Value as Json, json};
use support::{get, post, sandbox, send};

async fn say(sandbox: &Sandbox, body: Json) -> Json {
    post(sandbox, "/slack/chat.postMessage", &body).await.json()
}

async fn history(sandbox: &Sandbox, channel: &str, more: &str) -> Json {
    let reply = get(sandbox, &format!("/slack/conversations.history?channel={channel}{more}")).await;
    assert_eq!(reply.status(), 200);
    reply.json()
}

#[tokio::test]
async fn a_message_is_found_by_its_metadata() {
    let sandbox = sandbox().await;
    let metadata = json!({ "event_type": "onceward", "event_payload": { "key": "k1" } });
    let sent = say(&sandbox, json!({ "channel": "#general", "text": "hi", "metadata": metadata })).await;
    assert_eq!(sent["ok"], true);
    let channel = sent["channel"].as_str().unwrap();
    let found = history(&sandbox, channel, "&include_all_metadata=true").await;
    assert_eq!(found["messages"][0]["metadata"], metadata);
    assert_eq!(found["messages"][0]["ts"], sent["ts"]);
    assert!(history(&sandbox, channel, "").await["messages"][0].get("metadata").is_none());
    // Nothing tells a repeat.
    say(&sandbox, json!({ "channel": "#general", "text": "hi", "metadata": metadata })).await;
    assert_eq!(history(&sandbox, channel, "").await["messages"].as_array().unwrap().len(), 2);
    let ts = sent["ts"].as_str().unwrap();
    let later = history(&sandbox, channel, &format!("&oldest={ts}")).await;
    assert_eq!(later["messages"].as_array().unwrap().len(), 1);
    let both = history(&sandbox, channel, &format!("&oldest={ts}&inclusive=true&limit=1")).await;
    assert_eq!((both["messages"].as_array().unwrap().len(), &both["has_more"]), (1, &json!(true)));
    let cursor = both["response_metadata"]["next_cursor"].as_str().unwrap();
    let rest =
        history(&sandbox, channel, &format!("&oldest={ts}&inclusive=true&limit=1&cursor={cursor}")).await;
    assert_eq!((&rest["messages"][0]["ts"], &rest["has_more"]), (&sent["ts"], &json!(false)));

    let link =
        get(&sandbox, &format!("/slack/chat.getPermalink?channel={channel}&message_ts={ts}")).await.json();
    let link = link["permalink"].as_str().unwrap().split_once("/slack").unwrap().1.to_owned();
    assert_eq!(get(&sandbox, &format!("/slack{link}")).await.body(), "hi");
}

#[tokio::test]
async fn errors_come_with_200() {
    let sandbox = sandbox().await;
    for (body, error) in [
        (json!({ "channel": "#missing-room", "text": "hi" }), "channel_not_found"),
        (json!({ "text": "hi" }), "channel_not_found"),
        (json!({ "channel": "#a", "text": " " }), "no_text"),
        (json!({ "channel": "#a", "text": "a", "thread_ts": "1.2" }), "thread_not_found"),
        (json!({ "channel": "#a", "text": "a", "metadata": { "x": 1 } }), "invalid_metadata_format"),
        (json!({ "channel": "#a", "text": "a", "blocks": "[" }), "invalid_blocks"),
    ] {
        let answer = say(&sandbox, body).await;
        assert_eq!((&answer["ok"], &answer["error"]), (&json!(false), &json!(error)));
    }
    let reply = send(&sandbox, "POST", "/slack/auth.test", &[], b"").await;
    assert_eq!((reply.status(), &reply.json()["error"]), (200, &json!("not_authed")));
    assert_eq!(post(&sandbox, "/slack/auth.test", &json!({})).await.json()["user"], "rehearsal");
    assert_eq!(history(&sandbox, "general", "").await["error"], "channel_not_found");
    for (kind, status, error) in [
        (Kind::RevokedToken, 200, "token_revoked"),
        (Kind::ExpiredToken, 200, "token_expired"),
        (Kind::RateLimit(3.0, None), 429, "ratelimited"),
        (Kind::AcceptThenStatus(200), 200, "internal_error"),
    ] {
        sandbox.fault(Fault::new(kind).times(1));
        let reply = post(&sandbox, "/slack/chat.postMessage", &json!({ "channel": "#a", "text": "a" })).await;
        assert_eq!((reply.status(), &reply.json()["error"]), (status, &json!(error)));
    }
    assert_eq!(sandbox.ledger().visible("slack").count(), 1);
}

#[tokio::test]
async fn a_long_text_becomes_several_messages() {
    let sandbox = sandbox().await;
    let sent = say(&sandbox, json!({ "channel": "#a", "text": "가".repeat(4001) })).await;
    assert_eq!(sent["ok"], true);
    let lengths: Vec<_> = sandbox.ledger().visible("slack").map(|it| it.text.chars().count()).collect();
    assert_eq!(lengths, [4000, 1]);
}

#[tokio::test]
async fn answers_stand_in_their_thread_only() {
    let sandbox = sandbox().await;
    let root = say(&sandbox, json!({ "channel": "#a", "text": "root" })).await;
    let (channel, ts) = (root["channel"].as_str().unwrap(), root["ts"].as_str().unwrap());
    let answer = say(&sandbox, json!({ "channel": channel, "text": "answer", "thread_ts": ts })).await;
    assert_eq!(answer["message"]["thread_ts"], ts);
    assert_eq!(history(&sandbox, channel, "").await["messages"].as_array().unwrap().len(), 1);
    let thread =
        get(&sandbox, &format!("/slack/conversations.replies?channel={channel}&ts={ts}")).await.json();
    let texts: Vec<_> = thread["messages"].as_array().unwrap().iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["root", "answer"]);
}

#[tokio::test]
async fn a_file_goes_in_three_steps() {
    let sandbox = sandbox().await;
    let begun =
        get(&sandbox, "/slack/files.getUploadURLExternal?filename=a.png&length=5&alt_txt=b").await.json();
    let (url, id) = (begun["upload_url"].as_str().unwrap(), begun["file_id"].clone());
    let path = format!("/slack{}", url.split_once("/slack").unwrap().1);
    let image = json!([{ "type": "image", "slack_file": { "id": id }, "alt_text": "b" }]);
    let show = json!({ "channel": "#a", "text": "a", "blocks": image });
    let files = json!({ "files": [{ "id": id }] });
    assert_eq!(post(&sandbox, "/slack/files.completeUploadExternal", &files).await.json()["ok"], false);
    assert_eq!(send(&sandbox, "POST", &path, &[], b"four").await.status(), 400);
    assert_eq!(send(&sandbox, "POST", &path, &[], b"bytes").await.body(), "OK - 5");
    assert_eq!(say(&sandbox, show.clone()).await["error"], "invalid_blocks");
    assert_eq!(post(&sandbox, "/slack/files.completeUploadExternal", &files).await.json()["ok"], true);
    assert_eq!(say(&sandbox, show).await["ok"], true);
    assert_eq!(sandbox.ledger().visible("slack").count(), 1);
    let shared = json!({ "files": [{ "id": id }], "channel_id": "#a", "initial_comment": "look" });
    post(&sandbox, "/slack/files.completeUploadExternal", &shared).await;
    let ledger = sandbox.ledger();
    assert_eq!(ledger.visible("slack").last().unwrap().text, "look");
    assert_eq!(ledger.arrived("slack", "post").count(), 3);
}

#[tokio::test]
async fn a_hook_answers_in_words() {
    let sandbox = sandbox().await;
    let path = "/slack/hook/T1/B1/secret";
    assert_eq!(post(&sandbox, path, &json!({ "text": "hi" })).await.body(), "ok");
    assert_eq!(post(&sandbox, path, &json!({ "text": "" })).await.body(), "no_text");
    assert_eq!(send(&sandbox, "POST", path, &[], b"text").await.body(), "invalid_payload");
    let ledger = sandbox.ledger();
    assert_eq!((ledger.visible("slack").count(), ledger.arrived("slack", "hook").count()), (1, 3));
    assert!(!format!("{ledger:?}").contains("secret"));
}

#[tokio::test]
async fn a_hook_has_faults_in_words_too() {
    let path = "/slack/hook/T1/B1/secret";
    for (kind, status, words) in [
        (Kind::RevokedToken, 404, "no_service"),
        (Kind::ExpiredToken, 403, "invalid_token"),
        (Kind::Duplicate { accept: true }, 500, "rollup_error"),
        (Kind::RateLimit(7.0, None), 429, "rate_limited"),
    ] {
        let sandbox = sandbox().await;
        sandbox.fault(Fault::new(kind).on("slack").act("hook"));
        let reply = post(&sandbox, path, &json!({ "text": "hi" })).await;
        assert_eq!((reply.status(), reply.body().as_str()), (status, words), "{kind:?}");
    }
}
