//! RSS 2.0 with `content:encoded` and `atom:link`.

use jiff::fmt::rfc2822::DateTimePrinter;
use onceward_db::Time;

use super::xml::Xml;
use super::{Entry, Feed, last_change};
use crate::channels::ours::GENERATOR;
use crate::channels::stable_id;

const NAMESPACES: [(&str, &str); 3] = [
    ("version", "2.0"),
    ("xmlns:atom", "http://www.w3.org/2005/Atom"),
    ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
];

pub(super) fn render(feed: &Feed, entries: &[&Entry]) -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open("rss", &NAMESPACES);
    xml.open("channel", &[]);
    // First, so that it stands near the beginning however long the title is.
    xml.text("generator", &[], GENERATOR);
    xml.text("title", &[], &feed.title);
    xml.text("link", &[], &feed.link);
    xml.text("description", &[], &feed.title);
    let own = [("href", feed.own_link.as_str()), ("rel", "self"), ("type", "application/rss+xml")];
    xml.empty("atom:link", &own);
    xml.text("lastBuildDate", &[], &date(last_change(entries)));
    for entry in entries {
        item(&mut xml, feed, entry);
    }
    xml.close("channel");
    xml.close("rss");
    xml.finish()
}

fn item(xml: &mut Xml, feed: &Feed, entry: &Entry) {
    xml.open("item", &[]);
    xml.text("title", &[], &entry.heading());
    if let Some(link) = &entry.link {
        xml.text("link", &[], link);
    }
    xml.text("guid", &[("isPermaLink", "false")], &stable_id(&feed.channel, &entry.id));
    xml.text("pubDate", &[], &date(entry.published));
    for tag in &entry.tags {
        xml.text("category", &[], tag);
    }
    xml.text("description", &[], &entry.text);
    xml.text("content:encoded", &[], &entry.html);
    if let Some(image) = &entry.image {
        let length = image.bytes.to_string();
        xml.empty("enclosure", &[("url", &image.url), ("length", &length), ("type", image.kind.mime())]);
    }
    xml.close("item");
}

/// RFC 822, as RSS asks for, with four digits of the year. Years that it cannot say become 1970.
fn date(at: Time) -> String {
    let printer = DateTimePrinter::new();
    printer
        .timestamp_to_rfc9110_string(&at.timestamp())
        .unwrap_or_else(|_| "Thu, 01 Jan 1970 00:00:00 GMT".to_owned())
}
