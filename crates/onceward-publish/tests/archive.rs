//! The pages of an archive.

use std::collections::BTreeSet;

use onceward_publish::channels::archive::{Archive, Page, render, slug};
use onceward_publish::channels::{Entry, Picture};
use onceward_publish::media::MediaType;
use proptest::prelude::*;

fn archive() -> Archive {
    Archive { title: "Notes & <more>".into(), page: None }
}

fn entry(id: &str, title: &str, published: &str) -> Entry {
    Entry {
        id: id.into(),
        title: Some(title.into()),
        link: Some("https://example.org/?a=1&b=\"2\"".into()),
        html: "<p>Hello <em>there</em></p>".into(),
        text: "Hello there".into(),
        tags: vec!["<tag>".into()],
        published: published.parse().unwrap(),
        updated: published.parse().unwrap(),
        image: None,
    }
}

fn html(page: &Page) -> &str {
    std::str::from_utf8(&page.bytes).unwrap()
}

#[test]
fn there_is_a_page_for_each_entry_and_an_index() {
    let entries = [
        entry("old", "Old one", "2026-01-01T00:00:00Z"),
        entry("posts/new", "New one", "2026-12-01T00:00:00Z"),
    ];
    let pages = render(&archive(), &entries).unwrap();
    let names: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
    assert_eq!(names, [slug("posts/new").as_str(), "old.html", "index.html"]);
    let index = html(&pages[2]);
    let (new, old) = (index.find("New one").unwrap(), index.find("Old one").unwrap());
    assert!(new < old, "the newest comes first");
    assert!(index.contains(&format!("href=\"{}\"", slug("posts/new"))));
    assert!(html(&pages[0]).contains("<p>Hello <em>there</em></p>"));
    assert!(html(&pages[0]).contains("datetime=\"2026-12-01T00:00:00Z\""));
}

#[test]
fn titles_tags_and_links_are_data() {
    let pages =
        render(&archive(), &[entry("a", "<script>alert(1)</script>", "2026-01-01T00:00:00Z")]).unwrap();
    for page in &pages {
        let html = html(page);
        assert!(!html.contains("<script") && !html.contains("<tag>") && !html.contains("<more>"), "{html}");
        assert!(html.contains("&lt;script&gt;"), "{html}");
    }
    assert!(html(&pages[0]).contains("href=\"https:&#x2f;&#x2f;example.org&#x2f;?a=1&amp;b=&quot;2&quot;\""));
}

#[test]
fn a_picture_is_shown_once() {
    let picture =
        Picture { url: "media/ab.png".into(), kind: MediaType::Png, bytes: 1, alt: Some("A <hill>".into()) };
    let beside = Entry { image: Some(picture), ..entry("a", "A", "2026-01-01T00:00:00Z") };
    let inside = Entry { html: "<p><img src=\"media/ab.png\" alt=\"\" /></p>".into(), ..beside.clone() };
    for entry in [&beside, &inside] {
        let pages = render(&archive(), std::slice::from_ref(entry)).unwrap();
        assert_eq!(html(&pages[0]).matches("<img").count(), 1);
    }
    assert!(html(&render(&archive(), &[beside]).unwrap()[0]).contains("alt=\"A &lt;hill&gt;\""));
}

#[test]
fn pages_stand_alone() {
    let pages = render(&archive(), &[]).unwrap();
    let index = html(&pages[0]);
    assert!(index.contains("Nothing is published yet.") && index.contains("prefers-color-scheme: dark"));
    assert!(!index.contains("src=") && !index.contains("<link"), "nothing is loaded from elsewhere");
}

#[test]
fn the_same_entries_in_any_order_give_the_same_pages() {
    let one = entry("a", "A", "2026-01-01T00:00:00Z");
    let two = entry("b", "B", "2026-01-01T00:00:00Z");
    let turned = render(&archive(), &[two.clone(), one.clone()]).unwrap();
    assert_eq!(render(&archive(), &[one, two]).unwrap(), turned);
}

#[test]
fn an_own_template_is_used_and_escaped_too() {
    let own = Archive { page: Some("{{ entry.heading }}|{{ title }}".into()), ..archive() };
    let pages = render(&own, &[entry("a", "<b>", "2026-01-01T00:00:00Z")]).unwrap();
    assert_eq!(html(&pages[0]), "&lt;b&gt;|Notes &amp; &lt;more&gt;<!-- Made by Onceward -->\n");
    let broken = Archive { page: Some("{{ entry.".into()), ..archive() };
    assert!(render(&broken, &[]).unwrap_err().to_string().contains("page.html"));
}

#[test]
fn a_name_that_a_page_does_not_know_is_refused_before_there_is_an_entry() {
    for (page, name) in [
        ("{{ entry.titel }}", "entry.titel"),
        ("{{ titel }}", "titel"),
        ("{% if title %}{{ post }}{% endif %}", "post"),
    ] {
        let own = Archive { page: Some(page.into()), ..archive() };
        let error = render(&own, &[]).unwrap_err().to_string();
        assert!(
            error.contains(&format!("nothing is called `{name}`")) && error.contains("entry.heading"),
            "{error}"
        );
    }
    let all = "{% for part in [entry.name, entry.heading, entry.link, entry.html, entry.teaser, entry.tags, \
               entry.published, entry.day, entry.updated, entry.image, style, title] %}{{ part is defined }} {% endfor %}";
    let own = Archive { page: Some(all.into()), ..archive() };
    let pages = render(&own, &[entry("a", "A", "2026-01-01T00:00:00Z")]).unwrap();
    assert!(!html(&pages[0]).contains("false"), "{}", html(&pages[0]));
}

#[test]
fn simple_ids_keep_their_name() {
    for id in ["2026-launch", "a", "한국어-글", "été", "snake_case"] {
        assert_eq!(slug(id), format!("{id}.html"));
    }
}

#[test]
fn capitals_stay_readable() {
    let name = slug("posts/MyFirst");
    assert!(name.starts_with("posts-myfirst-"), "{name}");
}

#[test]
fn no_id_leaves_the_folder() {
    let table = [
        "../../etc/passwd",
        "..",
        ".",
        "",
        "/",
        "/etc/passwd",
        "a/../../b",
        "..\\..\\windows",
        "C:\\x",
        "a\0b",
        "a\nb",
        "\u{202e}gpj.exe",
        "%2e%2e%2f",
        "....//",
        "~root",
        "-rf",
        "a/b",
        "index",
        "INDEX",
        "con",
        "COM1",
        "lpt9",
        ".htaccess",
        "a.",
        "a ",
        "a:b",
        "a*?|<>\"",
    ];
    let mut seen = BTreeSet::new();
    for id in table {
        let name = slug(id);
        assert_harmless(&name);
        let stem = name.trim_end_matches(".html");
        assert!(!["index", "con", "com1", "lpt9"].contains(&stem), "{id:?} became {name:?}");
        assert!(seen.insert(name.to_lowercase()), "{id:?} shares the name {name:?}");
    }
}

#[test]
fn an_id_that_looks_like_a_name_of_ours_does_not_take_it() {
    let name = slug("a/b");
    assert_ne!(slug(name.trim_end_matches(".html")), name);
}

fn assert_harmless(name: &str) {
    let stem = name.strip_suffix(".html").unwrap();
    assert!(!stem.is_empty() && name.len() <= 200, "{name:?}");
    assert!(stem.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_'), "{name:?}");
    assert!(!stem.starts_with('-'), "{name:?}");
    assert_eq!(std::path::Path::new(name).components().count(), 1, "{name:?}");
}

proptest! {
    #[test]
    fn every_id_has_a_harmless_name_of_its_own(a in "\\PC{0,300}|[a-c/.A-C-]{0,4}", b in "\\PC{0,300}|[a-c/.A-C-]{0,4}") {
        assert_harmless(&slug(&a));
        if a != b {
            prop_assert_ne!(slug(&a).to_lowercase(), slug(&b).to_lowercase());
        }
    }
}
