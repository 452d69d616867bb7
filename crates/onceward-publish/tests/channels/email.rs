//! E-mail: what is clear is sent once, what is unclear is asked of a person.

use std::sync::Arc;

use onceward::{Resolution, State};
use onceward_http::tls_config;
use onceward_publish::channel::Channel;
use onceward_publish::channels::email::{EmailChannel, EmailSettings};
use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use crate::stage::{PATIENCE, Stage, Verdict, code};

const POST: &str =
    "---\ntitle: 우리는 살아 있습니다\nlink: https://example.org/launch\n---\nHello **world**.\n";

async fn stage(to: &[&str]) -> Verdict<(Sandbox, Stage)> {
    let sandbox = Sandbox::start(Options::default()).await?;
    let stage = Stage::with(channel(&sandbox, to)?).await?;
    Ok((sandbox, stage))
}

fn channel(sandbox: &Sandbox, to: &[&str]) -> Verdict<EmailChannel> {
    let settings = EmailSettings {
        server: sandbox.url("email").replace("smtp://", "smtp://me@").parse()?,
        password: Some("s3cret-word".into()),
        from: "News <news@a.example>".parse()?,
        to: to.iter().map(|to| to.parse()).collect::<Result<_, _>>()?,
        subject: None,
    };
    Ok(EmailChannel::new(settings, Arc::new(tls_config(Vec::new())?), PATIENCE))
}

fn fault(kind: Kind, act: &str) -> Fault {
    Fault::new(kind).on("email").act(act).times(1)
}

const ONE: [&str; 1] = ["jane@b.example"];
const THREE: [&str; 3] = ["jane@b.example", "joe@b.example", "kim@c.example"];

#[tokio::test]
async fn each_recipient_gets_one_mail_of_their_own() -> Verdict {
    let (sandbox, stage) = stage(&THREE).await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let ledger = sandbox.ledger();
    let mails: Vec<_> = ledger.visible("email").collect();
    let places: Vec<_> = mails.iter().filter_map(|mail| mail.place.as_deref()).collect();
    assert_eq!(places, THREE);
    assert!(mails.iter().all(|mail| mail.text == "우리는 살아 있습니다"), "{mails:?}");
    let effects = stage.effects(job).await?;
    for (mail, effect) in mails.iter().zip(&effects) {
        assert_eq!(mail.key, effect.remote_id, "the Message-ID is the receipt");
        assert_eq!(mail.key, Some(format!("<{}@a.example>", effect.key)));
    }
    Ok(())
}

#[tokio::test]
async fn what_breaks_before_the_dot_is_sent_again_and_arrives_once() -> Verdict {
    for act in ["hello", "login", "sender", "recipient", "data"] {
        for kind in [Kind::Reset, Kind::Hang, Kind::Refuse(421)] {
            let (sandbox, stage) = stage(&ONE).await?;
            sandbox.fault(fault(kind, act));
            let job = stage.enqueue(POST).await?;
            let standing = stage.settle(job).await?;
            assert_eq!(standing.state, State::Done, "{act} {kind:?}: {standing:?}");
            assert_eq!(sandbox.ledger().visible("email").count(), 1, "{act} {kind:?}");
            assert_eq!(sandbox.ledger().arrived("email", "post").count(), 1, "{act} {kind:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_breaks_while_the_mail_is_on_its_way_is_sent_again_only_where_the_dot_had_not_left() -> Verdict {
    for kind in [Kind::Reset, Kind::Hang] {
        let (sandbox, stage) = stage(&ONE).await?;
        sandbox.fault(fault(kind, "content"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        let (mails, end) = (sandbox.ledger().visible("email").count(), standing.state);
        // How much of the mail the machine had taken off our hands when the server went is chance.
        assert!(
            matches!((end, mails), (State::Done, 1) | (State::InDoubt, 0)),
            "{kind:?}: {mails} {standing:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn what_breaks_after_the_dot_is_in_doubt_and_never_sent_again() -> Verdict {
    for (kind, taken) in [
        (Kind::AcceptThenReset, 1),
        (Kind::AcceptThenHang, 1),
        (Kind::AcceptThenCut(0), 1),
        (Kind::AcceptThenCut(5), 1),
        (Kind::Reset, 0),
        (Kind::Hang, 0),
    ] {
        let (sandbox, stage) = stage(&ONE).await?;
        sandbox.fault(fault(kind, "post"));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        assert_eq!(ledger.visible("email").count(), taken, "{kind:?}");
        assert_eq!(ledger.arrived("email", "post").count(), 1, "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_of_no_is_believed_wherever_it_comes() -> Verdict {
    for act in ["sender", "recipient", "data", "post"] {
        let (sandbox, stage) = stage(&ONE).await?;
        sandbox.fault(fault(Kind::Refuse(451), act));
        let job = stage.enqueue(POST).await?;
        assert_eq!(stage.settle(job).await?.state, State::Done, "{act}: later it is taken");
        assert_eq!(sandbox.ledger().visible("email").count(), 1, "{act}");
    }
    for act in ["recipient", "data", "post"] {
        let (sandbox, stage) = stage(&ONE).await?;
        sandbox.fault(fault(Kind::Refuse(554), act));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!((standing.state, code(&standing)), (State::Dead, "smtp_554"), "{act}: {standing:?}");
        assert_eq!(sandbox.ledger().visible("email").count(), 0, "{act}");
    }
    Ok(())
}

#[tokio::test]
async fn one_recipient_that_is_refused_keeps_back_no_other() -> Verdict {
    let (sandbox, stage) = stage(&THREE).await?;
    sandbox.fault(fault(Kind::Refuse(550), "recipient").skip(1));
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Dead, "{standing:?}");
    let text = &standing.error.as_ref().unwrap().text;
    assert!(text.contains("joe@b.example"), "{text}");
    let ledger = sandbox.ledger();
    let places: Vec<_> = ledger.visible("email").filter_map(|mail| mail.place.as_deref()).collect();
    assert_eq!(places, ["jane@b.example", "kim@c.example"]);
    Ok(())
}

#[tokio::test]
async fn a_doubt_about_one_mail_holds_the_rest_until_a_person_decides() -> Verdict {
    let (sandbox, stage) = stage(&THREE).await?;
    sandbox.fault(fault(Kind::AcceptThenReset, "post").skip(1));
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::InDoubt, "{standing:?}");
    let states: Vec<_> = stage.effects(job).await?.iter().map(|effect| effect.state).collect();
    assert_eq!(states, ["accepted", "unknown", "prepared"], "the server may be down: the rest waits");
    assert_eq!(sandbox.ledger().arrived("email", "post").count(), 2);
    stage.store.resolve(job, Resolution::Happened { url: None }).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let ledger = sandbox.ledger();
    let places: Vec<_> = ledger.visible("email").filter_map(|mail| mail.place.as_deref()).collect();
    assert_eq!(places, THREE, "each once");
    Ok(())
}

#[tokio::test]
async fn a_password_that_is_refused_pauses_the_queue_and_is_not_shown() -> Verdict {
    let (sandbox, _) = stage(&ONE).await?;
    sandbox.fault(Fault::new(Kind::RevokedToken).on("email").act("login"));
    let failure = channel(&sandbox, &ONE)?.check().await.unwrap_err();
    assert_eq!((failure.class(), failure.cause().code.as_ref()), ("auth_needed", "smtp_535"));
    assert!(!failure.cause().text.contains("s3cret"), "{}", failure.cause().text);
    sandbox.clear_faults();
    let checked = channel(&sandbox, &THREE)?.check().await.map_err(|failure| failure.cause().text.clone())?;
    assert_eq!(checked.account.as_deref(), Some("me@127.0.0.1"));
    assert_eq!(checked.text, "127.0.0.1 lets us in as me; 3 recipients");
    Ok(())
}

#[tokio::test]
async fn a_mail_without_a_subject_is_refused_before_anything_is_enqueued() -> Verdict {
    let (_sandbox, stage) = stage(&ONE).await?;
    let plan = stage.plan("---\nlink: https://example.org/\n---\nText.").await?;
    let codes: Vec<_> = plan.refused.iter().map(|refusal| refusal.code.as_str()).collect();
    assert_eq!(codes, ["subject_missing"]);
    Ok(())
}
