//! Slack: a bot's message once, whatever is cut; a webhook's at most once.

use onceward::State;
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::slack::{SlackBot, SlackWebhook};
use onceward_sandbox::{Accepted, Fault, Kind, Options, Sandbox};
use serde_json::json;

use crate::stage::{PATIENCE, Stage, Verdict, code};

const ROOM: &str = "C0123456789";
const POST: &str = "---\ntitle: We are live\nlink: https://example.org/launch\ntags: [rust, 큐]\n---\n\
                    **Hello** <!channel> & [friends](https://example.org/?a=1&b=2).\n";

async fn stage() -> Verdict<(Sandbox, Stage)> {
    let sandbox = Sandbox::start(Options::default()).await?;
    let stage = Stage::with(bot(&sandbox)?).await?;
    Ok((sandbox, stage))
}

fn bot(sandbox: &Sandbox) -> Verdict<SlackBot> {
    let client = Client::builder().build()?;
    Ok(SlackBot::new(&sandbox.url("slack"), "xoxb-s3cret".into(), ROOM, client, PATIENCE)?)
}

async fn hooked() -> Verdict<(Sandbox, Stage)> {
    let sandbox = Sandbox::start(Options::default()).await?;
    let url = format!("{}/hook/T0/B0/s3cret-of-the-address", sandbox.url("slack")).into();
    let stage = Stage::with(SlackWebhook::new(&url, Client::builder().build()?, PATIENCE)?).await?;
    Ok((sandbox, stage))
}

fn fault(kind: Kind, act: &str) -> Fault {
    Fault::new(kind).on("slack").act(act).times(1)
}

fn visible(sandbox: &Sandbox) -> Vec<Accepted> {
    sandbox.ledger().visible("slack").cloned().collect()
}

#[tokio::test]
async fn a_message_carries_its_key_and_calls_nobody() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let [seen] = &visible(&sandbox)[..] else { panic!("{:?}", sandbox.ledger()) };
    let text = "*Hello* &lt;!channel&gt; &amp; <https://example.org/?a=1&amp;b=2|friends>.\n\n\
                <https://example.org/launch>";
    assert_eq!((seen.text.as_str(), seen.place.as_deref()), (text, Some(ROOM)));
    let key = seen.data["metadata"]["event_payload"]["key"].as_str().unwrap();
    assert!(key.len() == 32 && key.chars().all(|c| c.is_ascii_hexdigit()), "{key}");
    let effects = stage.effects(job).await?;
    assert_eq!(effects[0].remote_id.as_deref(), Some(format!("{ROOM}/{}", seen.remote_id).as_str()));
    let link = format!("{}/archives/{ROOM}/p{}", sandbox.url("slack"), seen.remote_id.replace('.', ""));
    assert_eq!(standing.url, Some(link));
    Ok(())
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_nothing_is_said_twice() -> Verdict {
    for kind in [
        Kind::AcceptThenHang,
        Kind::AcceptThenReset,
        Kind::AcceptThenStatus(200),
        Kind::AcceptThenStatus(502),
        Kind::AcceptThenCut(60),
    ] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind, "post"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let posts = sandbox.ledger().arrived("slack", "post").count();
        assert_eq!((visible(&sandbox).len(), posts), (1, 1), "{kind:?}");
        assert!(standing.url.is_some(), "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_never_arrived_is_said_after_a_look() -> Verdict {
    for kind in [Kind::Hang, Kind::Reset, Kind::Refuse(200), Kind::Refuse(503)] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind, "post"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let posts = sandbox.ledger().arrived("slack", "post").count();
        assert_eq!((visible(&sandbox).len(), posts), (1, 2), "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_room_that_cannot_be_read_leaves_the_message_to_a_person() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::AcceptThenReset, "post"));
    sandbox.fault(Fault::new(Kind::Refuse(403)).on("slack").act("look"));
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{standing:?}");
    assert_eq!((visible(&sandbox).len(), sandbox.ledger().arrived("slack", "post").count()), (1, 1));
    let queues = stage.store.queues().await?;
    assert!(queues.iter().all(|queue| queue.paused.is_none()), "what may be sent is sent: {queues:?}");
    Ok(())
}

/// T26: a token that was taken back leaves no work for a person but a new token.
#[tokio::test]
async fn a_token_that_ends_over_a_doubt_is_waited_for_and_the_message_is_found() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::AcceptThenReset, "post"));
    let job = stage.enqueue(POST).await?;
    let standing = stage.once(job).await?;
    sandbox.fault(Fault::new(Kind::RevokedToken).on("slack"));
    stage.store.set_clock(standing.check_at.unwrap());
    assert_eq!(stage.once(job).await?.state, State::InDoubt);
    let waits = async || stage.store.queues().await.map(|queues| queues.iter().any(|it| it.paused.is_some()));
    assert!(waits().await?);
    sandbox.clear_faults();
    stage.store.resume_queue("it").await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    assert_eq!((visible(&sandbox).len(), sandbox.ledger().arrived("slack", "post").count()), (1, 1));
    Ok(())
}

#[tokio::test]
async fn a_long_text_becomes_a_thread_and_a_lost_part_is_found_in_it() -> Verdict {
    let long = format!("---\ntitle: A\n---\n{}", "All of it is said, and none of it twice. ".repeat(220));
    for lost in 0..3 {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(Kind::AcceptThenReset, "post").skip(lost));
        let job = stage.enqueue(&long).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{lost}: {standing:?}");
        let seen = visible(&sandbox);
        assert_eq!(seen.len(), 3, "{lost}");
        let threads: Vec<_> = seen.iter().map(|it| it.data["thread_ts"].clone()).collect();
        assert_eq!(threads, [json!(null), json!(seen[0].remote_id), json!(seen[0].remote_id)], "{lost}");
        assert!(seen.iter().all(|it| it.text.chars().count() <= 4000));
        let whole: Vec<_> = seen.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(whole.join(" "), long.trim_start_matches("---\ntitle: A\n---\n").trim());
    }
    Ok(())
}

#[tokio::test]
async fn two_jobs_with_one_text_never_share_a_message() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let body = "The same words.";
    let first = stage.enqueue(&format!("---\nid: one\ntitle: A\n---\n{body}")).await?;
    stage.settle(first).await?;
    sandbox.fault(fault(Kind::Reset, "post"));
    let second = stage.enqueue(&format!("---\nid: two\ntitle: Another\n---\n{body}")).await?;
    assert_eq!(stage.settle(second).await?.state, State::Done);
    assert_eq!(visible(&sandbox).len(), 2, "the first one's message is not taken for the second one's");
    Ok(())
}

#[tokio::test]
async fn pictures_are_shown_by_the_message_and_posted_by_nothing_else() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let folder = tempfile::tempdir()?;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0\x3a\x7e\x9b\x55";
    std::fs::write(folder.path().join("hill.png"), png)?;
    let text = "---\nid: one\ntitle: A\nmedia: [{path: hill.png, alt: \"A hill\"}]\n---\nText.";
    let job = stage.enqueue_at(&folder.path().join("a.md"), text).await?;
    sandbox.fault(fault(Kind::AcceptThenReset, "post"));
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let [seen] = &visible(&sandbox)[..] else { panic!("{:?}", sandbox.ledger()) };
    let uploaded = sandbox.ledger().accepted.iter().find(|it| it.act == "file").unwrap().remote_id.clone();
    let expected = json!([
        { "type": "section", "text": { "type": "mrkdwn", "text": "Text." } },
        { "type": "image", "slack_file": { "id": uploaded }, "alt_text": "A hill" },
    ]);
    assert_eq!(seen.data["blocks"], expected);
    let files = sandbox.ledger().accepted.iter().filter(|it| it.act == "file").count();
    assert_eq!(files, 1, "the file is frozen with the message, and uploaded once");
    Ok(())
}

#[tokio::test]
async fn limits_and_credentials_say_what_to_do_and_show_no_secret() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::RateLimit(7.0, None), "post"));
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    assert_eq!(visible(&sandbox).len(), 1);

    let checked = bot(&sandbox)?.check().await.map_err(|failure| failure.cause().text.clone())?;
    assert_eq!(checked.account.as_deref(), Some("T0SANDBOX/C0123456789"));
    assert_eq!(checked.text, "posts as rehearsal of Rehearsal in #rehearsal");
    sandbox.fault(Fault::new(Kind::RevokedToken).on("slack"));
    let failure = bot(&sandbox)?.check().await.unwrap_err();
    assert_eq!((failure.class(), failure.cause().code.as_ref()), ("auth_needed", "token_revoked"));
    assert!(!format!("{failure:?} {:?}", bot(&sandbox)?).contains("s3cret"), "{failure:?}");
    Ok(())
}

#[tokio::test]
async fn a_webhook_says_it_at_most_once() -> Verdict {
    let (sandbox, stage) = hooked().await?;
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    assert!(visible(&sandbox)[0].text.starts_with("*Hello* &lt;!channel&gt;"));

    for kind in [Kind::AcceptThenHang, Kind::AcceptThenReset, Kind::Refuse(500), Kind::Reset] {
        let (sandbox, stage) = hooked().await?;
        sandbox.fault(fault(kind, "hook"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{kind:?}: {standing:?}");
        assert_eq!(sandbox.ledger().arrived("slack", "hook").count(), 1, "{kind:?}: sent again by itself");
        assert!(!format!("{standing:?}").contains("s3cret"), "{standing:?}");
        assert!(!stage.effects(job).await?.iter().any(|it| format!("{it:?}").contains("s3cret")));
    }
    Ok(())
}

#[tokio::test]
async fn what_slack_cannot_take_is_said_before_anything_is_enqueued() -> Verdict {
    let (_sandbox, bots) = stage().await?;
    let (_other, hooks) = hooked().await?;
    let long = format!("---\ntitle: A\n---\n{}", "word ".repeat(1000));
    let never = format!("---\ntitle: A\nthread: never\n---\n{}", "<".repeat(1500));
    let option = "---\ntitle: A\nvariants:\n  it: {unfurl: maybe}\n---\nText.";
    for (stage, text, refused) in [
        (&hooks, long.as_str(), "text_too_long"),
        (&bots, never.as_str(), "text_too_long"),
        (&bots, option, "option_invalid"),
        (&bots, "---\ntitle: A\n---\n", "text_missing"),
    ] {
        let plan = stage.plan(text).await?;
        let codes: Vec<_> = plan.refused.iter().map(|refusal| refusal.code.as_str()).collect();
        assert_eq!(codes, [refused], "{text}");
    }
    assert!(bots.plan(&long).await?.refused.is_empty());
    let escaped = "<".repeat(1500);
    assert!(bots.plan(&format!("---\ntitle: A\n---\n{escaped}")).await?.refused.is_empty(), "cut, and sent");
    let job = bots.enqueue("---\ntitle: A\n---\nText.").await?;
    assert_eq!(code(&bots.settle(job).await?), "");
    Ok(())
}
