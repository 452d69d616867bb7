//! Posts as they were written, within the server's limits.

use onceward::State;
use onceward_publish::channel::Channel;
use onceward_sandbox::Kind;
use serde_json::json;

use super::{POST, Place, TEXT, TOKEN, channel};
use crate::stage::{NAME, Verdict, code};

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
        place.stage.publisher.learn([NAME]).await?;
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
    place.stage.publisher.learn([NAME]).await?;
    assert_eq!(place.stage.plan(&text).await?.refused, []);
    assert_eq!(place.publish(&text).await?.state, State::Done);
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
