//! Posts that wait: for their time, for a release, for a worker elsewhere.

use crate::site::{FEEDS, Site, post};

#[test]
fn a_scheduled_post_is_no_failure() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\npublish_at: \"2999-01-01 09:00\"", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled"), said.total("pending")), (0, 3, 0), "{said:?}");
    let job = said.job("a", "rss");
    assert_eq!((&job["state"], &job["error"], &job["url"]), (&"pending".into(), &().into(), &().into()));
    assert!(!site.path("public").exists());
}

#[test]
fn a_post_that_needs_approval_waits_for_its_release() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\napprove: true", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("held")), (5, 3), "{said:?}");
    assert_eq!(said.job("a", "rss")["held"], "approval");
    assert!(!site.path("public").exists());
    let id = said.job("a", "rss")["id"].to_string();
    assert_eq!(site.run(&["jobs", "release", &id]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("held"), said.total("done")), (5, 2, 1), "{said:?}");
    assert!(site.path("public/feed.xml").exists());
}

#[test]
fn what_was_held_by_hand_stays_held_through_later_runs_and_edits() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "Text."));
    assert_eq!(site.publish(&["a.md", "--hold"]).total("held"), 3);
    assert_eq!(site.publish(&["a.md"]).total("held"), 3);
    site.write("a.md", post("title: A", "Edited."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.total("updated"), said.total("held"), said.code), (3, 3, 5), "{said:?}");
}

#[test]
fn a_worker_sends_what_was_only_enqueued() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "Text."));
    let said = site.publish(&["a.md", "--enqueue-only"]);
    assert_eq!((said.code, said.total("pending")), (5, 3), "{said:?}");
    assert!(!site.path("public").exists());
    let worked = site.run(&["work", "--until-idle"]);
    assert_eq!(worked.code, 0, "{worked:?}");
    assert!(site.read("public/feed.xml").contains("<title>A</title>"));
    assert_eq!(site.publish(&["a.md"]).total("skipped"), 3);
}

#[test]
fn a_post_that_is_past_its_day_is_not_sent() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nexpire_at: 2020-01-01T00:00:00Z", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("new")), (0, 0), "{said:?}");
    assert_eq!(said.document()["drafts"][0]["reason"], "expire_at has passed");
}

#[test]
fn in_quiet_hours_a_post_waits_without_a_fault() {
    // A quiet day but for one minute that is half a day away.
    let now = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).time();
    let half =
        |minutes: i64| now.wrapping_add(jiff::SignedDuration::from_mins(12 * 60 + minutes)).strftime("%H:%M");
    let quiet = format!("type = \"archive\"\nquiet = \"{}-{}\"", half(1), half(0));
    let site = Site::new(&FEEDS.replace("Asia/Seoul", "UTC").replace("type = \"archive\"", &quiet));
    site.write("a.md", post("title: A", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("done"), said.total("scheduled")), (0, 2, 1), "{said:?}");
    assert!(!site.path("public/posts").exists());
}

#[test]
fn a_file_that_cannot_be_written_is_tried_again_and_is_no_doubt() {
    let site = Site::new(FEEDS);
    site.write("public", "a file where a folder should be");
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    let said = site.publish(&["a.md", "--patience", "1s"]);
    assert_eq!((said.code, said.total("pending"), said.total("in_doubt")), (5, 1, 0), "{said:?}");
    let job = said.job("a", "rss");
    assert_eq!(job["error"]["code"], "file_not_written");
    assert!(job["error"]["text"].as_str().unwrap().contains("public"), "{job}");
    std::fs::remove_file(site.path("public")).unwrap();
    assert_eq!(site.run(&["jobs", "run-now", &job["id"].to_string()]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
}

#[test]
fn a_content_is_moved_released_and_cancelled_as_one() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\napprove: true", "Text."));
    site.publish(&["a.md"]);
    let shown = site.run(&["contents", "show", "a", "--json"]).document();
    assert_eq!((&shown["title"], shown["jobs"].as_array().unwrap().len()), (&"A".into(), 3));
    assert_eq!(
        (&shown["jobs"][0]["channel"], &shown["jobs"][0]["held"]),
        (&"rss".into(), &"approval".into())
    );
    let moved = site.run(&["contents", "reschedule", "a", "--at", "2999-01-01 09:00"]);
    assert_eq!(moved.code, 0, "{moved:?}");
    assert_eq!(site.run(&["contents", "release", "a"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("scheduled"), said.total("done")), (0, 3, 0), "{said:?}");
    assert_eq!(site.run(&["contents", "cancel", "a"]).code, 0);
    assert!(site.jobs().iter().all(|job| job["state"] == "cancelled"));
    let listed = site.run(&["contents", "list", "--json"]).document();
    assert_eq!((&listed["items"][0]["id"], &listed["next"]), (&"a".into(), &().into()));
    let unknown = site.run(&["contents", "show", "b", "--json"]);
    assert_eq!((unknown.code, &unknown.document()["error"]["code"]), (1, &"not_found".into()));
    assert!(!site.path("public").exists());
}

#[test]
fn a_released_post_goes_out_however_late_it_is() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\napprove: true", "Text."));
    site.publish(&["a.md"]);
    assert_eq!(site.run(&["contents", "reschedule", "a", "--at", "2020-01-01 09:00"]).code, 0);
    assert_eq!(site.run(&["contents", "release", "a"]).code, 0);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("held"), said.total("done")), (0, 0, 3), "{said:?}");
}

#[test]
fn what_is_enqueued_for_a_time_that_is_over_is_wanted_now() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\npublish_at: 2020-01-01T00:00:00Z", "Text."));
    site.publish(&["a.md", "--enqueue-only"]);
    assert_eq!(site.run(&["work", "--until-idle"]).code, 0);
    assert_eq!(site.publish(&["a.md"]).total("done"), 3);
}

#[test]
fn a_post_that_waits_behind_a_pause_says_so() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nchannels: [rss]", "Text."));
    site.run(&["channels", "pause", "rss"]);
    let said = site.run(&["publish", "a.md", "--patience", "100ms"]);
    assert_eq!(said.code, 5, "{said:?}");
    assert!(said.stdout.contains("paused") && said.stdout.contains("by hand"), "{said:?}");
}

#[test]
fn a_held_post_names_the_command_that_releases_it() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\napprove: true", "Text."));
    let said = site.run(&["publish", "a.md"]);
    assert!(said.stdout.contains("onceward contents release a"), "{said:?}");
    assert_eq!(site.run(&["contents", "release", "a"]).code, 0);
}

#[test]
fn what_waits_for_a_channel_that_is_gone_is_held_and_goes_on_when_it_is_back() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", "Text."));
    site.publish(&["a.md", "--enqueue-only"]);
    let config = site.read("onceward.toml");
    site.write("onceward.toml", "[channels.other]\ntype = \"archive\"\npath = \"other\"\n");
    site.run(&["work", "--until-idle"]);
    let status = site.run(&["status"]);
    assert_eq!(status.code, 5, "{status:?}");
    assert!(status.stdout.contains("not in the configuration; 1 held until it is"), "{status:?}");
    let shown = site.run(&["contents", "show", "a"]);
    assert!(shown.stdout.contains("held: its channel is not configured"), "{shown:?}");
    site.write("onceward.toml", &config);
    let worked = site.run(&["work", "--until-idle", "--json"]);
    assert_eq!((worked.code, &worked.document()["done"]), (0, &3.into()), "{worked:?}");
}
