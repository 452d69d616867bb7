//! Blobs: taken whatever they are, and judged when a post shows them.

use serde_json::{Value as Json, json};

use super::{error, id};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::{Desk, Item};

/// What the server takes at all.
const MOST: usize = 50_000_000;
/// What a post may show: the lexicon `app.bsky.embed.images`.
const IMAGE: u64 = 2_000_000;
const IMAGES: usize = 4;

pub(super) fn upload(call: &Call, desk: &mut Desk<'_>) -> Answer {
    if call.body.len() > MOST {
        return error(413, "PayloadTooLarge", "request entity too large");
    }
    let (cid, size) = (id::blob_cid(&call.body), call.body.len());
    let kind = call.header("content-type").unwrap_or("application/octet-stream").to_owned();
    if !desk.held("upload").any(|item| item.remote_id == cid && item.data["kind"] == json!(kind)) {
        let data = json!({ "kind": kind, "size": size });
        desk.accept(Item { remote_id: Some(cid.clone()), data, ..Item::default() });
    }
    let blob = json!({ "$type": "blob", "ref": { "$link": cid }, "mimeType": kind, "size": size });
    Answer::json(200, &json!({ "blob": blob }))
}

/// What is wrong with the pictures that a post shows.
pub(super) fn problem(record: &Json, desk: &Desk<'_>) -> Option<Answer> {
    let images = record["embed"]["images"].as_array()?;
    if images.len() > IMAGES {
        let text = format!(
            "Invalid app.bsky.feed.post record: array too big (maximum {IMAGES}, got {})",
            images.len()
        );
        return Some(error(400, "InvalidRequest", &(text + " at $.record.embed.images")));
    }
    images.iter().find_map(|image| wrong(&image["image"], desk))
}

fn wrong(blob: &Json, desk: &Desk<'_>) -> Option<Answer> {
    let cid = blob["ref"]["$link"].as_str().unwrap_or_default();
    let Some(held) = desk.held("upload").find(|item| item.remote_id == cid) else {
        return Some(error(400, "BlobNotFound", &format!("Could not find blob: {cid}")));
    };
    if held.data["kind"] != blob["mimeType"] {
        let text = "Referenced Mimetype does not match stored blob.";
        return Some(error(
            400,
            "InvalidMimeType",
            &format!("{text} Expected: {}, Got: {}", held.data["kind"], blob["mimeType"]),
        ));
    }
    let size = held.data["size"].as_u64().unwrap_or(0);
    (size > IMAGE).then(|| {
        let text = format!("This file is too large. It is {size} but the maximum size is {IMAGE}.");
        error(400, "BlobTooLarge", &text)
    })
}
