//! A restored backup: what may have been sent after it was made is told, found out, and not edited in place.

use crate::site::{FEEDS, Said, Site, post};

const LATER: &str = "publish_at: 2999-01-01T00:00:00Z";
const MAYBE: &str = "may have been sent in commits that the store lost";

/// The same in the copy.
fn copy(site: &Site, args: &[&str]) -> Said {
    site.run(&[args, &["--store", "sqlite://copy.db"]].concat())
}

/// A post on two channels, enqueued and copied.
fn copied(front: &str) -> Site {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\nchannels: [rss, json]\n{front}"), "Text."));
    assert_eq!(site.publish(&["a.md", "--enqueue-only"]).total("new"), 2);
    assert_eq!(site.run(&["db", "backup", "copy.db"]).code, 0);
    site
}

#[test]
fn what_is_planned_in_a_copy_may_have_been_moved_and_sent() {
    let site = copied(LATER);
    assert!(copy(&site, &["status"]).stdout.contains("restored: 1 of json, 1 of rss"));
    assert!(copy(&site, &["jobs", "list"]).stdout.contains(MAYBE), "before anything is written");
    assert!(copy(&site, &["contents", "show", "a"]).stdout.contains(MAYBE));
    site.write("a.md", post(&format!("title: A\nchannels: [rss]\n{LATER}"), "Edited."));
    let said = copy(&site, &["publish", "a.md"]);
    assert!(said.stdout.contains(&format!("{MAYBE}, so it stays as it was")), "{said:?}");
    assert!(said.stdout.contains(&format!("taken back from json ({MAYBE})")), "{said:?}");
    let cancelled = copy(&site, &["contents", "cancel", "a"]);
    assert!(
        cancelled.stdout.contains("maybe sent") && !cancelled.stdout.contains("never sent"),
        "{cancelled:?}"
    );
}

#[test]
fn who_looked_says_so_and_edits_what_is_planned() {
    let site = copied(LATER);
    site.write("a.md", post(&format!("title: A\nchannels: [rss, json]\n{LATER}"), "Edited."));
    let jobs = copy(&site, &["jobs", "list", "--json", "--queue", "rss"]);
    let id = jobs.document()["items"][0]["id"].to_string();
    let said = copy(&site, &["publish", "a.md"]);
    assert!(said.stdout.contains(&format!("onceward doubt resolve {id} --did-not-happen")), "{said:?}");
    assert_eq!(copy(&site, &["doubt", "resolve", &id, "--did-not-happen"]).code, 0);
    let said = copy(&site, &["publish", "a.md", "--json"]);
    assert_eq!((said.code, said.total("updated"), said.total("skipped")), (0, 1, 1), "{said:?}");
}

#[test]
fn a_held_post_of_a_copy_says_how_it_is_released() {
    let site = copied("approve: true");
    let release = "onceward contents release a";
    let said = copy(&site, &["publish", "a.md"]);
    assert!(said.stdout.contains(release) && said.stdout.contains(MAYBE), "{said:?}");
    site.write("a.md", post("title: A\nchannels: [rss, json]\napprove: true", "Edited."));
    let said = copy(&site, &["publish", "a.md"]);
    assert!(said.stdout.contains(release) && said.stdout.contains(MAYBE), "{said:?}");
}

#[test]
fn a_restored_copy_says_what_may_have_been_sent_and_edits_nothing_of_it() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    site.publish(&["a.md", "--enqueue-only"]);
    assert_eq!(site.run(&["db", "backup", "copy.db"]).code, 0);
    let copy = |args: &[&str]| site.run(&[args, &["--store", "sqlite://copy.db"]].concat());
    let status = copy(&["status"]);
    assert!(status.stdout.contains("restored: 1 of rss"), "before anything is written: {status:?}");
    site.write("a.md", post("title: A\nchannels: [rss]", "Edited."));
    let said = copy(&["publish", "a.md", "--enqueue-only"]);
    assert!(said.stdout.contains(&format!("{MAYBE}, so it stays as it was")), "{said:?}");
    assert!(copy(&["jobs", "list"]).stdout.contains(MAYBE));
    assert!(copy(&["contents", "show", "a"]).stdout.contains(MAYBE));
    let cancelled = copy(&["contents", "cancel", "a"]);
    assert!(cancelled.stdout.contains("maybe sent"), "{cancelled:?}");
}

#[test]
fn a_channel_taken_out_after_a_loss_gets_nothing_more_and_may_have_it() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss, json]\napprove: true", "Text."));
    site.publish(&["a.md"]);
    assert_eq!(site.run(&["db", "backup", "copy.db"]).code, 0);
    site.write("a.md", post("title: A\nchannels: [rss]\napprove: true", "Text."));
    let said = site.run(&["publish", "a.md", "--store", "sqlite://copy.db"]);
    assert!(said.stdout.contains("taken back from json (may have been sent"), "{said:?}");
    let listed = site.run(&["jobs", "list", "--json", "--queue", "json", "--store", "sqlite://copy.db"]);
    assert_eq!(listed.document()["items"][0]["state"], "cancelled", "{listed:?}");
}

#[test]
fn a_dead_job_of_a_restored_copy_still_says_what_killed_it() {
    let site = Site::new(FEEDS);
    let broken = ["enqueue", "--queue", "rss", "--kind", "publish.post", "--payload", "{}"];
    assert_eq!(site.run(&broken).code, 0);
    assert_eq!(site.run(&["db", "backup", "copy.db"]).code, 0);
    site.run(&["work", "--until-idle", "--store", "sqlite://copy.db"]);
    let listed = site.run(&["jobs", "list", "--store", "sqlite://copy.db"]);
    assert!(listed.stdout.contains("may have been sent"), "{listed:?}");
    assert!(listed.stdout.contains("payload_unreadable"), "{listed:?}");
}
