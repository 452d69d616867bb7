//! What a content file means, and why it is refused.

use std::path::Path;

use jiff::tz::TimeZone;
use onceward_publish::Refusal;
use onceward_publish::content::{Content, Parsed, Rules, Thread, parse};
use onceward_publish::media::{MediaError, MediaFacts, MediaType, Place};

fn rules() -> Rules {
    Rules {
        root: "/site".into(),
        static_root: Some("/site/static".into()),
        timezone: Some(TimeZone::get("Asia/Seoul").unwrap()),
        channels: ["blog", "mastodon", "bluesky", "x"].map(String::from).into(),
        groups: [("social".to_owned(), vec!["mastodon".to_owned(), "blog".to_owned()])].into(),
        default_channels: vec!["social".into()],
        now: "2026-11-29T12:00:00Z".parse().unwrap(),
    }
}

fn look(place: &Place) -> Result<MediaFacts, MediaError> {
    if place.path.ends_with("gone.png") {
        return Err(MediaError::Missing(place.path.clone()));
    }
    Ok(MediaFacts { sha256: "ab".into(), kind: MediaType::Png, bytes: 1, width: Some(1), height: Some(1) })
}

fn parsed(path: &str, text: &str, rules: &Rules) -> Parsed {
    parse(Path::new(path), text.as_bytes(), rules, &look)
}

fn content(text: &str) -> Content {
    match parsed("posts/a.md", text, &rules()) {
        Parsed::Content(content) => *content,
        other => panic!("{text:?}: {other:?}"),
    }
}

fn refused_by(text: &str, rules: &Rules) -> Vec<Refusal> {
    match parsed("posts/a.md", text, rules) {
        Parsed::Refused(refused) => refused,
        other => panic!("{text:?}: {other:?}"),
    }
}

fn refused(text: &str) -> Vec<Refusal> {
    refused_by(text, &rules())
}

#[test]
fn every_key_is_read() {
    let text = "---
id: 2026-launch
title: We are live
link: https://example.org/launch
tags: [rust, 큐, '#hash']
channels: [social, bluesky, mastodon]
publish_at: \"2026-12-01 09:00\"
expire_at: 2026-12-02T00:00:00Z
approve: true
draft: false
media:
  - {path: cover.png, alt: \"A beacon on a hill\"}
  - /logo.png
variants:
  x: A short text for X
  mastodon: {text: Longer, visibility: unlisted}
thread: never
layout: post
weight: 3
---
Body ![inside](pics/in.png) and again ![](cover.png)
";
    let found = content(text);
    assert_eq!((found.id.as_str(), found.title.as_deref()), ("2026-launch", Some("We are live")));
    assert_eq!(found.tags, ["rust", "큐", "hash"]);
    assert_eq!(found.channels, ["mastodon", "blog", "bluesky"]);
    let publish = found.publish_at.unwrap();
    assert_eq!(publish.at.to_string(), "2026-12-01T00:00:00Z");
    assert_eq!(publish.wall.unwrap().zone, "Asia/Seoul");
    assert!(found.approve && found.thread == Thread::Never);
    let media: Vec<_> =
        found.media.iter().map(|m| (m.path.to_str().unwrap(), m.alt.as_deref(), m.line)).collect();
    let expected = [
        ("/site/posts/cover.png", Some("A beacon on a hill"), 12),
        ("/site/static/logo.png", None, 13),
        ("/site/posts/pics/in.png", Some("inside"), 21),
    ];
    assert_eq!(media, expected);
    assert_eq!(found.variants["x"].text.as_deref(), Some("A short text for X"));
    assert_eq!(found.variants["mastodon"].options["visibility"], "unlisted");
    assert_eq!(
        serde_json::to_value(&found.extra).unwrap(),
        serde_json::json!({"layout": "post", "weight": 3})
    );
    assert_eq!((found.lines["variants.mastodon"], found.body_line), (16, 21));
    assert!(found.body.starts_with("Body ![inside]"));
}

#[test]
fn toml_says_the_same() {
    let text = "+++\ntitle = \"A\"\npublish_at = 2026-12-01 09:00:00\ntags = [\"a\"]\n[variants]\nx = \"short\"\n+++\nBody";
    let found = content(text);
    assert_eq!(found.publish_at.unwrap().at.to_string(), "2026-12-01T00:00:00Z");
    assert_eq!(found.variants["x"].text.as_deref(), Some("short"));
    assert_eq!(found.lines["variants.x"], 6);
}

#[test]
fn the_default_id_is_the_path_without_suffix() {
    let table = [
        ("posts/a.md", "posts/a"),
        ("a.md", "a"),
        ("./posts/./a.md", "posts/a"),
        ("posts/x/../a.md", "posts/a"),
        ("/site/posts/a.md", "posts/a"),
        ("posts/a.b.md", "posts/a.b"),
        ("posts/a", "posts/a"),
        ("posts/e\u{301}te\u{301}.md", "posts/été"),
        ("posts/\u{1112}\u{1161}\u{11ab}.md", "posts/한"),
    ];
    for (path, expected) in table {
        let Parsed::Content(found) = parsed(path, "---\ntitle: A\n---\n", &rules()) else { panic!("{path}") };
        assert_eq!(found.id, expected, "{path}");
    }
    for path in ["../a.md", "/elsewhere/a.md", "posts/../../a.md"] {
        let Parsed::Refused(found) = parsed(path, "---\ntitle: A\n---\n", &rules()) else { panic!("{path}") };
        assert_eq!(found[0].code, "id_needed", "{path}");
    }
    let outside = parsed("/elsewhere/a.md", "---\nid: mine\ntitle: A\n---\n", &rules());
    assert!(matches!(outside, Parsed::Content(content) if content.id == "mine"));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf_8_is_called_so() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::path::Path::new(std::ffi::OsStr::from_bytes(b"posts/\xff.md"));
    let found = parse(name, b"---\ntitle: A\n---\n", &rules(), &|_| unreachable!("no media"));
    let Parsed::Refused(found) = found else { panic!("{found:?}") };
    assert!(found[0].text.contains("not UTF-8"), "{found:?}");
}

#[test]
fn an_id_is_text_in_nfc() {
    assert_eq!(content("---\nid: 2026\ntitle: A\n---\n").id, "2026");
    assert_eq!(content("---\nid: ' e\u{301} '\ntitle: A\n---\n").id, "é");
    for id in ["''", "'  '", "\"a\\tb\"", &"a".repeat(201)] {
        assert_eq!(refused(&format!("---\nid: {id}\ntitle: A\n---\n"))[0].code, "id_unreadable", "{id}");
    }
}

#[test]
fn drafts_are_skipped_whatever_else_is_wrong() {
    for (text, reason) in [
        ("---\ndraft: true\nchanels: x\n---\n", "draft: true"),
        ("---\npublished: false\n---\n", "published: false"),
        ("+++\ndraft = true\n+++\n", "draft: true"),
    ] {
        let Parsed::Skipped(skipped) = parsed("posts/a.md", text, &rules()) else { panic!("{text}") };
        assert_eq!(skipped.reason, reason);
    }
    assert!(!content("---\ntitle: A\ndraft: false\npublished: true\n---\n").approve);
}

#[test]
fn each_refusal_names_line_key_and_code() {
    let table: &[(&str, u32, &str, &str)] = &[
        ("# README\n", 1, "", "no_front_matter"),
        ("---\ntitle: A\nchanels: [x]\n---\n", 3, "chanels", "key_unknown"),
        ("---\ntitle: A\npublishAt: 2026-12-01\n---\n", 3, "publishAt", "key_unknown"),
        ("---\nTitle: A\nlink: https://a.example\n---\n", 2, "Title", "key_unknown"),
        ("---\ntitle: A\ntag: x\n---\n", 3, "tag", "key_unknown"),
        ("---\ntitle: A\ndate: 2026-12-24\n---\n", 3, "date", "date_in_future"),
        ("---\ntitle: A\npublishDate: 2026-12-24T00:00:00Z\n---\n", 3, "publishDate", "date_in_future"),
        ("---\ntitle: A\npubDate: 'Dec 24 2026'\n---\n", 3, "pubDate", "date_unreadable"),
        ("+++\ntitle = \"A\"\ndate = 2026-12-24\n+++\n", 3, "date", "date_in_future"),
        ("---\ntitle: A\npublish_at: soon\n---\n", 3, "publish_at", "date_unreadable"),
        (
            "---\ntitle: A\npublish_at: 2026-12-01T09:00+08:00[Asia/Seoul]\n---\n",
            3,
            "publish_at",
            "date_conflict",
        ),
        (
            "---\ntitle: A\npublish_at: 2026-12-02\nexpire_at: 2026-12-01\n---\n",
            4,
            "expire_at",
            "expires_first",
        ),
        ("---\ntitle: A\nvariants:\n  x: ok\n  mastodn: no\n---\n", 5, "variants.mastodn", "variant_unknown"),
        ("---\ntitle: A\nvariants:\n  social: no\n---\n", 4, "variants.social", "variant_unknown"),
        ("---\ntitle: A\nvariants: [x]\n---\n", 3, "variants", "value_wrong_type"),
        ("---\ntitle: A\nvariants:\n  x: [a]\n---\n", 4, "variants.x", "value_wrong_type"),
        ("---\ntitle: A\nchannels:\n  - blog\n  - twitter\n---\n", 5, "channels", "channel_unknown"),
        ("---\ntitle: A\nchannels: []\n---\n", 3, "channels", "channels_empty"),
        ("---\ntitle: [a]\n---\n", 2, "title", "value_wrong_type"),
        ("---\ntitle: A\ndraft: yes\n---\n", 3, "draft", "value_wrong_type"),
        ("---\ntitle: A\napprove: 1\n---\n", 3, "approve", "value_wrong_type"),
        ("---\ntitle: A\ntags: a, b\n---\n", 3, "tags", "value_wrong_type"),
        ("---\ntitle: A\nthread: always\n---\n", 3, "thread", "value_wrong_type"),
        ("---\ntitle: A\nlink: example.org\n---\n", 3, "link", "link_unreadable"),
        ("---\ntitle: A\nlink: javascript:alert(1)\n---\n", 3, "link", "link_unreadable"),
        ("---\ntitle: A\nmedia:\n  - gone.png\n---\n", 4, "media", "media_missing"),
        ("---\ntitle: A\nmedia:\n  - {alt: x}\n---\n", 4, "media", "media_without_path"),
        ("---\ntitle: A\nmedia:\n  - {path: a.png, atl: x}\n---\n", 4, "media", "key_unknown"),
        ("---\ntitle: A\nmedia: [../a.png]\n---\n", 3, "media", "media_outside"),
        ("---\ntitle: A\nmedia: ['/../a.png']\n---\n", 3, "media", "media_outside"),
        ("---\ntitle: A\nmedia: ['https://a.example/a.png']\n---\n", 3, "media", "media_is_address"),
        ("---\ntitle: A\n---\n\n![x](gone.png)\n", 5, "media", "media_missing"),
        ("---\ntitle: A\n---\n\n![x](..%2f..%2fa.png)\n", 5, "media", "media_outside"),
        ("---\ntitle: \"a\\0b\"\n---\n", 2, "title", "text_has_nul"),
        ("---\ntitle: A\n---\na\n\0\n", 5, "body", "text_has_nul"),
    ];
    for (text, line, key, code) in table {
        let found = refused(text);
        let first = &found[0];
        let found_key = first.key.as_deref().unwrap_or_default();
        assert_eq!(
            (first.line, found_key, first.code.as_str()),
            (Some(*line), *key, *code),
            "{text:?}: {found:?}"
        );
        assert_eq!(first.file, "posts/a.md");
    }
}

#[test]
fn a_refusal_reads_as_a_line_of_a_compiler() {
    let found = refused("---\ntitle: A\nchanels: [x]\n---\n");
    assert_eq!(found[0].to_string(), "posts/a.md:3: unknown key chanels; did you mean channels?");
}

#[test]
fn nothing_to_publish_is_refused() {
    for front in ["layout: post", "title: \"\"", "title: \" \""] {
        assert_eq!(refused(&format!("---\n{front}\n---\n  \n"))[0].code, "content_empty", "{front}");
    }
}

#[test]
fn all_refusals_of_a_file_come_together_by_line() {
    let found =
        refused("---\nchanels: x\ntitle: [a]\npublish_at: soon\nmedia: [gone.png]\n---\n![](gone.png)\n");
    let lines: Vec<_> = found.iter().map(|refusal| refusal.line.unwrap()).collect();
    assert_eq!(lines, [2, 3, 4, 5, 7]);
}

#[test]
fn keys_of_other_tools_are_kept_and_not_mistaken() {
    for key in [
        "layout",
        "slug",
        "author",
        "description",
        "categories",
        "summary",
        "image",
        "cover",
        "permalink",
        "weight",
        "type",
        "url",
        "aliases",
        "linkTitle",
        "lastmod",
        "excerpt",
        "series",
        "toc",
        "lang",
        "subtitle",
    ] {
        let found = content(&format!("---\ntitle: A\n{key}: v\n---\n"));
        assert_eq!(found.extra[key], "v", "{key}");
    }
}

#[test]
fn a_date_of_another_tool_does_no_harm_when_it_is_past_or_publish_at_is_there() {
    assert!(content("---\ntitle: A\ndate: 2026-11-29\n---\n").publish_at.is_none());
    assert!(content("---\ntitle: A\ndate: 2026-11-29 21:00:00 +0900\n---\n").publish_at.is_none());
    assert!(content("---\ntitle: A\ndate: 2026-12-24\npublish_at: 2026-12-24\n---\n").publish_at.is_some());
    assert_eq!(refused("---\ntitle: A\ndate: 2026-11-29 21:00:01 +0900\n---\n")[0].code, "date_in_future");
}

#[test]
fn a_local_date_needs_a_zone() {
    let rules = Rules { timezone: None, ..rules() };
    let found = refused_by("---\ntitle: A\npublish_at: 2026-12-01 09:00\n---\n", &rules);
    assert_eq!((found[0].line, found[0].code.as_str()), (Some(3), "date_without_zone"));
    let kept = parsed("posts/a.md", "---\ntitle: A\npublish_at: 2026-12-01T09:00:00+09:00\n---\n", &rules);
    assert!(matches!(kept, Parsed::Content(_)));
}

#[test]
fn threads_and_single_words_are_read() {
    let found = content("---\ntitle: A\nthread:\n  - one\n  - two\nchannels: blog\ntags: rust\n---\n");
    assert_eq!(found.thread, Thread::Parts(vec!["one".into(), "two".into()]));
    assert_eq!((found.channels, found.tags), (vec!["blog".to_owned()], vec!["rust".to_owned()]));
    assert_eq!(content("---\ntitle: A\n---\n").channels, ["mastodon", "blog"]);
}

#[test]
fn a_content_survives_json() {
    let found =
        content("---\ntitle: A\npublish_at: 2026-12-01\nvariants: {x: short}\nmedia: [a.png]\n---\nBody");
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Content>(&json).unwrap(), found);
}

proptest::proptest! {
    #[test]
    fn no_file_panics(text in "(---|\\+\\+\\+)\n[a-z:= \\[\\]{}\"'0-9\n-]{0,120}\n(---|\\+\\+\\+)\n\\PC{0,80}") {
        let _ = parsed("posts/a.md", &text, &rules());
    }
}
