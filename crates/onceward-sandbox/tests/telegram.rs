//! Telegram's Bot API, as its documentation says it behaves.

mod support;

use std::time::Duration;

use onceward_sandbox::{Fault, Kind, Options, Sandbox, Unit};
use serde_json::{Value as Json, json};
use support::{post, sandbox, send};

const TOKEN: &str = "123456:AAs3cret";

async fn call(sandbox: &Sandbox, method: &str, body: Json) -> Json {
    post(sandbox, &format!("/telegram/bot{TOKEN}/{method}"), &body).await.json()
}

async fn refused(sandbox: &Sandbox, method: &str, body: Json) -> String {
    let answer = call(sandbox, method, body).await;
    assert_eq!((&answer["ok"], &answer["error_code"]), (&json!(false), &json!(400)), "{answer}");
    answer["description"].as_str().unwrap().strip_prefix("Bad Request: ").unwrap().to_owned()
}

#[tokio::test]
async fn a_text_is_taken_with_its_entities_and_a_repeat_is_a_second_one() {
    let sandbox = sandbox().await;
    let entities = json!([{ "type": "bold", "offset": 0, "length": 2 }]);
    let body = json!({ "chat_id": "@news", "text": "🙂 hi", "entities": entities });
    let sent = call(&sandbox, "sendMessage", body.clone()).await;
    assert_eq!(
        (&sent["ok"], &sent["result"]["text"], &sent["result"]["entities"]),
        (&json!(true), &json!("🙂 hi"), &entities)
    );
    let again = call(&sandbox, "SENDMESSAGE", body).await;
    assert_ne!(sent["result"]["message_id"], again["result"]["message_id"]);
    assert_eq!(sent["result"]["chat"]["id"], again["result"]["chat"]["id"]);
    assert_eq!(sandbox.ledger().visible("telegram").count(), 2, "nothing tells a repeat");
    assert!(!format!("{:?}", sandbox.ledger()).contains("s3cret"));
}

#[tokio::test]
async fn lengths_are_counted_in_characters() {
    let sandbox = sandbox().await;
    let text = |count: usize| json!({ "chat_id": 7, "text": "🙂".repeat(count) });
    assert_eq!(call(&sandbox, "sendMessage", text(4096)).await["ok"], true);
    assert_eq!(refused(&sandbox, "sendMessage", text(4097)).await, "message is too long");
    assert_eq!(refused(&sandbox, "sendMessage", text(0)).await, "message text is empty");
    let caption = |count: usize| json!({ "chat_id": 7, "photo": "https://x.example/a.png", "caption": "가".repeat(count) });
    assert_eq!(call(&sandbox, "sendPhoto", caption(1024)).await["ok"], true);
    assert_eq!(refused(&sandbox, "sendPhoto", caption(1025)).await, "message caption is too long");
}

#[tokio::test]
async fn a_chat_and_a_parent_must_be_there() {
    let sandbox = sandbox().await;
    assert_eq!(refused(&sandbox, "sendMessage", json!({ "text": "a" })).await, "chat_id is empty");
    for chat in [json!(0), json!("@was_missing"), json!("nonsense")] {
        assert_eq!(
            refused(&sandbox, "sendMessage", json!({ "chat_id": chat, "text": "a" })).await,
            "chat not found"
        );
    }
    let moved = call(&sandbox, "sendMessage", json!({ "chat_id": -1, "text": "a" })).await;
    assert!(moved["parameters"]["migrate_to_chat_id"].is_i64(), "{moved}");
    let first =
        call(&sandbox, "sendMessage", json!({ "chat_id": 7, "text": "a" })).await["result"]["message_id"]
            .clone();
    let reply = |chat: i64, to: &Json| json!({ "chat_id": chat, "text": "b", "reply_parameters": { "message_id": to } });
    assert_eq!(call(&sandbox, "sendMessage", reply(7, &first)).await["ok"], true);
    assert_eq!(refused(&sandbox, "sendMessage", reply(8, &first)).await, "message to be replied not found");
    let chat = call(&sandbox, "getChat", json!({ "chat_id": "@news" })).await;
    assert_eq!((&chat["result"]["type"], &chat["result"]["username"]), (&json!("channel"), &json!("news")));
    assert_eq!(call(&sandbox, "getMe", json!({})).await["result"]["is_bot"], true);
}

#[tokio::test]
async fn pictures_go_as_files_of_a_form_and_an_album_is_one_thing_to_readers() {
    let sandbox = sandbox().await;
    let png = "\u{1}PNG\r\n\u{1a}\n....";
    let file = |name: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n{png}\r\n"
        )
    };
    let field = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let form = async |method: &str, parts: &[String]| {
        let mut body = (parts.concat() + "--x--\r\n").into_bytes();
        // The first byte of a PNG is not UTF-8.
        body.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = 0x89);
        let headers = [("content-type", "multipart/form-data; boundary=x")];
        send(&sandbox, "POST", &format!("/telegram/bot{TOKEN}/{method}"), &headers, &body).await.json()
    };
    let one = form("sendPhoto", &[field("chat_id", "7"), field("caption", "hi"), file("photo")]).await;
    assert_eq!((&one["ok"], &one["result"]["caption"]), (&json!(true), &json!("hi")), "{one}");
    let media =
        r#"[{"type":"photo","media":"attach://f0","caption":"both"},{"type":"photo","media":"attach://f1"}]"#;
    let album =
        form("sendMediaGroup", &[field("chat_id", "7"), field("media", media), file("f0"), file("f1")]).await;
    let messages = album["result"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[0]["caption"]), (2, &json!("both")), "{album}");
    assert_eq!(messages[0]["media_group_id"], messages[1]["media_group_id"]);
    assert_eq!(sandbox.ledger().visible("telegram").count(), 2);
    let lost = form("sendMediaGroup", &[field("chat_id", "7"), field("media", media), file("f0")]).await;
    assert_eq!(lost["description"], "Bad Request: there is no photo in the request");
    let single = json!([{ "type": "photo", "media": "https://x.example/a.png" }]);
    let refusal = refused(&sandbox, "sendMediaGroup", json!({ "chat_id": 7, "media": single })).await;
    assert!(refusal.contains("at least 2"), "{refusal}");
}

#[tokio::test]
async fn a_group_takes_twenty_messages_a_minute_and_the_wait_stands_in_the_body() {
    let sandbox = Sandbox::start(Options::default()).await.unwrap();
    let text = |chat: i64| json!({ "chat_id": chat, "text": "a" });
    for _ in 0..20 {
        assert_eq!(call(&sandbox, "sendMessage", text(-77)).await["ok"], true);
    }
    let full = call(&sandbox, "sendMessage", text(-77)).await;
    let wait = full["parameters"]["retry_after"].as_u64().unwrap();
    assert_eq!((&full["error_code"], (1..=60).contains(&wait)), (&json!(429), true), "{full}");
    assert_eq!(full["description"], format!("Too Many Requests: retry after {wait}"));
    assert_eq!(call(&sandbox, "sendMessage", text(7)).await["ok"], true, "other chats go on");
    sandbox.advance(Duration::from_secs(wait + 1));
    assert_eq!(call(&sandbox, "sendMessage", text(-77)).await["ok"], true);
}

#[tokio::test]
async fn a_bad_token_and_a_server_that_is_down_answer_as_they_do() {
    let sandbox = sandbox().await;
    for path in
        ["/telegram/bot/getMe", "/telegram/botnonsense/getMe", &format!("/telegram/bot{TOKEN}/nothing")]
    {
        assert_eq!(post(&sandbox, path, &json!({})).await.json()["error_code"], 404, "{path}");
    }
    sandbox.fault(Fault::new(Kind::RevokedToken).on("telegram").times(1));
    assert_eq!(call(&sandbox, "getMe", json!({})).await["description"], "Unauthorized");
    sandbox.fault(Fault::new(Kind::Refuse(502)).on("telegram").times(1));
    let down = post(&sandbox, &format!("/telegram/bot{TOKEN}/getMe"), &json!({})).await;
    assert!(down.status() == 502 && down.body().starts_with("<html>"), "{}", down.text());
}

#[tokio::test]
async fn a_wait_in_the_body_stands_among_the_parameters() {
    let sandbox = sandbox().await;
    sandbox.fault(Fault::new(Kind::RateLimit(7.0, Some(Unit::Body))).on("telegram"));
    let limited = call(&sandbox, "sendMessage", json!({ "chat_id": 7, "text": "a" })).await;
    assert_eq!((&limited["parameters"]["retry_after"], &limited["retry_after"]), (&json!(7), &Json::Null));
}
