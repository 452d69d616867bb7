//! Media are uploaded, waited for, and go with their words.

use std::time::Duration;

use onceward::{JobId, State};
use onceward_publish::Standing;
use onceward_sandbox::Kind;
use serde_json::json;

use super::Place;
use crate::stage::{Verdict, code};

/// A GIF: the stand-in works on it for three seconds.
const GIF: &[u8] = b"GIF89a\x03\0\x04\0\0\0\0;";
const WITH_GIF: &str = "---\nid: gif\ntitle: T\nmedia:\n  - {path: a.gif, alt: \"한글 alt\"}\n---\nHello";

async fn enqueued(place: &Place) -> Verdict<JobId> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.gif"), GIF)?;
    place.stage.enqueue_at(&folder.path().join("post.md"), WITH_GIF).await
}

/// Its clock goes on each time that it is asked whether the media are ready.
async fn with_time(place: &Place, job: JobId) -> Verdict<Standing> {
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
    let job = enqueued(&place).await?;
    assert_eq!(with_time(&place, job).await?.state, State::Done);
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
    let job = enqueued(&place).await?;
    let first = place.stage.once(job).await?;
    assert_eq!((first.state, code(&first)), (State::Pending, "http_422"), "{first:?}");
    let standing = with_time(&place, job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!((place.seen().len(), place.arrived("post")), (1, 2));
    Ok(())
}
