//! Feeds, read back with a parser.

use onceward_db::Time;
use onceward_publish::channels::feed::{Feed, Format, own_link, render};
use onceward_publish::channels::{Entry, Picture, stable_id};
use onceward_publish::media::MediaType;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::Event;

const FORMATS: [Format; 3] = [Format::Rss, Format::Atom, Format::Json];

fn feed() -> Feed {
    Feed {
        channel: "c1".into(),
        title: "Our blog & more".into(),
        link: "https://example.org/".into(),
        own_link: "https://example.org/feed.xml".into(),
        items: 50,
    }
}

fn at(text: &str) -> Time {
    text.parse().unwrap()
}

fn entry(id: &str) -> Entry {
    Entry {
        id: id.into(),
        title: Some("We are live <now>".into()),
        link: Some("https://example.org/launch?a=1&b=2".into()),
        html: "<p>Hello ]]> &amp; 안녕</p>".into(),
        text: "Hello ]]> & 안녕".into(),
        tags: vec!["rust".into(), "큐 \"&\"".into()],
        published: at("2026-12-01T00:00:00Z"),
        updated: at("2026-12-02T00:00:00Z"),
        image: Some(Picture {
            url: "https://example.org/a.png".into(),
            kind: MediaType::Png,
            bytes: 12,
            alt: None,
        }),
    }
}

/// Every element as `path@attribute=value` and `path=text`; panics when the document is not well-formed.
fn flat(xml: &[u8]) -> Vec<(String, String)> {
    let mut reader = Reader::from_str(std::str::from_utf8(xml).unwrap());
    reader.config_mut().check_end_names = true;
    let mut path: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut text = String::new();
    loop {
        let event = reader.read_event().unwrap();
        match event {
            Event::Start(ref start) | Event::Empty(ref start) => {
                path.push(start.name().0.to_owned());
                for attribute in start.attributes() {
                    let attribute = attribute.unwrap();
                    let value = unescape(&attribute.value).unwrap().into_owned();
                    found.push((format!("{}@{}", path.join("/"), attribute.key.0), value));
                }
                text.clear();
                if matches!(event, Event::Empty(_)) {
                    path.pop();
                }
            }
            Event::Text(part) => text.push_str(&part.xml10_content()),
            Event::GeneralRef(part) => match part.resolve_char_ref().unwrap() {
                Some(c) => text.push(c),
                None => text.push_str(resolve_xml_entity(&part).unwrap()),
            },
            Event::End(_) => {
                found.push((path.join("/"), std::mem::take(&mut text)));
                path.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(path.is_empty());
    found
}

fn all<'a>(flat: &'a [(String, String)], path: &str) -> Vec<&'a str> {
    flat.iter().filter(|(found, _)| found == path).map(|(_, value)| value.as_str()).collect()
}

#[test]
fn rss_says_what_the_specification_asks() {
    let xml = flat(&render(&feed(), &[entry("posts/a")], Format::Rss));
    let expected = [
        ("rss@version", "2.0"),
        ("rss/channel/title", "Our blog & more"),
        ("rss/channel/link", "https://example.org/"),
        ("rss/channel/description", "Our blog & more"),
        ("rss/channel/atom:link@href", "https://example.org/feed.xml"),
        ("rss/channel/atom:link@rel", "self"),
        ("rss/channel/lastBuildDate", "Wed, 02 Dec 2026 00:00:00 GMT"),
        ("rss/channel/item/title", "We are live <now>"),
        ("rss/channel/item/link", "https://example.org/launch?a=1&b=2"),
        ("rss/channel/item/guid@isPermaLink", "false"),
        ("rss/channel/item/guid", &stable_id("c1", "posts/a")),
        ("rss/channel/item/pubDate", "Tue, 01 Dec 2026 00:00:00 GMT"),
        ("rss/channel/item/description", "Hello ]]> & 안녕"),
        ("rss/channel/item/content:encoded", "<p>Hello ]]> &amp; 안녕</p>"),
        ("rss/channel/item/enclosure@length", "12"),
        ("rss/channel/item/enclosure@type", "image/png"),
    ];
    for (path, value) in expected {
        assert_eq!(all(&xml, path), [value], "{path}");
    }
    assert_eq!(all(&xml, "rss/channel/item/category"), ["rust", "큐 \"&\""]);
}

#[test]
fn atom_says_what_rfc_4287_asks() {
    let xml = flat(&render(&feed(), &[entry("posts/a")], Format::Atom));
    let expected = [
        ("feed@xmlns", "http://www.w3.org/2005/Atom"),
        ("feed/title", "Our blog & more"),
        ("feed/updated", "2026-12-02T00:00:00Z"),
        ("feed/author/name", "Our blog & more"),
        ("feed/entry/id", &stable_id("c1", "posts/a")),
        ("feed/entry/title", "We are live <now>"),
        ("feed/entry/published", "2026-12-01T00:00:00Z"),
        ("feed/entry/updated", "2026-12-02T00:00:00Z"),
        ("feed/entry/content@type", "html"),
        ("feed/entry/content", "<p>Hello ]]> &amp; 안녕</p>"),
        ("feed/entry/summary", "Hello ]]> & 안녕"),
    ];
    for (path, value) in expected {
        assert_eq!(all(&xml, path), [value], "{path}");
    }
    assert_eq!(all(&xml, "feed/link@rel"), ["alternate", "self"]);
    assert_eq!(
        all(&xml, "feed/entry/link@href"),
        ["https://example.org/launch?a=1&b=2", "https://example.org/a.png"]
    );
    assert_eq!(all(&xml, "feed/entry/category@term"), ["rust", "큐 \"&\""]);
    assert!(all(&xml, "feed/id")[0].starts_with("urn:uuid:"));
}

#[test]
fn json_feed_says_what_version_1_1_asks() {
    let json: serde_json::Value =
        serde_json::from_slice(&render(&feed(), &[entry("posts/a")], Format::Json)).unwrap();
    assert_eq!(json["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(json["feed_url"], "https://example.org/feed.xml");
    let item = &json["items"][0];
    assert_eq!(item["id"], stable_id("c1", "posts/a"));
    assert_eq!(item["url"], "https://example.org/launch?a=1&b=2");
    assert_eq!(item["date_published"], "2026-12-01T00:00:00Z");
    assert_eq!(item["attachments"][0]["mime_type"], "image/png");
    let bare = Entry { link: None, image: None, ..entry("b") };
    let json: serde_json::Value = serde_json::from_slice(&render(&feed(), &[bare], Format::Json)).unwrap();
    assert!(json["items"][0].get("url").is_none() && json["items"][0].get("image").is_none());
}

#[test]
fn an_id_never_changes() {
    assert_eq!(stable_id("c1", "posts/a"), "urn:uuid:870a2132-66fe-80c9-96f8-6fd74a6591d2");
    assert_ne!(stable_id("c1", "posts/a"), stable_id("c2", "posts/a"));
    assert_ne!(stable_id("c", "1a"), stable_id("c1", "a"));
    let other = Entry { title: None, link: None, updated: at("2030-01-01T00:00:00Z"), ..entry("posts/a") };
    let xml = flat(&render(
        &Feed { title: "New".into(), link: "https://new.example/".into(), ..feed() },
        &[other],
        Format::Rss,
    ));
    assert_eq!(all(&xml, "rss/channel/item/guid"), [stable_id("c1", "posts/a")]);
}

#[test]
fn the_same_entries_in_any_order_give_the_same_bytes() {
    let mut entries: Vec<Entry> = ["b", "a", "c"].map(entry).into();
    entries[0].published = at("2026-12-05T00:00:00Z");
    let mut turned = entries.clone();
    turned.reverse();
    for format in FORMATS {
        assert_eq!(render(&feed(), &entries, format), render(&feed(), &turned, format), "{format:?}");
    }
    let xml = flat(&render(&Feed { items: 2, ..feed() }, &turned, Format::Rss));
    assert_eq!(all(&xml, "rss/channel/item/guid"), [stable_id("c1", "b"), stable_id("c1", "a")]);
}

#[test]
fn an_empty_feed_is_a_feed() {
    assert_eq!(all(&flat(&render(&feed(), &[], Format::Atom)), "feed/updated"), ["1970-01-01T00:00:00Z"]);
    assert_eq!(all(&flat(&render(&feed(), &[], Format::Rss)), "rss/channel/title").len(), 1);
    assert!(serde_json::from_slice::<serde_json::Value>(&render(&feed(), &[], Format::Json)).is_ok());
}

#[test]
fn an_entry_without_a_title_is_headed_by_its_text() {
    let untitled = |text: &str| Entry { title: None, text: text.into(), ..entry("posts/a") }.heading();
    assert_eq!(untitled("First line\nsecond"), "First line");
    assert_eq!(untitled(""), "posts/a");
    assert_eq!(untitled(&"가".repeat(100)), format!("{}…", "가".repeat(80)));
    assert_eq!(Entry { title: Some(" a\n b ".into()), ..entry("x") }.heading(), "a b");
}

#[test]
fn the_feed_knows_where_it_is_served() {
    let path = std::path::Path::new("public/feed.xml");
    assert_eq!(own_link("https://example.org/", path), "https://example.org/feed.xml");
    assert_eq!(own_link("https://example.org/blog", path), "https://example.org/blog/feed.xml");
    assert_eq!(Format::of(path), Format::Rss);
    assert_eq!(Format::of("a.ATOM".as_ref()), Format::Atom);
    assert_eq!(Format::of("a/feed.json".as_ref()), Format::Json);
}

/// What XML 1.0 can hold, and nothing else is dropped.
fn speakable(text: &str) -> String {
    let control =
        |c: &char| (*c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().filter(|c| !control(c)).collect()
}

proptest! {
    #[test]
    fn any_text_survives_the_round_trip(
        id in any::<String>(), title in any::<String>(), text in any::<String>(),
        html in "[\\x00-\\x7f가-힣\u{fffe}\u{ffff}\u{1f600}\\]>]{0,60}|\\PC{0,60}", tag in any::<String>(), link in any::<String>(),
    ) {
        let entry = Entry { title: Some(title), link: Some(link.clone()), html: html.clone(), text: text.clone(), tags: vec![tag.clone()], ..entry(&id) };
        let rss = flat(&render(&feed(), std::slice::from_ref(&entry), Format::Rss));
        prop_assert_eq!(all(&rss, "rss/channel/item/description"), [speakable(&text)]);
        prop_assert_eq!(all(&rss, "rss/channel/item/content:encoded"), [speakable(&html)]);
        prop_assert_eq!(all(&rss, "rss/channel/item/category"), [speakable(&tag)]);
        prop_assert_eq!(all(&rss, "rss/channel/item/title"), [speakable(&entry.heading())]);
        let atom = flat(&render(&feed(), std::slice::from_ref(&entry), Format::Atom));
        prop_assert_eq!(all(&atom, "feed/entry/content"), [speakable(&html)]);
        prop_assert_eq!(all(&atom, "feed/entry/category@term"), [speakable(&tag)]);
        prop_assert_eq!(all(&atom, "feed/entry/link@href")[0], speakable(&link));
        let json: serde_json::Value = serde_json::from_slice(&render(&feed(), std::slice::from_ref(&entry), Format::Json)).unwrap();
        prop_assert_eq!(&json["items"][0]["content_html"], &html);
        prop_assert_eq!(&json["items"][0]["content_text"], &text);
        prop_assert_eq!(&json["items"][0]["tags"][0], &tag);
    }
}
