//! Telegram, word for word: what goes over the wire, and that nothing of it shows the token.

use held_port::HeldPort;
use onceward::{Resolution, State};
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::telegram::TelegramChannel;
use serde_json::{Value as Json, json};

use crate::script::{Act, Asked, Script};
use crate::stage::{PATIENCE, Stage, Verdict, code};

const TOKEN: &str = "123456:s3cret-token-of-the-bot";
const POST: &str = "---\ntitle: We are live\nlink: https://example.org/launch\n---\n\
                    한글 🙂 **굵게** [여기](https://example.org/launch) 1. -!_*`[x](y)\n";

fn sent(number: i64) -> Act {
    let chat = json!({ "id": -1_001_234, "type": "channel", "title": "News", "username": "our_news" });
    Act::Answer(200, json!({ "ok": true, "result": { "message_id": number, "chat": chat, "date": 1 } }))
}

fn said(status: u16, description: &str) -> Act {
    Act::Answer(status, json!({ "ok": false, "error_code": status, "description": description }))
}

async fn stage(acts: impl IntoIterator<Item = Act>) -> Verdict<(Script, Stage)> {
    let script = Script::start(acts).await?;
    let stage = Stage::with(bot(&script)?).await?;
    Ok((script, stage))
}

fn bot(script: &Script) -> Verdict<TelegramChannel> {
    let (api, client) = (format!("http://{}", script.address), Client::builder().build()?);
    Ok(TelegramChannel::new(&api, TOKEN.into(), "@our_news", client, PATIENCE)?)
}

#[tokio::test]
async fn a_message_has_entities_and_no_markup() -> Verdict {
    let (script, stage) = stage([sent(7)]).await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!(standing.url.as_deref(), Some("https://t.me/our_news/7"));
    assert_eq!(stage.effects(job).await?[0].remote_id.as_deref(), Some("-1001234/7"));
    let asked = &script.asked()[0];
    assert!(asked.head.starts_with(&format!("POST /bot{TOKEN}/sendMessage ")), "{}", asked.head);
    let body = asked.json();
    let expected = json!({
        "chat_id": "@our_news",
        "text": "한글 🙂 굵게 여기 1. -!_*`x",
        "entities": [
            { "type": "bold", "offset": 6, "length": 2 },
            { "type": "text_link", "offset": 9, "length": 2, "url": "https://example.org/launch" },
        ],
        "link_preview_options": { "url": "https://example.org/launch" },
    });
    assert_eq!(body, expected);
    Ok(())
}

#[tokio::test]
async fn no_sign_of_ascii_needs_an_escape() -> Verdict {
    let signs: String = (' '..='~').filter(char::is_ascii_punctuation).collect();
    let (script, stage) = stage([sent(1)]).await?;
    let escaped: String = signs.chars().flat_map(|sign| ['\\', sign]).collect();
    let job = stage.enqueue(&format!("---\ntitle: A\n---\nx{escaped}x\n")).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let body = script.asked()[0].json();
    assert_eq!((&body["text"], &body["entities"]), (&json!(format!("x{signs}x")), &json!([])));
    assert_eq!(body.get("parse_mode"), None);
    Ok(())
}

#[tokio::test]
async fn an_unclear_answer_is_for_a_person_and_nothing_is_sent_again() -> Verdict {
    for act in [
        Act::Hang,
        Act::Reset,
        said(500, "Internal Server Error"),
        Act::Answer(502, json!("Bad Gateway")),
        Act::Answer(200, json!({ "ok": true })),
        Act::Answer(200, json!({ "ok": true, "result": { "message_id": "?" } })),
    ] {
        let name = format!("{act:?}");
        let (script, stage) = stage([act, sent(2)]).await?;
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{name}: {standing:?}");
        assert_eq!(script.asked().len(), 1, "{name}");
        assert!(!format!("{standing:?}").contains("s3cret"), "{standing:?}");
        assert!(!format!("{:?}", stage.effects(job).await?).contains("s3cret"));
    }
    Ok(())
}

#[tokio::test]
async fn what_was_certainly_not_sent_is_sent_later() -> Verdict {
    let limit = json!({
        "ok": false, "error_code": 429, "description": "Too Many Requests: retry after 3",
        "parameters": { "retry_after": 3 },
    });
    let (script, stage) = stage([Act::Answer(429, limit), sent(3)]).await?;
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    assert_eq!(script.asked().len(), 2);

    // Nobody listens there at first.
    let silent = HeldPort::new()?;
    let api = format!("http://{}", silent.address());
    let nobody = TelegramChannel::new(&api, TOKEN.into(), "@our_news", Client::builder().build()?, PATIENCE)?;
    let stage = Stage::with(nobody).await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    let tried = (standing.state, standing.attempts, code(&standing));
    assert_eq!(tried, (State::Dead, 4, "connect_refused"), "tried again each time, never in doubt");
    Ok(())
}

#[tokio::test]
async fn a_long_text_answers_itself_part_by_part() -> Verdict {
    let (script, stage) = stage([sent(1), sent(2), sent(3)]).await?;
    let long = format!("---\ntitle: A\n---\n{}", "All of it is said, and none of it twice. ".repeat(220));
    let job = stage.enqueue(&long).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let parents: Vec<Json> = script.asked().iter().map(|it| it.json()["reply_parameters"].clone()).collect();
    let reply = |number: i64| json!({ "message_id": number, "allow_sending_without_reply": false });
    assert_eq!(parents, [json!(null), reply(1), reply(2)]);
    assert_eq!(script.connections(), 3, "no message goes over a connection that was kept");
    Ok(())
}

#[tokio::test]
async fn a_thread_goes_on_after_a_part_whose_address_a_person_told() -> Verdict {
    for (url, end) in [(Some("https://t.me/our_news/2?single"), State::Done), (None, State::Dead)] {
        let (script, stage) = stage([sent(1), Act::Reset, sent(3)]).await?;
        let long = format!("---\ntitle: A\n---\n{}", "All of it is said, and none of it twice. ".repeat(220));
        let job = stage.enqueue(&long).await?;
        assert_eq!(stage.settle(job).await?.state, State::InDoubt);
        stage.store.resolve(job, Resolution::Happened { url: url.map(str::to_owned) }).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, end, "{standing:?}");
        if end == State::Done {
            let last = script.asked().pop().unwrap().json();
            assert_eq!(last["reply_parameters"]["message_id"], 2, "{last}");
        } else {
            assert_eq!(code(&standing), "parent_unknown", "nothing tells its number");
        }
    }
    Ok(())
}

#[tokio::test]
async fn pictures_go_with_the_message() -> Verdict {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0\x3a\x7e\x9b\x55";
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.png"), png)?;
    std::fs::write(folder.path().join("b.png"), [png.as_slice(), b"!"].concat())?;
    let group = json!({ "ok": true, "result": [
        { "message_id": 5, "chat": { "id": -5, "type": "group" } }, { "message_id": 6, "chat": { "id": -5, "type": "group" } },
    ] });
    let (script, stage) = stage([sent(4), Act::Answer(200, group)]).await?;
    for (name, media) in [("one", "[a.png]"), ("two", "[a.png, b.png]")] {
        let text = format!("---\nid: {name}\ntitle: A\nmedia: {media}\n---\nA **hill** {name}.");
        let job = stage.enqueue_at(&folder.path().join(format!("{name}.md")), &text).await?;
        assert_eq!(stage.settle(job).await?.state, State::Done);
    }
    let asked = script.asked();
    assert_eq!(asked.iter().map(Asked::method).collect::<Vec<_>>(), ["sendPhoto", "sendMediaGroup"]);
    let (one, two) = (asked[0].text(), asked[1].text());
    for expected in [
        "name=\"chat_id\"\r\n\r\n@our_news\r\n",
        "name=\"caption\"\r\n\r\nA hill one.\r\n",
        "name=\"caption_entities\"\r\n\r\n[{\"length\":4,\"offset\":2,\"type\":\"bold\"}]\r\n",
        "name=\"photo\"; filename=\"photo.png\"\r\nContent-Type: image/png\r\n\r\n",
    ] {
        assert!(one.contains(expected), "{expected} in {one}");
    }
    assert!(asked[0].body.windows(png.len()).any(|window| window == png));
    for expected in
        ["\"attach://file0\"", "\"attach://file1\"", "name=\"file1\"", "\"caption\":\"A hill two.\""]
    {
        assert!(two.contains(expected), "{expected} in {two}");
    }
    Ok(())
}

#[tokio::test]
async fn a_check_names_the_bot_and_the_chat_and_never_the_token() -> Verdict {
    let me = json!({ "ok": true, "result": { "id": 1, "is_bot": true, "username": "our_bot" } });
    let chat = json!({ "ok": true, "result": { "id": -1_001_234, "type": "channel", "title": "News" } });
    let script = Script::start([
        Act::Answer(200, me),
        Act::Answer(200, chat),
        said(401, &format!("Unauthorized: bot{TOKEN}")),
    ])
    .await?;
    let checked = bot(&script)?.check().await.map_err(|failure| failure.cause().text.clone())?;
    assert_eq!(checked.account.as_deref(), Some("-1001234"));
    assert_eq!(checked.text, "@our_bot posts to the channel \"News\"");
    let failure = bot(&script)?.check().await.unwrap_err();
    assert_eq!(failure.class(), "auth_needed");
    let failure = format!("{failure:?} {:?}", bot(&script)?);
    assert!(failure.contains("@BotFather") && !failure.contains("s3cret"), "{failure}");
    Ok(())
}
