//! dev.to: each article once, whatever is cut.

use onceward::State;
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::devto::DevtoChannel;
use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use crate::stage::{PATIENCE, Stage, Verdict, code};

const POST: &str = "---\ntitle: We are live\nlink: https://example.org/launch\ntags: [rust, job-queue, 큐]\n---\n\
                    Hello **world**.\n\n- one\n- two\n";

async fn stage() -> Verdict<(Sandbox, Stage)> {
    let mut options = Options::default();
    options.faults.limits = false;
    let sandbox = Sandbox::start(options).await?;
    let stage = Stage::with(channel(&sandbox)?).await?;
    Ok((sandbox, stage))
}

fn channel(sandbox: &Sandbox) -> Verdict<DevtoChannel> {
    let api = format!("{}/api", sandbox.url("devto"));
    Ok(DevtoChannel::new(&api, "s3cret-key".into(), Client::builder().build()?, PATIENCE)?)
}

fn fault(kind: Kind, act: &str) -> Fault {
    Fault::new(kind).on("devto").act(act).times(1)
}

#[tokio::test]
async fn an_article_is_a_draft_first_and_published_by_one_request() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let ledger = sandbox.ledger();
    let [seen] = ledger.visible("devto").collect::<Vec<_>>()[..] else { panic!("{ledger:?}") };
    assert_eq!(seen.text, "We are live");
    assert_eq!(seen.data["canonical_url"], "https://example.org/launch");
    assert_eq!(seen.data["tags"], serde_json::json!(["rust", "jobqueue", "큐"]));
    let body = seen.data["body_markdown"].as_str().unwrap();
    assert!(body.starts_with("Hello **world**.\n\n- one\n- two\n\n<!-- onceward "), "{body}");
    assert_eq!(standing.url.as_deref(), seen.data["url"].as_str());
    assert_eq!((ledger.arrived("devto", "draft").count(), ledger.arrived("devto", "post").count()), (1, 1));
    Ok(())
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_nothing_is_published_twice() -> Verdict {
    for kind in
        [Kind::AcceptThenHang, Kind::AcceptThenReset, Kind::AcceptThenStatus(502), Kind::AcceptThenCut(60)]
    {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind, "post"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        assert_eq!(ledger.visible("devto").count(), 1, "{kind:?}");
        assert_eq!(ledger.arrived("devto", "post").count(), 1, "{kind:?}: found, so not asked for again");
        assert!(standing.url.is_some(), "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_never_arrived_is_published_after_a_look() -> Verdict {
    for kind in [Kind::Hang, Kind::Reset, Kind::Refuse(503)] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind, "post"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        assert_eq!(
            (ledger.visible("devto").count(), ledger.arrived("devto", "post").count()),
            (1, 2),
            "{kind:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_draft_that_was_made_and_lost_is_taken_up_again() -> Verdict {
    for kind in [Kind::AcceptThenHang, Kind::AcceptThenReset, Kind::AcceptThenStatus(500)] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind, "draft"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        let drafts = ledger.accepted.iter().filter(|item| item.act == "article").count();
        assert_eq!((drafts, ledger.visible("devto").count()), (1, 1), "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_title_or_an_address_that_is_taken_is_told_and_not_tried_again() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let first = stage.enqueue(POST).await?;
    stage.settle(first).await?;
    let again = stage.enqueue(&format!("{POST}\nMore.")).await?;
    let standing = stage.settle(again).await?;
    assert_eq!((standing.state, code(&standing)), (State::Dead, "http_422"), "{standing:?}");
    let text = &standing.error.as_ref().unwrap().text;
    assert!(text.contains("Canonical url has already been taken"), "{text}");
    assert_eq!(sandbox.ledger().visible("devto").count(), 1);
    Ok(())
}

#[tokio::test]
async fn limits_and_credentials_spend_nothing_and_say_what_to_do() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::RateLimit(7.0, None), "draft"));
    sandbox.fault(fault(Kind::RateLimit(7.0, None), "post"));
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    assert_eq!(sandbox.ledger().visible("devto").count(), 1);

    sandbox.fault(Fault::new(Kind::RevokedToken).on("devto"));
    let failure = channel(&sandbox)?.check().await.unwrap_err();
    assert_eq!(failure.class(), "auth_needed");
    let text = &failure.cause().text;
    assert!(text.contains("key") && !text.contains("s3cret"), "{text}");
    sandbox.clear_faults();
    let checked = channel(&sandbox)?.check().await.map_err(|failure| failure.cause().text.clone())?;
    assert!(checked.account.is_some() && checked.text.starts_with("publishes as @"), "{checked:?}");
    Ok(())
}

#[tokio::test]
async fn what_dev_to_cannot_take_is_said_before_anything_is_enqueued() -> Verdict {
    let (_sandbox, stage) = stage().await?;
    let long = format!("---\ntitle: {}\n---\nText.", "x".repeat(129));
    for (text, refused) in [
        ("---\nlink: https://example.org/\n---\nText.", "title_missing"),
        (long.as_str(), "title_too_long"),
        ("---\ntitle: A\ntags: [a, b, c, d, e]\n---\nText.", "too_many_tags"),
        (&format!("---\ntitle: A\ntags: [{}]\n---\nText.", "x".repeat(31)), "tag_too_long"),
    ] {
        let plan = stage.plan(text).await?;
        let codes: Vec<_> = plan.refused.iter().map(|refusal| refusal.code.as_str()).collect();
        assert_eq!(codes, [refused], "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_rule_at_the_top_does_not_become_front_matter() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let text = "---\ntitle: A\n---\n---\ntitle: Stolen\npublished: true\n---\nText.";
    let job = stage.enqueue(text).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let ledger = sandbox.ledger();
    let titles: Vec<_> = ledger.visible("devto").map(|item| item.text.as_str()).collect();
    assert_eq!(titles, ["A"]);
    assert_eq!(ledger.arrived("devto", "draft").count(), 1, "it was not published by being made");
    assert_eq!(stage.effects(job).await?.len(), 1);
    Ok(())
}
