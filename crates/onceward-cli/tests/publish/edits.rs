//! Edits: updated in place until something leaves, and never sent twice after that.

use crate::site::{FEEDS, Site, post};

const LATER: &str = "publish_at: 2999-01-01T00:00:00Z";

#[test]
fn a_file_that_was_edited_before_it_left_is_updated() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Old text."));
    site.publish(&["a.md"]);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "New text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("updated"), said.total("scheduled")), (0, 3, 3), "{said:?}");
    let payload = site.payload(&said.job("a", "rss"));
    assert_eq!(payload["body"].as_str().unwrap().trim(), "New text.");
    assert_eq!(site.publish(&["a.md"]).total("skipped"), 3);
}

#[test]
fn a_time_taken_out_of_the_file_sends_it_now() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    site.write("a.md", post("title: A", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("updated"), said.total("done")), (0, 3, 3), "{said:?}");
}

#[test]
fn a_time_given_by_hand_outlives_a_run_without_it() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "Text."));
    let said = site.publish(&["a.md", "--at", "2999-01-01 09:00"]);
    assert_eq!((said.code, said.total("scheduled")), (0, 3), "{said:?}");
    assert_eq!(said.document()["contents"][0]["publish_at"], "2999-01-01T00:00:00Z");
    let said = site.publish(&["a.md"]);
    assert_eq!((said.total("skipped"), said.total("scheduled")), (3, 3), "{said:?}");
    site.write("a.md", post("title: A", "Edited."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.total("updated"), said.total("scheduled")), (3, 3), "{said:?}");
    assert!(!site.path("public").exists());
}

#[test]
fn a_file_that_was_edited_after_it_went_out_is_not_sent_again() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "First."));
    site.publish(&["a.md"]);
    let feed = site.read("public/feed.xml");
    site.write("a.md", post("title: A", "Second thoughts."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("skipped"), said.total("done")), (0, 3, 3), "{said:?}");
    assert_eq!(said.job("a", "rss")["changed"], true);
    assert_eq!(site.read("public/feed.xml"), feed);
    assert!(site.run(&["publish", "a.md"]).stdout.contains("--as-new"));
}

#[test]
fn as_new_publishes_on_purpose_and_once() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "First."));
    site.publish(&["a.md"]);
    let said = site.publish(&["a.md", "--as-new", "a-again"]);
    assert_eq!((said.code, said.total("new"), said.total("done")), (0, 3, 3), "{said:?}");
    let said = site.publish(&["a.md", "--as-new", "a-again"]);
    assert_eq!((said.code, &said.document()["refused"][0]["code"]), (2, &"id_taken".into()), "{said:?}");
}

#[test]
fn a_moved_file_is_recognised_and_kept_from_going_out_twice() {
    let site = Site::new(FEEDS);
    site.write("old/a.md", post("title: A", "The same text."));
    site.publish(&["old/a.md"]);
    site.write("new/a.md", post("title: A", "The same text."));
    let said = site.publish(&["new/a.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    let refusal = &said.document()["refused"][0];
    assert_eq!((&refusal["code"], &refusal["channel"]), (&"moved".into(), &"rss".into()));
    assert!(refusal["text"].as_str().unwrap().contains("id: old/a"), "{refusal}");
    site.write("new/a.md", post("id: old/a\ntitle: A", "The same text."));
    std::fs::remove_file(site.path("old/a.md")).unwrap();
    assert_eq!(site.publish(&["new/a.md"]).total("skipped"), 3);
}

#[test]
fn two_files_of_one_text_that_name_their_ids_are_two_posts() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("id: monday\ntitle: A", "The same text."));
    site.write("b.md", post("id: tuesday\ntitle: A", "The same text."));
    let said = site.publish(&["a.md", "b.md"]);
    assert_eq!((said.code, said.total("new"), said.total("done")), (0, 6, 6), "{said:?}");
    site.write("c.md", post("id: wednesday\ntitle: A", "The same text."));
    let said = site.publish(&["a.md", "b.md", "c.md"]);
    assert_eq!((said.code, said.total("new"), said.total("skipped")), (0, 3, 6), "{said:?}");
}

#[test]
fn another_id_in_a_file_that_went_out_or_took_its_place_is_a_move() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("id: monday\ntitle: A", "The same text."));
    site.publish(&["a.md"]);
    site.write("a.md", post("id: tuesday\ntitle: A", "The same text."));
    assert_eq!(site.publish(&["a.md"]).document()["refused"][0]["code"], "moved");
    std::fs::rename(site.path("a.md"), site.path("b.md")).unwrap();
    assert_eq!(site.publish(&["b.md"]).document()["refused"][0]["code"], "moved");
}

#[test]
fn the_first_publish_fixes_the_channels_and_to_adds_one() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    site.publish(&["a.md"]);
    site.write("a.md", post("title: A\nchannels: [rss, json]", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.total("new"), said.total("skipped")), (0, 1), "{said:?}");
    assert_eq!(said.document()["contents"][0]["added"][0], "json");
    let said = site.publish(&["a.md", "--to", "json"]);
    assert_eq!((said.code, said.total("new"), said.total("done")), (0, 1, 1), "{said:?}");
}

#[test]
fn a_channel_taken_out_gets_nothing() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\nchannels: [rss, json]\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    site.write("a.md", post(&format!("title: A\nchannels: [rss]\n{LATER}"), "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled")), (0, 1), "{said:?}");
    assert_eq!(said.document()["contents"][0]["withdrawn"][0]["channel"], "json");
    let jobs = site.jobs();
    let state = |queue: &str| jobs.iter().find(|job| job["queue"] == queue).unwrap()["state"].clone();
    assert_eq!((state("rss"), state("json")), ("pending".into(), "cancelled".into()));
}

#[test]
fn a_renamed_channel_sends_what_was_scheduled_under_its_old_name() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\n{LATER}\nchannels: [rss]"), "Text."));
    site.publish(&["a.md"]);
    site.write("onceward.toml", FEEDS.replace("[channels.rss]", "[channels.news]\nwas = \"rss\""));
    assert_eq!(site.run(&["contents", "reschedule", "a", "--at", "2026-01-01T00:00:00Z"]).code, 0);
    let released = site.run(&["jobs", "run-now", "--all", "--yes"]);
    assert_eq!(released.code, 0, "{released:?}");
    let said = site.run(&["work", "--until-idle", "--queues", "news"]);
    assert_eq!((said.code, said.stdout.trim()), (0, "1 done"), "{said:?}");
    assert!(site.read("public/feed.xml").contains("Text."));
}

#[test]
fn a_former_name_is_followed_after_a_run_without_it() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    site.publish(&["a.md"]);
    let renamed = FEEDS.replace("[channels.rss]", "[channels.news]");
    site.write("onceward.toml", &renamed);
    assert_eq!(site.publish(&["a.md"]).code, 2, "the file still names the old one");
    site.write("onceward.toml", renamed.replace("[channels.news]", "[channels.news]\nwas = \"rss\""));
    site.write("a.md", post("title: A\nchannels: [news]", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("skipped"), said.total("new")), (0, 1, 0), "{said:?}");
    assert_eq!(said.job("a", "news")["url"].as_str().map(|url| url.ends_with("feed.xml")), Some(true));
}

#[test]
fn a_former_name_that_comes_too_late_is_refused() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    site.publish(&["a.md"]);
    let renamed = FEEDS.replace("[channels.rss]", "[channels.news]");
    site.write("onceward.toml", &renamed);
    site.write("b.md", post("title: B\nchannels: [news]", "Other."));
    assert_eq!(site.publish(&["b.md"]).code, 0);
    site.write("onceward.toml", renamed.replace("[channels.news]", "[channels.news]\nwas = \"rss\""));
    let said = site.run(&["publish", "b.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.stderr.contains("news") && said.stderr.contains("was = \"rss\""), "{said:?}");
}

#[test]
fn an_id_belongs_to_one_file_for_as_long_as_that_is_there() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("id: one\ntitle: A\n{LATER}"), "The first text."));
    site.publish(&["a.md"]);
    site.write("b.md", post(&format!("id: one\ntitle: B\n{LATER}"), "Another text."));
    let said = site.publish(&["b.md"]);
    let refused = &said.document()["refused"][0];
    assert_eq!((said.code, &refused["code"], &refused["line"]), (2, &"id_of_another_file".into(), &2.into()));
    assert!(refused["text"].as_str().unwrap().contains("a.md"), "{refused}");
    assert_eq!(site.publish(&["./a.md"]).total("skipped"), 3);
    // A file that is gone was renamed: the other one is its edit.
    std::fs::remove_file(site.path("a.md")).unwrap();
    let said = site.publish(&["b.md"]);
    assert_eq!((said.code, said.total("updated")), (0, 3), "{said:?}");
}

#[test]
fn a_post_that_has_not_left_goes_to_the_channel_that_the_file_names_now() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\nchannels: [rss]\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    site.write("a.md", post(&format!("title: A\nchannels: [json]\n{LATER}"), "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.total("new"), &said.job("a", "json")["state"]), (1, &"pending".into()), "{said:?}");
    let states: Vec<_> = site.jobs().iter().map(|job| job["state"].clone()).collect();
    assert_eq!(states, ["pending", "cancelled"], "newest first");
}

#[test]
fn a_post_that_was_cancelled_and_edited_is_not_said_to_be_out() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    site.run(&["contents", "cancel", "a"]);
    site.write("a.md", post(&format!("title: A\n{LATER}"), "Edited."));
    let said = site.run(&["publish", "a.md"]);
    assert!(said.stdout.contains("cancelled, and edited since"), "{said:?}");
    assert!(!said.stdout.contains("went out"), "{said:?}");
}

#[test]
fn a_cancelled_channel_says_how_it_alone_gets_the_post_all_the_same() {
    let site = Site::new(FEEDS);
    site.write("a.md", post(&format!("title: A\nchannels: [rss, json]\n{LATER}"), "Text."));
    site.publish(&["a.md"]);
    let cancelled = site.run(&["jobs", "cancel", "--queue", "rss", "--yes"]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    for text in ["Text.", "Edited."] {
        site.write("a.md", post(&format!("title: A\nchannels: [rss, json]\n{LATER}"), text));
        let said = site.run(&["publish", "a.md", "--to", "rss"]);
        assert!(said.stdout.contains("--as-new ID --to rss publishes it there all the same"), "{said:?}");
    }
    let said = site.publish(&["a.md", "--as-new", "again", "--to", "rss"]);
    assert_eq!((said.code, said.total("new")), (0, 1), "{said:?}");
}
