//! What the real server answers, and what becomes of it.

use std::time::Duration;

use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::vault::Sessions;

use crate::lane::{Lane, Trouble};
use crate::posts::{PICTURE, Post};
use crate::server::{Rates, Server};
use crate::wire::Fault;

/// Publishes one post that is done at once.
async fn published(lane: &Lane, post: &Post) -> [String; 1] {
    let files = [format!("{}.md", post.name)];
    lane.write(&files[0], post.file());
    let ran = lane.publish(&files, Trouble::Nothing).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_did_to_a_post_stands() {
    let server = Server::start(Rates::Free);
    let lane = Lane::new(&server, "my-edits").await;
    // It was written, and the process died before it heard so; then its owner edited it.
    let post = Post::new("edited", 1, false);
    let files = [format!("{}.md", post.name)];
    lane.write(&files[0], post.file());
    lane.publish(&files, Trouble::Write(0, Fault::KilledUnanswered)).await;
    let mut record = server.posts(&lane.account.did).await.remove(0);
    record.value["text"] = "edited by hand".into();
    server.by_hand(&lane.account, &record.uri, Some(&record.value)).await;
    let ran = lane.publish(&files, Trouble::Nothing).await;
    let error = ran.document()["contents"][0]["jobs"][0]["error"].clone();
    assert_eq!((ran.code, &error["code"]), (Some(3), &"record_differs".into()), "{ran:?}");
    let rkey = record.uri.rsplit('/').next().unwrap();
    assert!(error["text"].as_str().unwrap().contains(rkey), "{error}");
    let held = server.posts(&lane.account.did).await;
    assert_eq!(held.iter().map(|it| &it.value["text"]).collect::<Vec<_>>(), ["edited by hand"]);

    // It was published, and its owner deleted it.
    server.by_hand(&lane.account, &record.uri, None).await;
    let files = published(&lane, &Post::new("deleted", 1, false)).await;
    let record = server.posts(&lane.account.did).await.remove(0);
    server.by_hand(&lane.account, &record.uri, None).await;
    let ran = lane.publish(&files, Trouble::Nothing).await;
    assert_eq!((ran.code, &ran.document()["totals"]["skipped"]), (Some(0), &1.into()), "{ran:?}");
    assert_eq!(server.posts(&lane.account.did).await.len(), 0, "what was deleted came back");
}

/// T44. This version of the server takes a million bytes, the present lexicon two.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_sent_byte_for_byte_or_refused_never_made_smaller() {
    let server = Server::start(Rates::Free);
    let lane = Lane::new(&server, "my-pictures").await;
    // What stands behind the end of a PNG is no part of the picture.
    let sized = |bytes: usize| [PICTURE, &vec![7; bytes - PICTURE.len()]].concat();
    lane.write("point.png", sized(1_000_000));
    published(&lane, &Post::new("whole", 1, true)).await;
    let held = server.posts(&lane.account.did).await;
    let image = &held[0].value["embed"]["images"][0];
    assert_eq!((&image["alt"], &image["aspectRatio"]["width"]), (&"A point".into(), &1.into()));
    assert_eq!(server.blob(&lane.account.did, &image["image"]).await, sized(1_000_000));

    for (bytes, exit) in [(2_000_000, 3), (2_000_001, 2)] {
        lane.write("point.png", sized(bytes));
        let post = Post::new(&format!("of-{bytes}"), 1, true);
        let files = [format!("{}.md", post.name)];
        lane.write(&files[0], post.file());
        let ran = lane.publish(&files, Trouble::Nothing).await;
        let said = ["\"media_too_large\"", "blob too big (maximum 1000000, got 2000000)"];
        assert_eq!(ran.code, Some(exit), "{ran:?}");
        assert!(said.iter().any(|said| ran.out.contains(said)), "{ran:?}");
    }
    assert_eq!(server.posts(&lane.account.did).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_and_too_many_logins_are_told_apart() {
    let server = Server::start(Rates::Limited);
    let mut lane = Lane::new(&server, "my-logins").await;
    let good = lane.check().await;
    assert_eq!(good["ok"], true, "{good}");
    lane.account.password = "s3cret-and-wrong".to_owned();
    let wrong = lane.check().await;
    assert_eq!(wrong["problems"][0]["code"], "http_401", "{wrong}");
    assert!(wrong["problems"][0]["text"].as_str().unwrap().contains("app password"), "{wrong}");
    assert!(!wrong.to_string().contains("s3cret"), "{wrong}");
    for _ in 0..28 {
        let (handle, password) = (&lane.account.handle, "wrong as well".into());
        let slot = Sessions::in_memory(None).slot("it", &[handle]);
        let (client, patience) = (Client::builder().build().unwrap(), Duration::from_secs(30));
        let channel = BlueskyChannel::new(&server.url, handle, password, vec![], slot, client, patience);
        assert_eq!(channel.unwrap().check().await.unwrap_err().class(), "auth_needed");
    }
    let limited = lane.check().await;
    assert_eq!(limited["problems"][0]["code"], "http_429", "{limited}");
}
