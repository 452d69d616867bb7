//! Nothing is posted twice, nothing is lost.

use std::time::Duration;

use onceward::State;
use onceward_sandbox::{Kind, Unit};
use serde_json::{Value as Json, json};

use super::{LOST, NEVER, POST, Place, thread};
use crate::stage::{Verdict, code};

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
async fn a_refusal_that_pleroma_keeps_is_not_what_the_next_try_gets() -> Verdict {
    let place = Place::at("pleroma").await?;
    place.fault(Kind::RateLimit(1.0, None), "post", 0, 1);
    assert_eq!(place.publish(POST).await?.state, State::Done);
    let keys = place.keys();
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
    Ok(())
}

#[tokio::test]
async fn t29_no_request_before_the_time_in_any_unit_and_no_post_lost() -> Verdict {
    let units = [Unit::Seconds, Unit::Float, Unit::Epoch, Unit::Iso, Unit::HttpDate];
    for unit in units.map(Some).into_iter().chain([None]) {
        let place = Place::at("mastodon").await?;
        place.fault(Kind::RateLimit(90.0, unit), "post", 0, 1);
        let job = place.stage.enqueue(POST).await?;
        let begun = place.stage.once(job).await?;
        assert_eq!((begun.state, code(&begun)), (State::Pending, "http_429"), "{unit:?}");
        for (wait, arrived) in [(80, 1), (20, 2)] {
            let wait = Duration::from_secs(wait);
            place.stage.store.set_clock(place.stage.standing(job).await?.now.after(wait));
            place.sandbox.advance(wait);
            place.stage.once(job).await?;
            assert_eq!(place.arrived("post"), arrived, "{unit:?} after {wait:?}");
        }
        assert_eq!(
            (place.stage.standing(job).await?.state, place.seen().len()),
            (State::Done, 1),
            "{unit:?}"
        );
    }
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
