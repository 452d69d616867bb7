//! What was lost is found among the account's own posts, and nothing else is taken for it.

use std::time::Duration;

use onceward::State;
use onceward_http::{Client, Request, Target};
use onceward_sandbox::Kind;
use serde_json::{Value as Json, json};

use super::{LOST, POST, Place, TEXT, TOKEN};
use crate::awkward;
use crate::stage::Verdict;

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
async fn yesterdays_identical_post_is_not_todays() -> Verdict {
    let place = Place::at("gotosocial").await?;
    by_hand(&place, &json!({ "status": TEXT })).await?;
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

#[tokio::test]
async fn another_text_and_an_answer_to_another_are_not_ours() -> Verdict {
    let place = Place::at("gotosocial").await?;
    let other = by_hand(&place, &json!({ "status": "Another text" })).await?;
    by_hand(&place, &json!({ "status": TEXT, "in_reply_to_id": other["id"] })).await?;
    place.fault(Kind::Reset, "post", 0, 1);
    let standing = place.publish(POST).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let seen = place.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!(standing.url.as_deref(), seen[2].data["url"].as_str());
    Ok(())
}

/// Makes a post as a person would, beside us.
async fn by_hand(place: &Place, status: &Json) -> Verdict<Json> {
    let url = format!("{}/api/v1/statuses", place.sandbox.url(place.server));
    let request = Request::post(Target::operator(&url)?)
        .secret_header("authorization", &format!("Bearer {TOKEN}"))?
        .body("application/json", status.to_string())?;
    Ok(Client::builder().build()?.send(request).await?.json()?)
}

fn text_of(body: &str) -> String {
    format!("---\ntitle: T\n---\n{body}")
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
