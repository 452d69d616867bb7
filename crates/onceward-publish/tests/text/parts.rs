//! A post becomes its parts, or is refused with its counts.

use onceward::Time;
use onceward_publish::content::Thread;
use onceward_publish::text::{Counter, Limit, Room};
use onceward_publish::{Dress, Post};
use serde_json::Value as Json;

pub(crate) fn post(body: &str, thread: Thread) -> Post {
    Post {
        content: "a".into(),
        channel: "c".into(),
        title: None,
        link: Some("https://a.example/".into()),
        tags: vec!["rust".into()],
        body: body.into(),
        media: Vec::new(),
        thread,
        options: std::collections::BTreeMap::default(),
        publish_at: None,
        expire_at: None,
        approve: false,
        alert: false,
    }
}

fn parts(post: &Post, most: usize) -> Result<Vec<String>, String> {
    let dress = Dress { template: None, hashtags: true, link_query: None };
    let dressed = dress.put_on(post, "c", Time::from_micros(0), &Json::Null).unwrap();
    let room = Room::same(&[Limit::new(Counter::Graphemes, most)]);
    dressed.plain_parts(&room).map_err(|reason| format!("{}: {}", reason.code, reason.text))
}

#[test]
fn auto_makes_a_thread_only_of_what_is_too_long() {
    let post = post("First sentence. Second one.", Thread::Auto);
    assert_eq!(parts(&post, 100).unwrap(), ["First sentence. Second one.\n\nhttps://a.example/\n\n#rust"]);
    assert_eq!(parts(&post, 30).unwrap(), ["First sentence. Second one.", "https://a.example/\n\n#rust"]);
}

#[test]
fn never_is_refused_with_its_counts() {
    let post = post(&"가".repeat(253), Thread::Never);
    assert_eq!(
        parts(&post, 270).unwrap_err(),
        "text_too_long: the text has 280/270 characters; shorten it, or let it become a thread with `thread: auto`"
    );
    assert_eq!(parts(&post, 280).unwrap().len(), 1);
}

#[test]
fn parts_that_the_author_wrote_are_sent_as_they_are() {
    let post = post("body", Thread::Parts(vec!["**One**".into(), "Two".into()]));
    assert_eq!(parts(&post, 3).unwrap(), ["One", "Two"]);
    assert_eq!(
        parts(&post, 2).unwrap_err(),
        "text_too_long: part 1 of the thread has 3/2 characters; shorten it"
    );
    let empty = super::parts::post("body", Thread::Parts(vec!["One".into(), " ".into()]));
    assert_eq!(parts(&empty, 3).unwrap_err(), "part_empty: part 2 of the thread has no text");
}

#[test]
fn a_link_that_fits_nowhere_is_refused() {
    let post = post("Look: https://a.example/far-too-long", Thread::Auto);
    assert_eq!(
        parts(&post, 20).unwrap_err(),
        "text_too_long: \"https://a.example/far-too-long\" cannot be cut and has 30/20 characters; shorten it"
    );
}
