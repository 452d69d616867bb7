//! What a person holds, lets go or moves stays so, whatever is published again.

use crate::site::{FEEDS, Said, Site, post};

const LATER: &str = "publish_at: 2999-01-01T00:00:00Z";

fn counts(said: &Said) -> [u64; 4] {
    ["updated", "skipped", "held", "done"].map(|what| said.total(what))
}

/// A post that waits on its three feeds.
fn waiting() -> Site {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    site
}

/// The same, and its time passed while nobody was running.
fn missed() -> Site {
    let site = waiting();
    assert_eq!(site.run(&["contents", "reschedule", "a", "--at", "2020-01-01T00:00:00Z"]).code, 0);
    site
}

#[test]
fn hold_holds_what_waits_already() {
    let site = waiting();
    let said = site.publish(&["a.md", "--hold"]);
    assert_eq!((said.code, counts(&said)), (5, [3, 0, 3, 0]), "{said:?}");
    let said = site.publish(&["a.md", "--hold"]);
    assert_eq!((said.code, counts(&said)), (5, [0, 3, 3, 0]), "{said:?}");
    let said = site.run(&["publish", "a.md"]);
    assert!(said.stdout.contains("waits for a release: onceward contents release a"), "{said:?}");
}

#[test]
fn hold_does_not_call_back_what_went_out() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "Text."));
    site.publish(&["a.md"]);
    let said = site.publish(&["a.md", "--hold"]);
    assert_eq!((said.code, counts(&said)), (0, [0, 3, 0, 3]), "{said:?}");
}

#[test]
fn no_edit_lets_a_missed_post_go() {
    let site = missed();
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, counts(&said)), (5, [0, 3, 3, 0]), "unchanged: {said:?}");
    assert_eq!(said.job("a", "rss")["held"], "missed");
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Edited."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, counts(&said)), (5, [3, 0, 3, 0]), "edited: {said:?}");
    assert_eq!(said.job("a", "rss")["held"], "missed");
    let said = site.run(&["publish", "a.md"]);
    assert!(
        said.stdout.contains("missed its time") && said.stdout.contains("contents release a"),
        "{said:?}"
    );
    assert!(!site.path("public").exists());
    assert_eq!(site.run(&["contents", "release", "a"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, counts(&said)), (0, [0, 3, 0, 3]), "{said:?}");
    assert!(site.read("public/feed.xml").contains("Edited."));
}

#[test]
fn a_missed_post_that_is_given_another_time_still_waits_for_its_release() {
    let site = missed();
    site.publish(&["a.md"]);
    let said = site.publish(&["a.md", "--at", "2999-02-01 09:00"]);
    assert_eq!((said.code, counts(&said)), (5, [3, 0, 3, 0]), "{said:?}");
    assert_eq!(site.run(&["contents", "release", "a"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled"), said.total("skipped")), (0, 3, 3), "{said:?}");
}

#[test]
fn a_time_that_a_person_moved_is_no_edit_before_or_after_the_post_went_out() {
    let site = waiting();
    assert_eq!(site.run(&["contents", "reschedule", "a", "--at", "2999-02-01 09:00"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled"), counts(&said)), (0, 3, [0, 3, 0, 0]), "{said:?}");
    assert_eq!(said.document()["contents"][0]["publish_at"], "2999-02-01T00:00:00Z");
    assert_eq!(site.run(&["jobs", "run-now", "--all", "--yes"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, counts(&said)), (0, [0, 3, 0, 3]), "{said:?}");
    assert_eq!(said.job("a", "rss")["changed"], false);
}

#[test]
fn an_edit_beside_a_moved_time_is_said_and_keeps_that_time() {
    let site = waiting();
    assert_eq!(site.run(&["contents", "reschedule", "a", "--at", "2999-02-01 09:00"]).code, 0);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Edited."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled"), counts(&said)), (0, 3, [3, 0, 0, 0]), "{said:?}");
    let shown = site.run(&["jobs", "show", &said.job("a", "rss")["id"].to_string(), "--json"]).document();
    assert_eq!(shown["run_at"], "2999-02-01T00:00:00Z", "{shown}");
}
