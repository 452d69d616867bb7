//! What is wrong is said before anything is enqueued, with file and line; a look writes nothing.

use crate::site::{FEEDS, Site, post};

fn mixed() -> Site {
    let site = Site::new(FEEDS);
    site.write("good.md", post("title: Good", "Text."));
    site.write("bad.md", post("title: Bad\nchanels: [rss]", "Text."));
    site.write("draft.md", post("title: Draft\ndraft: true", "Text."));
    site
}

#[test]
fn one_refused_file_keeps_all_of_them_back() {
    let site = mixed();
    let said = site.run(&["publish", "good.md", "bad.md", "draft.md"]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{said:?}");
    assert!(said.stderr.contains("bad.md:3: ") && said.stderr.contains("channels"), "{said:?}");
    assert!(said.stderr.contains("--skip-refused"), "{said:?}");
    assert!(site.jobs().is_empty() && !site.path("public").exists());
    let said = site.publish(&["good.md", "bad.md"]);
    let document = said.document();
    assert_eq!((said.code, said.total("new")), (2, 0));
    let refusal = &document["refused"][0];
    assert_eq!(
        (&refusal["file"], &refusal["line"], &refusal["code"]),
        (&"bad.md".into(), &3.into(), &"key_unknown".into())
    );
}

#[test]
fn skip_refused_goes_on_with_the_others_and_lists_drafts() {
    let site = mixed();
    let said = site.publish(&["good.md", "bad.md", "draft.md", "--skip-refused"]);
    assert_eq!((said.code, said.total("done")), (0, 3), "{said:?}");
    let document = said.document();
    assert_eq!(document["refused"].as_array().unwrap().len(), 1);
    assert_eq!(document["drafts"][0]["file"], "draft.md");
    assert_eq!(document["contents"].as_array().unwrap().len(), 1);
}

#[test]
fn skip_refused_with_nothing_to_go_on_with_is_a_refusal() {
    let site = mixed();
    for args in [&["bad.md", "--skip-refused"][..], &["bad.md", "draft.md", "--skip-refused", "--dry-run"]] {
        let said = site.publish(args);
        assert_eq!(
            (said.code, &said.document()["refused"][0]["code"]),
            (2, &"key_unknown".into()),
            "{said:?}"
        );
    }
    assert_eq!(site.publish(&["draft.md", "--skip-refused"]).code, 0, "a draft is not refused");
}

#[test]
fn quiet_says_only_what_is_wrong() {
    let site = mixed();
    let said = site.run(&["publish", "-q", "good.md", "bad.md", "--skip-refused"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{said:?}");
    assert!(said.stderr.starts_with("refused: bad.md:3: ") && said.stderr.lines().count() == 1, "{said:?}");
    let said = site.run(&["publish", "-q", "good.md", "--json"]);
    assert_eq!(said.total("done"), 3, "{said:?}");
}

#[test]
fn a_secret_that_is_not_set_is_refused_before_anything_is_enqueued() {
    let hook =
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:9/\"\nsecret = { env = \"HOOK\" }\n";
    let site = Site::new(&format!("{FEEDS}{hook}"));
    site.write("a.md", post("title: A\nchannels: [rss, hook]", "Text."));
    let said = site.publish(&["a.md"]);
    let refusal = said.document()["refused"][0].clone();
    assert_eq!(
        (said.code, &refusal["code"], &refusal["channel"]),
        (2, &"secret_missing".into(), &"hook".into())
    );
    assert_eq!(refusal["line"], 3);
    assert!(refusal["text"].as_str().unwrap().contains("HOOK"), "{refusal}");
    assert!(site.jobs().is_empty());
}

#[test]
fn a_secret_that_cannot_be_one_sets_its_channel_aside_and_is_said_once() {
    let hook =
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:9/\"\nsecret = { env = \"HOOK\" }\n";
    for (value, code) in [("whsec_n0t base64!", "secret_invalid"), ("", "secret_missing")] {
        let site = Site::new(&format!("{FEEDS}{hook}")).with("HOOK", value);
        site.write("a.md", post("title: A\nchannels: [hook]", "Text."));
        site.write("b.md", post("title: B\nchannels: [hook]", "Other text."));
        site.write("c.md", post("title: C\nchannels: [rss]", "Third text."));
        let said = site.run(&["publish", "a.md", "b.md", "c.md", "--skip-refused"]);
        assert!(said.code == 0 && site.path("public/feed.xml").exists(), "{said:?}");
        let told: Vec<_> =
            said.stderr.lines().filter(|line| line.contains("channel hook: secret: ")).collect();
        assert!(
            told.len() == 1 && told[0].contains("onceward.toml:20") && told[0].contains("1 more"),
            "{said:?}"
        );
        assert!(!said.stderr.contains("n0t"), "{said:?}");
        assert_eq!(site.publish(&["a.md"]).document()["refused"][0]["code"], code);
    }
}

#[test]
fn a_dry_run_shows_each_text_and_writes_nothing() {
    let site = mixed();
    let said = site.run(&["publish", "good.md", "draft.md", "--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("== good → rss · 1/1 · 5\nText."), "{said:?}");
    assert!(said.stdout.contains("draft.md (draft: true)"), "{said:?}");
    let said = site.publish(&["good.md", "--dry-run"]);
    assert_eq!(said.job("good", "archive")["parts"][0]["text"], "Text.");
    assert_eq!(site.publish(&["bad.md", "--dry-run"]).code, 2);
    let mut names: Vec<_> =
        std::fs::read_dir(site.path(".")).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["bad.md", "draft.md", "good.md", "onceward.toml"]);
}

#[test]
fn a_dry_run_says_when_each_post_goes_out_and_which_waits_for_approval() {
    let site = Site::new(FEEDS);
    site.write("now.md", post("title: At once\nchannels: [rss]", "Text."));
    site.write(
        "then.md",
        post("title: Later\nchannels: [rss]\npublish_at: 2999-01-01 09:00\napprove: true", "Text."),
    );
    site.write("old.md", post("title: Old\nchannels: [rss]\npublish_at: 2020-01-01 09:00", "Text."));
    let said = site.run(&["publish", "now.md", "then.md", "old.md", "--dry-run"]);
    for line in [
        "now: At once · goes out at once\n== now → rss · 1/1 · 5\nText.",
        "then: Later · goes out 2999-01-01T00:00:00Z (",
        "== then → rss · waits for approval · 1/1 · 5\nText.",
        "old: Old · 2020-01-01T00:00:00Z is in the past: goes out at once\n== old → rss",
    ] {
        assert!(said.stdout.contains(line), "{line}: {said:?}");
    }
    let said = site.run(&["publish", "now.md", "--dry-run", "--hold", "--at", "2998-01-01 09:00"]);
    assert!(said.stdout.contains("now: At once · goes out 2998-01-01T00:00:00Z ("), "{said:?}");
    assert!(said.stdout.contains("== now → rss · waits for approval"), "{said:?}");
    let shown = site.publish(&["then.md", "--dry-run"]).document();
    assert_eq!(shown["contents"][0]["title"], "Later");
    assert_eq!(site.publish(&["then.md", "--dry-run"]).job("then", "rss")["held"], "approval");
    assert_eq!(site.publish(&["now.md"]).code, 0);
    let said = site.run(&["publish", "now.md", "--dry-run"]);
    assert!(said.stdout.contains("now: At once\n== now → rss · left as it is"), "{said:?}");
    let said = site.publish(&["old.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "as it was said: {said:?}");
}

#[test]
fn a_post_without_a_channel_is_refused_and_told_where_to_name_one() {
    for (config, says) in [
        ("", "[channels.NAME]"),
        (&*FEEDS.replace("[publish]", "[publish]\nchannels = []"), "`channels` in [publish], or by --to"),
    ] {
        let site = Site::new(config);
        site.write("a.md", post("title: A", "Text."));
        for args in [&["a.md"][..], &["a.md", "--dry-run"]] {
            let said = site.publish(args);
            let refusal = said.document()["refused"][0].clone();
            assert_eq!((said.code, &refusal["code"]), (2, &"no_channel".into()), "{said:?}");
            assert!(refusal["text"].as_str().unwrap().contains(says), "{refusal}");
        }
        let said = site.run(&["publish", "a.md"]);
        assert!(said.stderr.contains("a.md: the post has no channel"), "{said:?}");
        if !config.is_empty() {
            let said = site.publish(&["a.md", "--to", "rss"]);
            assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
            // It went where it was meant to go, and the file asks for no more.
            assert_eq!(site.publish(&["a.md"]).code, 0);
        }
    }
}

#[test]
fn a_flood_needs_a_yes() {
    let site = Site::new(&FEEDS.replace("[publish]", "[publish]\nburst = 1"));
    site.write("a.md", post("title: A", "Text A."));
    site.write("b.md", post("title: B", "Text B."));
    let said = site.publish(&["a.md", "b.md"]);
    assert_eq!((said.code, &said.document()["error"]["code"]), (2, &"burst".into()), "{said:?}");
    assert!(site.jobs().is_empty());
    assert_eq!(site.publish(&["a.md", "b.md", "--yes"]).code, 0);
}

#[test]
fn a_wrong_template_is_refused_with_its_channel() {
    let site = Site::new(&FEEDS.replace("type = \"archive\"", "type = \"archive\"\npage = \"page.html\""));
    site.write("page.html", "{{ entry.heading");
    site.write("a.md", post("title: A", "Text."));
    let said = site.publish(&["a.md"]);
    let refusal = &said.document()["refused"][0];
    assert_eq!(
        (said.code, &refusal["code"], &refusal["channel"]),
        (2, &"template_wrong".into(), &"archive".into())
    );
}

#[test]
fn flags_that_cannot_be_meant_are_usage_errors() {
    let site = mixed();
    assert_eq!(site.publish(&["good.md", "--sandbox", "--dry-run"]).code, 2);
    assert_eq!(site.publish(&["good.md", "draft.md", "--as-new", "x"]).code, 2);
    let said = site.publish(&["good.md", "--to", "archve"]);
    assert!(said.code == 2 && said.stdout.contains("archive"), "{said:?}");
    let said = site.publish(&["good.md", "--at", "soon"]);
    assert!(said.code == 2 && said.stdout.contains("--at"), "{said:?}");
    assert!(!site.path("public").exists());
}

fn pipe(site: &Site, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(site.path(name)).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_pipe_is_refused_by_name_and_not_waited_for() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A\nmedia: [{path: pipe, alt: An open end}]", "Text."));
    pipe(&site, "pipe");
    std::fs::create_dir(site.path("folder.md")).unwrap();
    for (args, code, says) in [
        (&["publish", "pipe"][..], 2, "pipe: "),
        (&["publish", "a.md"], 2, "pipe cannot be read"),
        (&["publish", "folder.md"], 2, "folder.md: "),
        (&["publish", "a.md", "--config", "pipe"], 2, "pipe"),
        (&["publish", "a.md", "--sandbox", "--faults", "pipe"], 1, "pipe"),
        (&["enqueue", "--queue", "q", "--kind", "k", "--payload", "@pipe"], 2, "--payload -"),
    ] {
        let said = site.run(args);
        assert!(
            said.stderr.contains(says) && said.stderr.contains("only regular files are read"),
            "{args:?}: {said:?}"
        );
        assert_eq!(said.code, code, "{args:?}: {said:?}");
    }
}

#[test]
fn a_file_far_too_large_is_not_said_to_have_one_byte_too_many() {
    let site = Site::new(FEEDS);
    site.write("a.md", post("title: A", &"x".repeat(3 << 20)));
    let said = site.publish(&["a.md"]);
    let refused = &said.document()["refused"][0];
    assert_eq!((said.code, &refused["code"]), (2, &"file_too_large".into()), "{said:?}");
    assert!(refused["text"].as_str().unwrap().contains("more than 1048576 bytes"), "{refused}");
}
