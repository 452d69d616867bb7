//! Mastodon and its kin: each post once, whatever is cut.

use std::time::Duration;

use onceward::State;
use onceward_http::{Client, Request, Target};
use onceward_publish::channel::Channel;
use onceward_publish::channels::mastodon::{MastodonChannel, Visibility};
use onceward_sandbox::{Accepted, Fault, Kind, Options, Sandbox};
use serde_json::{Value as Json, json};

use crate::awkward;
use crate::stage::{PATIENCE, Stage, Verdict, code};

const TOKEN: &str = "s3cret-token";
const POST: &str =
    "---\ntags: [rust]\n---\nHello 한글 🙂 https://a.example/x.\n\n**Two** @me@b.example #태그\n";
const TEXT: &str = "Hello 한글 🙂 https://a.example/x.\n\nTwo @me@b.example #태그";
/// Three parts on Mastodon, one on its kin.
fn thread() -> String {
    format!("---\ntitle: T\n---\n{}", "This is one of many sentences in here. ".repeat(30))
}

/// A stand-in for one server, and a channel that leads there.
struct Place {
    server: &'static str,
    sandbox: Sandbox,
    stage: Stage,
}

impl Place {
    async fn at(server: &'static str) -> Verdict<Self> {
        let mut options = Options::default();
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await?;
        let stage = Stage::with(channel(&sandbox, server)?).await?;
        Ok(Self { server, sandbox, stage })
    }

    fn fault(&self, kind: Kind, act: &str, skip: u64, times: u64) {
        self.sandbox.fault(Fault::new(kind).on(self.server).act(act).skip(skip).times(times));
    }

    /// Publishes one file, with both clocks going on together.
    async fn publish(&self, text: &str) -> Verdict<onceward_publish::Standing> {
        let job = self.stage.enqueue(text).await?;
        self.stage.settle_with(job, |moved| self.sandbox.advance(moved)).await
    }

    fn seen(&self) -> Vec<Accepted> {
        self.sandbox.ledger().visible(self.server).cloned().collect()
    }

    fn arrived(&self, act: &str) -> usize {
        self.sandbox.ledger().arrived(self.server, act).count()
    }

    /// Keys of the posts that arrived.
    fn keys(&self) -> Vec<Option<String>> {
        self.sandbox.ledger().arrived(self.server, "post").map(|it| it.key.clone()).collect()
    }
}

fn channel(sandbox: &Sandbox, server: &str) -> Verdict<MastodonChannel> {
    let client = Client::builder().build()?;
    let (visibility, language) = (Some(Visibility::Unlisted), Some("ko".to_owned()));
    Ok(MastodonChannel::new(&sandbox.url(server), TOKEN.into(), visibility, language, client, PATIENCE)?)
}

const LOST: [Kind; 4] =
    [Kind::AcceptThenHang, Kind::AcceptThenReset, Kind::AcceptThenStatus(504), Kind::AcceptThenCut(40)];
const NEVER: [Kind; 3] = [Kind::Hang, Kind::Reset, Kind::Refuse(503)];

#[tokio::test]
async fn a_post_is_made_as_it_was_written() -> Verdict {
    let place = Place::at("mastodon").await?;
    let standing = place.publish(POST).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let [post] = &place.seen()[..] else { panic!("{:?}", place.seen()) };
    assert_eq!(post.text, TEXT);
    assert_eq!((&post.data["visibility"], &post.data["language"]), (&json!("unlisted"), &json!("ko")));
    assert_eq!(standing.url.as_deref(), post.data["url"].as_str());
    assert!(post.key.is_some());
    Ok(())
}

#[tokio::test]
async fn a_variant_has_its_own_manner() -> Verdict {
    let place = Place::at("mastodon").await?;
    let post =
        "---\nvariants:\n  it: {text: Hi, visibility: private, language: en, spoiler_text: Careful}\n---\nx";
    assert_eq!(place.publish(post).await?.state, State::Done);
    let data = &place.seen()[0].data;
    let found = ["visibility", "language", "spoiler_text"].map(|key| data[key].clone());
    assert_eq!(found, [json!("private"), json!("en"), json!("Careful")]);
    Ok(())
}

#[tokio::test]
async fn t4_a_lost_answer_is_asked_for_by_the_same_key() -> Verdict {
    for kind in LOST {
        let place = Place::at("mastodon").await?;
        place.fault(kind, "post", 0, 1);
        let standing = place.publish(POST).await?;
        assert_eq!(standing.state, State::Done, "{kind:?}: {standing:?}");
        assert_eq!(place.seen().len(), 1, "{kind:?}");
        let keys = place.keys();
        assert!(keys.len() == 2 && keys[0] == keys[1], "{kind:?}: {keys:?}");
        let ledger = place.sandbox.ledger();
        let hashes: Vec<_> = ledger.arrived("mastodon", "post").map(|it| &it.body_hash).collect();
        assert_eq!(hashes[0], hashes[1], "{kind:?}: byte for byte");
    }
    Ok(())
}

#[tokio::test]
async fn a_server_that_fails_on_a_key_it_knows_is_looked_through_at_once() -> Verdict {
    let place = Place::at("mastodon").await?;
    place.fault(Kind::AcceptThenReset, "post", 0, 1);
    place.fault(Kind::RepeatError, "post", 0, 9);
    let standing = place.publish(POST).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!((place.seen().len(), place.arrived("post")), (1, 2));
    assert_eq!(standing.url.as_deref(), place.seen()[0].data["url"].as_str());
    Ok(())
}

#[tokio::test]
async fn beyond_the_hour_of_its_key_a_post_is_looked_up() -> Verdict {
    let place = Place::at("mastodon").await?;
    place.fault(Kind::AcceptThenReset, "post", 0, 1);
    let job = place.stage.enqueue(POST).await?;
    let lost = place.stage.once(job).await?;
    assert_eq!(lost.state, State::InDoubt);
    let later = Duration::from_hours(2);
    place.stage.store.set_clock(lost.now.after(later));
    place.sandbox.advance(later);
    let standing = place.stage.settle_with(job, |moved| place.sandbox.advance(moved)).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!((place.seen().len(), place.arrived("post")), (1, 1));
    assert_eq!(standing.url.as_deref(), place.seen()[0].data["url"].as_str());
    Ok(())
}

#[tokio::test]
async fn what_never_arrived_is_posted_after_all() -> Verdict {
    for server in ["mastodon", "pleroma", "gotosocial"] {
        for kind in NEVER {
            let place = Place::at(server).await?;
            place.fault(kind, "post", 0, 1);
            let standing = place.publish(POST).await?;
            assert_eq!(standing.state, State::Done, "{server} {kind:?}: {standing:?}");
            assert_eq!(place.seen().len(), 1, "{server} {kind:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn servers_whose_keys_are_not_trusted_are_looked_through() -> Verdict {
    for server in ["pleroma", "gotosocial"] {
        for kind in LOST {
            let place = Place::at(server).await?;
            place.fault(kind, "post", 0, 1);
            let standing = place.publish(POST).await?;
            assert_eq!(standing.state, State::Done, "{server} {kind:?}: {standing:?}");
            assert_eq!((place.seen().len(), place.arrived("post")), (1, 1), "{server} {kind:?}");
            assert_eq!(standing.url.as_deref(), place.seen()[0].data["url"].as_str());
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_pleroma_keeps_is_not_what_the_next_try_gets() -> Verdict {
    let place = Place::at("pleroma").await?;
    place.fault(Kind::RateLimit(1.0, None), "post", 0, 1);
    assert_eq!(place.publish(POST).await?.state, State::Done);
    let keys = place.keys();
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
    Ok(())
}

#[tokio::test]
async fn yesterdays_identical_post_is_not_todays() -> Verdict {
    let place = Place::at("gotosocial").await?;
    by_hand(&place, TEXT).await?;
    // The server's clock is a day ahead of the store's from here on: its `Date` tells.
    place.sandbox.advance(Duration::from_hours(24));
    place.fault(Kind::Reset, "post", 0, 1);
    let standing = place.publish(POST).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let seen = place.seen();
    assert_eq!((seen.len(), place.arrived("post")), (2, 3));
    assert_eq!(standing.url.as_deref(), seen[1].data["url"].as_str());
    Ok(())
}

async fn by_hand(place: &Place, text: &str) -> Verdict {
    let url = format!("{}/api/v1/statuses", place.sandbox.url(place.server));
    let request = Request::post(Target::operator(&url)?)
        .secret_header("authorization", &format!("Bearer {TOKEN}"))?
        .body("application/json", json!({ "status": text }).to_string())?;
    assert_eq!(Client::builder().build()?.send(request).await?.status(), 200);
    Ok(())
}

#[tokio::test]
async fn each_part_of_a_thread_answers_the_one_before_whatever_is_lost() -> Verdict {
    for skip in 0..3 {
        let place = Place::at("mastodon").await?;
        place.fault(Kind::AcceptThenReset, "post", skip, 1);
        let standing = place.publish(&thread()).await?;
        assert_eq!(standing.state, State::Done, "{skip}: {standing:?}");
        let seen = place.seen();
        assert_eq!(seen.len(), 3, "{skip}");
        let parents: Vec<_> = seen.iter().map(|it| it.data["in_reply_to_id"].clone()).collect();
        assert_eq!(parents, [Json::Null, json!(seen[0].remote_id), json!(seen[1].remote_id)], "{skip}");
        assert_eq!(standing.url.as_deref(), seen[0].data["url"].as_str());
        let said = seen.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
        assert_eq!(said, "This is one of many sentences in here. ".repeat(30).trim_end());
    }
    Ok(())
}

#[tokio::test]
async fn t42_every_awkward_text_arrives_byte_for_byte_and_is_found_again() -> Verdict {
    for (name, text) in awkward::texts() {
        // GoToSocial knows no keys: what was lost is found by its text alone, or posted twice.
        let place = Place::at("gotosocial").await?;
        place.fault(Kind::AcceptThenReset, "post", 0, 1);
        let plan = place.stage.plan(&text_of(&text)).await?;
        let planned = plan.contents[0].jobs[0].parts.iter().map(|part| part.text.trim().to_owned());
        let standing = place.publish(&text_of(&text)).await?;
        assert_eq!(standing.state, State::Done, "{name}: {standing:?}");
        let seen: Vec<_> = place.seen().into_iter().map(|it| it.text).collect();
        assert_eq!(seen, planned.collect::<Vec<_>>(), "{name}");
    }
    Ok(())
}

fn text_of(body: &str) -> String {
    format!("---\ntitle: T\n---\n{body}")
}

#[tokio::test]
async fn what_the_server_refuses_is_dead_with_its_words() -> Verdict {
    let place = Place::at("mastodon").await?;
    place.fault(Kind::Refuse(422), "post", 0, 1);
    let standing = place.publish(POST).await?;
    assert_eq!((standing.state, code(&standing)), (State::Dead, "http_422"));
    assert_eq!((place.seen().len(), place.arrived("post")), (0, 1));
    Ok(())
}

#[tokio::test]
async fn a_revoked_token_pauses_the_channel_and_no_secret_is_told() -> Verdict {
    let place = Place::at("mastodon").await?;
    place.fault(Kind::RevokedToken, "post", 0, 1);
    let job = place.stage.enqueue(POST).await?;
    let standing = place.stage.once(job).await?;
    assert_eq!((standing.state, code(&standing)), (State::Pending, "http_401"));
    let told = format!("{standing:?} {:?}", place.stage.effects(job).await?);
    assert!(!told.contains(TOKEN), "{told}");
    Ok(())
}

#[tokio::test]
async fn t6_the_time_is_ours_and_not_given_to_a_server_that_would_not_know_a_repeat() -> Verdict {
    let place = Place::at("mastodon").await?;
    let wish = "---\nvariants:\n  it: {text: Hi, scheduled_at: \"2027-01-01T00:00:00Z\"}\n---\nx";
    let plan = place.stage.plan(wish).await?;
    assert!(
        plan.refused[0].code == "option_unknown" && plan.refused[0].text.contains("publish_at"),
        "{plan:?}"
    );
    let typo = place.stage.plan("---\nvariants:\n  it: {text: Hi, visiblity: private}\n---\nx").await?;
    assert!(typo.refused[0].text.contains("`visiblity` is not known"), "{typo:?}");
    Ok(())
}

#[tokio::test]
async fn t34_what_we_count_is_what_the_server_counts() -> Verdict {
    let family = "👨‍👩‍👧‍👦";
    for (text, fits) in [
        (family.repeat(500), true),
        (family.repeat(501), false),
        (format!("{} {}", "가".repeat(476), "https://a.example/".to_owned() + &"x".repeat(300)), true),
        (format!("{} {}", "가".repeat(477), "https://a.example/".to_owned() + &"x".repeat(300)), false),
        (format!("@user@mastodon.example {}", "a".repeat(494)), true),
        (format!("@user@mastodon.example {}", "a".repeat(495)), false),
    ] {
        let place = Place::at("mastodon").await?;
        place.stage.publisher.learn([crate::stage::NAME]).await?;
        let text = format!("---\ntitle: T\nthread: never\n---\n{text}");
        let plan = place.stage.plan(&text).await?;
        assert_eq!(plan.refused.is_empty(), fits, "{:?}", plan.refused);
        if fits {
            assert_eq!(place.publish(&text).await?.state, State::Done);
        } else {
            assert!(plan.refused[0].text.contains("501/500 characters"), "{:?}", plan.refused);
        }
    }
    Ok(())
}

#[tokio::test]
async fn limits_are_the_servers_own() -> Verdict {
    let place = Place::at("gotosocial").await?;
    let text = format!("---\ntitle: T\nthread: never\n---\n{}", "a".repeat(5000));
    assert_eq!(place.stage.plan(&text).await?.refused.len(), 1, "before it was asked, the usual 500");
    place.stage.publisher.learn([crate::stage::NAME]).await?;
    assert_eq!(place.stage.plan(&text).await?.refused, []);
    assert_eq!(place.publish(&text).await?.state, State::Done);
    Ok(())
}

/// A GIF: the stand-in works on it for three seconds.
const GIF: &[u8] = b"GIF89a\x03\0\x04\0\0\0\0;";
const WITH_GIF: &str = "---\nid: gif\ntitle: T\nmedia:\n  - {path: a.gif, alt: \"한글 alt\"}\n---\nHello";

async fn with_gif(place: &Place) -> Verdict<onceward_publish::Standing> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.gif"), GIF)?;
    let file = folder.path().join("post.md");
    let job = place.stage.enqueue_at(&file, WITH_GIF).await?;
    with_time(place, job).await
}

/// Its clock goes on each time that it is asked whether the media are ready.
async fn with_time(place: &Place, job: onceward::JobId) -> Verdict<onceward_publish::Standing> {
    let going = async {
        loop {
            let looks = place.arrived("media");
            place.sandbox.until(|ledger| ledger.arrived("mastodon", "media").count() > looks).await;
            place.sandbox.advance(Duration::from_secs(3));
        }
    };
    tokio::select! {
        standing = place.stage.settle_with(job, |moved| place.sandbox.advance(moved)) => standing,
        () = going => unreachable!(),
    }
}

#[tokio::test]
async fn media_are_waited_for_and_go_with_their_words() -> Verdict {
    let place = Place::at("mastodon").await?;
    assert_eq!(with_gif(&place).await?.state, State::Done);
    let [post] = &place.seen()[..] else { panic!() };
    let media = post.data["media_attachments"].as_array().unwrap();
    assert_eq!((media.len(), &media[0]["description"]), (1, &json!("한글 alt")));
    assert_eq!((place.arrived("upload"), place.arrived("post")), (1, 1));
    Ok(())
}

#[tokio::test]
async fn t43_media_that_are_not_ready_cost_no_post() -> Verdict {
    let place = Place::at("mastodon").await?;
    // The wait is cut short: the server pretends not to know the upload, then refuses the post that names it.
    place.fault(Kind::Refuse(404), "media", 0, 1);
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.gif"), GIF)?;
    let job = place.stage.enqueue_at(&folder.path().join("post.md"), WITH_GIF).await?;
    let first = place.stage.once(job).await?;
    assert_eq!((first.state, code(&first)), (State::Pending, "http_422"), "{first:?}");
    let standing = with_time(&place, job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!((place.seen().len(), place.arrived("post")), (1, 2));
    Ok(())
}

#[tokio::test]
async fn a_check_names_the_account_and_posts_nothing() -> Verdict {
    let place = Place::at("pleroma").await?;
    let channel = channel(&place.sandbox, "pleroma")?;
    let checked = channel.check().await.map_err(|failure| format!("{failure:?}"))?;
    assert!(
        checked.text.contains("Pleroma 2.9.1") && checked.text.contains("5000 characters"),
        "{checked:?}"
    );
    assert!(checked.account.is_some());
    assert_eq!(place.arrived("post"), 0);
    place.fault(Kind::RevokedToken, "account", 0, 1);
    assert!(channel.check().await.is_err());
    Ok(())
}
