//! Atom 1.0 (RFC 4287).

use super::xml::Xml;
use super::{Entry, Feed, last_change};
use crate::channels::ours::GENERATOR;
use crate::channels::stable_id;

pub(super) fn render(feed: &Feed, entries: &[&Entry]) -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open("feed", &[("xmlns", "http://www.w3.org/2005/Atom")]);
    // First, so that it stands near the beginning however long the title is.
    xml.text("generator", &[], GENERATOR);
    xml.text("id", &[], &stable_id(&feed.channel, ""));
    xml.text("title", &[], &feed.title);
    xml.text("updated", &[], &last_change(entries).to_string());
    xml.open("author", &[]);
    xml.text("name", &[], &feed.title);
    xml.close("author");
    xml.empty("link", &[("rel", "alternate"), ("href", &feed.link)]);
    xml.empty("link", &[("rel", "self"), ("type", "application/atom+xml"), ("href", &feed.own_link)]);
    for entry in entries {
        item(&mut xml, feed, entry);
    }
    xml.close("feed");
    xml.finish()
}

fn item(xml: &mut Xml, feed: &Feed, entry: &Entry) {
    xml.open("entry", &[]);
    xml.text("id", &[], &stable_id(&feed.channel, &entry.id));
    xml.text("title", &[], &entry.heading());
    xml.text("published", &[], &entry.published.to_string());
    xml.text("updated", &[], &entry.updated.to_string());
    if let Some(link) = &entry.link {
        xml.empty("link", &[("rel", "alternate"), ("href", link)]);
    }
    for tag in &entry.tags {
        xml.empty("category", &[("term", tag)]);
    }
    if let Some(image) = &entry.image {
        let length = image.bytes.to_string();
        let enclosure =
            [("rel", "enclosure"), ("type", image.kind.mime()), ("length", &length), ("href", &image.url)];
        xml.empty("link", &enclosure);
    }
    xml.text("summary", &[], &entry.text);
    xml.text("content", &[("type", "html")], &entry.html);
    xml.close("entry");
}
