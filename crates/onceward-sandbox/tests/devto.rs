//! The stand-in for dev.to: what it takes, what it refuses, and when it can be seen.

mod support;

use std::time::Duration;

use onceward_sandbox::{Fault, Kind, Sandbox};
use serde_json::{Value as Json, json};
use support::{Reply, sandbox, send};

const AGENT: (&str, &str) = ("user-agent", "rehearsal/1");

async fn call(sandbox: &Sandbox, method: &str, path: &str, body: &Json) -> Reply {
    // One change in a second is taken.
    sandbox.advance(Duration::from_secs(2));
    let headers = [AGENT, ("api-key", "a-key"), ("content-type", "application/json")];
    send(sandbox, method, &format!("/devto/api{path}"), &headers, body.to_string().as_bytes()).await
}

fn article(title: &str, published: bool) -> Json {
    json!({ "article": { "title": title, "body_markdown": format!("Text of {title}"), "published": published } })
}

async fn refused(sandbox: &Sandbox, body: &Json) -> String {
    let reply = call(sandbox, "POST", "/articles", body).await;
    assert_eq!(reply.status(), 422, "{}", reply.text());
    reply.json()["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_draft_is_seen_by_nobody_until_it_is_published() {
    let sandbox = sandbox().await;
    let draft = call(&sandbox, "POST", "/articles", &article("One", false)).await;
    assert_eq!(draft.status(), 201);
    let id = draft.json()["id"].as_u64().unwrap();
    assert_eq!(sandbox.ledger().visible("devto").count(), 0);
    assert_eq!(call(&sandbox, "GET", &format!("/articles/{id}"), &Json::Null).await.status(), 404);
    let all = call(&sandbox, "GET", "/articles/me/all", &Json::Null).await.json();
    assert_eq!((&all[0]["id"], &all[0]["published"]), (&json!(id), &json!(false)));

    let publish = json!({ "article": { "published": true } });
    for _ in 0..2 {
        let reply = call(&sandbox, "PUT", &format!("/articles/{id}"), &publish).await;
        assert_eq!(reply.status(), 200);
        assert!(!reply.json()["url"].as_str().unwrap().contains("temp-slug"));
    }
    let ledger = sandbox.ledger();
    let seen: Vec<_> = ledger.visible("devto").map(|it| (it.text.as_str(), it.remote_id.clone())).collect();
    assert_eq!(seen, [("One", id.to_string())], "published twice, it appears once");
    assert_eq!(call(&sandbox, "GET", &format!("/articles/{id}"), &Json::Null).await.status(), 200);
    assert_eq!(call(&sandbox, "GET", "/articles/me/unpublished", &Json::Null).await.json(), json!([]));
}

#[tokio::test]
async fn what_forem_refuses_is_refused_in_its_words() {
    let sandbox = sandbox().await;
    call(&sandbox, "POST", "/articles", &article("One", false)).await;
    let again =
        "Body markdown has already been taken and Title has already been used in the last five minutes";
    assert_eq!(refused(&sandbox, &article("One", false)).await, again);
    sandbox.advance(Duration::from_mins(5));
    assert_eq!(refused(&sandbox, &article("One", false)).await, "Body markdown has already been taken");

    let with = |name: &str, value: Json| {
        let mut body = article(&format!("{name} {value}"), false);
        body["article"][name] = value;
        body
    };
    let taken = with("canonical_url", json!("https://example.org/a"));
    assert_eq!(call(&sandbox, "POST", "/articles", &taken).await.status(), 201);
    let mut other = taken.clone();
    other["article"]["title"] = json!("Another");
    assert_eq!(refused(&sandbox, &other).await, "Canonical url has already been taken");
    let five = with("tags", json!(["a", "b", "c", "d", "e"]));
    assert_eq!(refused(&sandbox, &five).await, "Tag list exceed the maximum of 4 tags");
    let marks = refused(&sandbox, &with("tags", json!(["작업-큐"]))).await;
    assert!(marks.contains("non-alphanumeric"), "{marks}");
    assert_eq!(refused(&sandbox, &with("title", json!(" "))).await, "Title can't be blank");
    assert_eq!(refused(&sandbox, &json!({})).await, "param is missing or the value is empty: article");
    let long = refused(&sandbox, &article(&"가".repeat(129), false)).await;
    assert_eq!(long, "Title is too long (maximum is 128 characters)");
}

#[tokio::test]
async fn front_matter_in_the_text_has_the_last_word() {
    let sandbox = sandbox().await;
    let mut body = article("One", false);
    body["article"]["body_markdown"] = json!("---\ntitle: Other\npublished: true\n---\nText");
    assert_eq!(call(&sandbox, "POST", "/articles", &body).await.status(), 201);
    assert_eq!(sandbox.ledger().visible("devto").next().unwrap().text, "Other");
}

#[tokio::test]
async fn without_a_name_or_a_key_nothing_is_done() {
    let sandbox = sandbox().await;
    let body = article("One", true).to_string();
    let bot = send(&sandbox, "POST", "/devto/api/articles", &[("api-key", "k")], body.as_bytes()).await;
    assert_eq!((bot.status(), bot.body().trim()), (403, "Forbidden Bots"));
    let nobody = send(&sandbox, "POST", "/devto/api/articles", &[AGENT], body.as_bytes()).await;
    assert_eq!((nobody.status(), nobody.json()), (401, json!({ "error": "unauthorized", "status": 401 })));
    assert!(sandbox.ledger().accepted.is_empty());
}

#[tokio::test]
async fn one_change_in_a_second_is_taken_and_nine_publications_in_thirty() {
    let sandbox = sandbox().await;
    call(&sandbox, "POST", "/articles", &article("One", false)).await;
    let headers = [AGENT, ("api-key", "a-key"), ("content-type", "application/json")];
    let body = article("Two", false).to_string();
    let fast = send(&sandbox, "POST", "/devto/api/articles", &headers, body.as_bytes()).await;
    assert_eq!((fast.status(), fast.header("retry-after").as_deref()), (429, Some("1")));
    for number in 0..9 {
        let reply = call(&sandbox, "POST", "/articles", &article(&format!("P{number}"), true)).await;
        assert_eq!(reply.status(), 201);
    }
    let many = call(&sandbox, "POST", "/articles", &article("Ten", true)).await;
    assert_eq!((many.status(), many.header("retry-after").as_deref()), (429, Some("30")));
}

#[tokio::test]
async fn lists_come_in_pages_and_may_be_late() {
    let sandbox = sandbox().await;
    for number in 0..3 {
        call(&sandbox, "POST", "/articles", &article(&format!("A{number}"), number == 0)).await;
    }
    let titles = async |path: &str| {
        let reply = call(&sandbox, "GET", path, &Json::Null).await.json();
        let titles = reply.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap().to_owned());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(titles("/articles/me/all").await, ["A2", "A1", "A0"]);
    assert_eq!(titles("/articles/me/all?per_page=2&page=2").await, ["A0"]);
    assert_eq!(titles("/articles/me").await, ["A0"]);

    sandbox.fault(Fault::new(Kind::SlowLook(60.0)).on("devto").act("post"));
    call(&sandbox, "POST", "/articles", &article("Late", true)).await;
    assert_eq!(sandbox.ledger().visible("devto").count(), 2);
    assert_eq!(titles("/articles/me/published").await, ["A0"]);
    sandbox.advance(Duration::from_mins(1));
    assert_eq!(titles("/articles/me/published").await, ["Late", "A0"]);
}
