//! What is frozen of a part, and what a server holds against it.

use onceward::{Cause, Failure, Receipt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

/// Where posts are in an account's repository.
pub(super) const COLLECTION: &str = "app.bsky.feed.post";

/// One post, complete but for the post that it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Frozen {
    /// The account; empty until it is prepared. The post never moves to another.
    #[serde(default)]
    pub(super) did: String,
    /// The record as the server gets it.
    pub(super) record: Map<String, Json>,
    /// Names in the text whose accounts are not known yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) mentions: Vec<Mention>,
    /// What the record shows, to be uploaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pictures: Vec<Picture>,
}

/// `@handle` in the text, by bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mention {
    pub(super) handle: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A picture in our store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Picture {
    pub(super) sha256: String,
    pub(super) mime: String,
    pub(super) alt: String,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

impl Frozen {
    /// Makes names into mentions, as far as they were found to be somebody's.
    pub(super) fn mention(&mut self, found: &[(Mention, String)]) {
        self.mentions.clear();
        if found.is_empty() {
            return;
        }
        let facet = |(mention, did): &(Mention, String)| {
            facet(
                mention.start,
                mention.end,
                &json!({ "$type": "app.bsky.richtext.facet#mention", "did": did }),
            )
        };
        let facets = self.record.entry("facets").or_insert_with(|| json!([]));
        if let Some(facets) = facets.as_array_mut() {
            facets.extend(found.iter().map(facet));
            facets.sort_by_key(|facet| facet["index"]["byteStart"].as_u64());
        }
    }

    /// Shows the pictures that were uploaded as these blobs, in order.
    pub(super) fn show(&mut self, blobs: &[Json]) {
        if blobs.is_empty() {
            return;
        }
        let images: Vec<Json> =
            self.pictures.iter().zip(blobs).map(|(picture, blob)| picture.shown(blob)).collect();
        self.record.insert("embed".to_owned(), json!({ "$type": "app.bsky.embed.images", "images": images }));
    }

    /// The record, as an answer to the parts before it; none when they have no ids to answer to.
    pub(super) fn answering(&self, before: &[Receipt]) -> Option<Json> {
        let mut record = self.record.clone();
        if let (Some(root), Some(parent)) = (before.first(), before.last()) {
            record.insert("reply".to_owned(), json!({ "root": strong(root)?, "parent": strong(parent)? }));
        }
        Some(Json::Object(record))
    }
}

impl Picture {
    fn shown(&self, blob: &Json) -> Json {
        let mut image = json!({ "alt": self.alt, "image": blob });
        if let (Some(width @ 1..), Some(height @ 1..)) = (self.width, self.height) {
            image["aspectRatio"] = json!({ "width": width, "height": height });
        }
        image
    }
}

/// A stretch of the text that leads elsewhere, by bytes of UTF-8.
pub(super) fn facet(start: usize, end: usize, feature: &Json) -> Json {
    json!({ "index": { "byteStart": start, "byteEnd": end }, "features": [feature] })
}

/// A post by its address and its content's hash.
fn strong(receipt: &Receipt) -> Option<Json> {
    let (uri, cid) = (receipt.id.as_ref()?, receipt.detail.get("cid")?.as_str()?);
    Some(json!({ "uri": uri, "cid": cid }))
}

/// Why a part cannot be sent: it would stand alone.
pub(super) fn parent_unknown() -> Failure {
    let text = "the part before was accepted without its address and hash, so this one would stand alone; see what is \
                there, then settle it by hand";
    Failure::permanent(Cause::new("parent_unknown", text))
}

/// Whether the record that a server holds is this one: all that we sent is there as we sent it.
pub(super) fn is_same(sent: &Json, held: &Json) -> bool {
    let (Some(sent), Some(held)) = (sent.as_object(), held.as_object()) else { return false };
    sent.iter().all(|(key, value)| held.get(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frozen(record: Json) -> Frozen {
        let Json::Object(record) = record else { panic!("{record}") };
        Frozen { did: String::new(), record, mentions: Vec::new(), pictures: Vec::new() }
    }

    fn receipt(id: &str, cid: Option<&str>) -> Receipt {
        Receipt { detail: json!({ "cid": cid }), ..Receipt::id(id) }
    }

    #[test]
    fn a_part_answers_the_one_before_and_names_the_first() {
        let frozen = frozen(json!({ "text": "c" }));
        let before = [receipt("at://a", Some("ca")), receipt("at://b", Some("cb"))];
        let expected = json!({
            "text": "c",
            "reply": {"root": {"uri": "at://a", "cid": "ca"}, "parent": {"uri": "at://b", "cid": "cb"}},
        });
        assert_eq!(frozen.answering(&before), Some(expected));
        assert_eq!(frozen.answering(&[]), Some(json!({ "text": "c" })));
        assert_eq!(frozen.answering(&[receipt("at://a", None)]), None);
        assert_eq!(frozen.answering(&[Receipt::default()]), None);
    }

    #[test]
    fn mentions_join_the_other_facets_in_order() {
        let link = facet(20, 30, &json!({ "uri": "https://a.example" }));
        let mut frozen = frozen(json!({ "facets": [link] }));
        let mention = Mention { handle: "b.example".into(), start: 3, end: 13 };
        frozen.mentions.push(mention.clone());
        frozen.mention(&[(mention, "did:plc:b".into())]);
        let starts: Vec<_> = frozen.record["facets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["index"]["byteStart"].clone())
            .collect();
        assert_eq!(starts, [3, 20]);
        assert!(frozen.mentions.is_empty());
        frozen.record.clear();
        frozen.mention(&[]);
        assert!(frozen.record.is_empty(), "nobody is mentioned, so nothing is added");
    }

    #[test]
    fn a_record_is_ours_when_all_that_we_sent_is_there() {
        let sent = json!({ "text": "a", "createdAt": "2026-12-01T00:00:00.000Z" });
        let with = |key: &str, value: &str| {
            let mut record = sent.clone();
            record[key] = value.into();
            record
        };
        assert!(is_same(&sent, &sent));
        assert!(is_same(&sent, &with("added", "by the server")));
        assert!(!is_same(&sent, &with("text", "edited")));
        assert!(!is_same(&with("langs", "ko"), &sent), "something is gone");
        assert!(!is_same(&sent, &Json::Null));
    }
}
