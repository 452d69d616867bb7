//! JSON Feed 1.1.

use serde_json::{Map, Value, json};

use super::{Entry, Feed};
use crate::channels::ours::{GENERATOR, JSON_KEY};
use crate::channels::{Picture, stable_id};

pub(super) fn render(feed: &Feed, entries: &[&Entry]) -> Vec<u8> {
    // Sorted, the key stands first.
    let json = json!({
        JSON_KEY: { "generator": GENERATOR },
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.link,
        "feed_url": feed.own_link,
        "items": entries.iter().map(|entry| item(feed, entry)).collect::<Vec<_>>(),
    });
    format!("{json:#}\n").into_bytes()
}

fn item(feed: &Feed, entry: &Entry) -> Value {
    let mut item = Map::new();
    let mut set = |key: &str, value: Value| item.insert(key.to_owned(), value);
    set("id", stable_id(&feed.channel, &entry.id).into());
    set("title", entry.heading().into());
    set("content_html", entry.html.clone().into());
    set("content_text", entry.text.clone().into());
    set("date_published", entry.published.to_string().into());
    set("date_modified", entry.updated.to_string().into());
    set("tags", entry.tags.clone().into());
    if let Some(link) = &entry.link {
        set("url", link.clone().into());
    }
    if let Some(image) = &entry.image {
        set("image", image.url.clone().into());
        set("attachments", json!([attachment(image)]));
    }
    Value::Object(item)
}

fn attachment(image: &Picture) -> Value {
    json!({"url": image.url, "mime_type": image.kind.mime(), "size_in_bytes": image.bytes})
}
