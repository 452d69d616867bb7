//! Bluesky: one record for each post, whatever is cut, and never over what a person made of it.

use onceward::State;
use onceward_http::{Client, Request, Target};
use onceward_publish::channel::Channel;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::vault::Sessions;
use onceward_sandbox::{Fault, Kind, Ledger, Options, Sandbox};
use serde_json::{Value as Json, json};

use crate::stage::{PATIENCE, Stage, Verdict, code};

const POST: &str =
    "---\ntitle: We are live\nlink: https://example.org/launch\n---\n\n안녕 🙂 @alice.test, @nobody.test!\n";
const THREAD: &str = "---\ntitle: Three\nthread: [one, two, three]\n---\n\nNot used.\n";

async fn stage() -> Verdict<(Sandbox, Stage)> {
    let sandbox = Sandbox::start(Options::default()).await?;
    let stage = Stage::with(channel(&sandbox)?).await?;
    Ok((sandbox, stage))
}

fn channel(sandbox: &Sandbox) -> Verdict<BlueskyChannel> {
    let (server, slot) = (sandbox.url("bluesky"), Sessions::in_memory(None).slot("it", &["me"]));
    let (client, languages) = (Client::builder().build()?, vec!["ko".to_owned()]);
    Ok(BlueskyChannel::new(&server, "@me.test", "s3cret-pass".into(), languages, slot, client, PATIENCE)?)
}

fn fault(kind: Kind) -> Fault {
    Fault::new(kind).on("bluesky").act("post").times(1)
}

fn arrived(ledger: &Ledger, act: &str) -> usize {
    ledger.arrived("bluesky", act).count()
}

#[tokio::test]
async fn a_post_is_one_record_with_its_card_and_the_people_that_it_names() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let ledger = sandbox.ledger();
    let [seen] = ledger.visible("bluesky").collect::<Vec<_>>()[..] else { panic!("{ledger:?}") };
    let record = &seen.data["record"];
    assert_eq!(record["text"], "안녕 🙂 @alice.test, @nobody.test!\n\nhttps://example.org/launch");
    assert_eq!(
        (&record["langs"], &record["embed"]["external"]["title"]),
        (&json!(["ko"]), &json!("We are live"))
    );
    let features: Vec<_> =
        record["facets"].as_array().unwrap().iter().map(|it| &it["features"][0]["$type"]).collect();
    assert_eq!(features, ["app.bsky.richtext.facet#mention", "app.bsky.richtext.facet#link"]);
    let rkey = seen.key.as_deref().unwrap();
    assert_eq!(standing.url.unwrap(), format!("https://bsky.app/profile/me.test/post/{rkey}"));
    assert_eq!(stage.effects(job).await?[0].remote_id.as_deref(), Some(seen.remote_id.as_str()));
    assert_eq!((arrived(&ledger, "login"), arrived(&ledger, "post")), (1, 1));
    Ok(())
}

/// T18: atproto#3718, #4725, indigo#873.
#[tokio::test]
async fn a_lost_or_wrong_answer_is_settled_by_the_record_itself() -> Verdict {
    for kind in [
        Kind::AcceptThenHang,
        Kind::AcceptThenReset,
        Kind::AcceptThenCut(60),
        Kind::AcceptThenStatus(400),
        Kind::AcceptThenStatus(500),
        Kind::AcceptThenStatus(502),
        Kind::Duplicate { accept: true },
        Kind::SlowLoris(0.2),
    ] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        let counts = (ledger.visible("bluesky").count(), arrived(&ledger, "post"));
        assert_eq!(counts, (1, 1), "{kind:?}: found, so not written again");
    }
    Ok(())
}

/// T30: bskyr#15.
#[tokio::test]
async fn what_never_arrived_is_written_later() -> Verdict {
    for kind in [
        Kind::Hang,
        Kind::Reset,
        Kind::Refuse(400),
        Kind::Refuse(500),
        Kind::Refuse(503),
        Kind::ExpiredToken,
        Kind::RevokedToken,
        Kind::RateLimit(7.0, None),
        Kind::SlowLook(60.0),
    ] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        assert_eq!(sandbox.ledger().visible("bluesky").count(), 1, "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_there_and_was_deleted_is_not_made_again() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::Duplicate { accept: false }));
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!((standing.state, code(&standing)), (State::Dead, "deleted_there"), "{standing:?}");
    assert_eq!(sandbox.ledger().visible("bluesky").count(), 0);
    Ok(())
}

/// The owner's own client, logged in as the channel is.
async fn by_hand(sandbox: &Sandbox, name: &str, body: Json) -> Verdict {
    let client = Client::builder().build()?;
    let target = |name: &str| {
        Ok::<_, Box<dyn std::error::Error>>(Target::operator(&sandbox.url("bluesky"))?.join(name))
    };
    let login = json!({ "identifier": "me.test", "password": "another" }).to_string();
    let request =
        Request::post(target("xrpc/com.atproto.server.createSession")?).body("application/json", login)?;
    let session: Json = client.send(request).await?.json()?;
    let bearer = format!("Bearer {}", session["accessJwt"].as_str().unwrap_or_default());
    let (mut body, did) = (body, session["did"].clone());
    (body["repo"], body["collection"]) = (did, "app.bsky.feed.post".into());
    let request = Request::post(target(&format!("xrpc/{name}"))?).secret_header("authorization", &bearer)?;
    let answer = client.send(request.body("application/json", body.to_string())?).await?;
    assert_eq!(answer.status(), 200, "{}", answer.safe_text());
    Ok(())
}

#[tokio::test]
async fn what_a_person_edited_meanwhile_is_never_written_over() -> Verdict {
    let (sandbox, stage) = stage().await?;
    // Its answer is lost, and it cannot be seen for a while: in doubt.
    sandbox.fault(fault(Kind::SlowLook(60.0)));
    sandbox.fault(fault(Kind::AcceptThenReset));
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.once(job).await?.state, State::InDoubt);
    let mut edited = sandbox.ledger().visible("bluesky").next().unwrap().clone();
    edited.data["record"]["text"] = "edited by hand".into();
    edited.data["record"]["facets"] = json!([]);
    by_hand(
        &sandbox,
        "com.atproto.repo.putRecord",
        json!({ "rkey": edited.key, "record": edited.data["record"] }),
    )
    .await?;
    sandbox.advance(std::time::Duration::from_mins(2));
    let standing = stage.settle(job).await?;
    assert_eq!((standing.state, code(&standing)), (State::Dead, "record_differs"), "{standing:?}");
    assert!(standing.error.unwrap().text.contains("https://bsky.app/profile/me.test/post/"));
    let ledger = sandbox.ledger();
    let texts: Vec<_> = ledger.visible("bluesky").map(|it| it.data["record"]["text"].clone()).collect();
    assert_eq!(texts, ["edited by hand"]);
    Ok(())
}

#[tokio::test]
async fn a_refused_repeat_does_not_make_a_post_of_its_own() -> Verdict {
    for kind in [Kind::ExpiredToken, Kind::RevokedToken, Kind::RateLimit(7.0, None), Kind::Refuse(503)] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(Kind::AcceptThenReset));
        // The look after it fails as well, so that the post stays in doubt and is written again.
        sandbox.fault(Fault::new(Kind::Refuse(503)).on("bluesky").act("look").times(1));
        sandbox.fault(fault(kind).skip(1));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        assert_eq!((ledger.visible("bluesky").count(), arrived(&ledger, "post")), (1, 2), "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_thread_resumes_at_its_part_with_its_parent() -> Verdict {
    for part in 0..3 {
        for kind in
            [Kind::AcceptThenReset, Kind::Reset, Kind::AcceptThenStatus(500), Kind::RateLimit(7.0, None)]
        {
            let (sandbox, stage) = stage().await?;
            sandbox.fault(fault(kind).skip(part));
            let job = stage.enqueue(THREAD).await?;
            let standing = stage.settle(job).await?;
            assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
            let ledger = sandbox.ledger();
            let seen: Vec<_> = ledger.visible("bluesky").collect();
            let texts: Vec<_> = seen.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(texts, ["one", "two", "three"], "{kind:?} at part {part}");
            let strong = |at: usize| json!({ "uri": seen[at].remote_id, "cid": seen[at].data["cid"] });
            let replies: Vec<_> = seen.iter().map(|it| it.data["record"]["reply"].clone()).collect();
            let answers = |parent: usize| json!({ "root": strong(0), "parent": strong(parent) });
            assert_eq!(replies, [Json::Null, answers(0), answers(1)], "{kind:?} at part {part}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn one_session_serves_all_and_is_renewed_not_made_again() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let adapter = channel(&sandbox)?;
    let (one, two) = tokio::join!(adapter.check(), adapter.check());
    for checked in [one, two] {
        let checked = checked.map_err(|failure| failure.cause().text.clone())?;
        assert!(checked.account.unwrap().starts_with("did:plc:") && checked.text.contains("@me.test"));
    }
    assert_eq!(arrived(&sandbox.ledger(), "login"), 1);
    sandbox.fault(fault(Kind::ExpiredToken));
    let job = stage.enqueue(POST).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let ledger = sandbox.ledger();
    assert_eq!(
        (arrived(&ledger, "login"), arrived(&ledger, "token")),
        (2, 1),
        "the stage's own login, then a renewal"
    );
    Ok(())
}

/// T26: a network that is down has revoked nothing; an app password that was taken back asks for a person.
#[tokio::test]
async fn a_revoked_password_waits_for_a_person_and_is_never_shown() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(Fault::new(Kind::Refuse(503)).on("bluesky").act("login").times(1));
    let failure = channel(&sandbox)?.check().await.unwrap_err();
    assert_eq!(failure.class(), "transient", "{failure:?}");
    sandbox.fault(Fault::new(Kind::RevokedToken).on("bluesky"));
    let failure = channel(&sandbox)?.check().await.unwrap_err();
    assert_eq!(failure.class(), "auth_needed");
    assert!(failure.cause().text.contains("app password") && !failure.cause().text.contains("s3cret"));
    let job = stage.enqueue(POST).await?;
    let standing = stage.once(job).await?;
    assert_eq!((standing.state, code(&standing)), (State::Pending, "http_401"), "{standing:?}");
    assert_eq!(arrived(&sandbox.ledger(), "post"), 0);
    Ok(())
}

#[tokio::test]
async fn what_the_platform_cannot_take_is_said_before_anything_is_enqueued() -> Verdict {
    let (_sandbox, stage) = stage().await?;
    let never = format!("---\nthread: never\n---\n{}", "가".repeat(301));
    let plan = stage.plan(&never).await?;
    let codes: Vec<_> = plan.refused.iter().map(|refusal| refusal.code.as_str()).collect();
    assert_eq!(codes, ["text_too_long"]);
    let plan = stage.plan(&format!("---\ntitle: Long\n---\n{}", "가나다라. ".repeat(120))).await?;
    let lengths: Vec<_> = plan.contents[0].jobs[0].parts.iter().map(|part| part.length).collect();
    assert!(lengths.len() > 1 && lengths.iter().all(|length| *length <= 300), "{lengths:?}");
    Ok(())
}
