//! Media: taken at once, or processed for a while.

use serde_json::{Value as Json, json};

use super::{error, instance};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::SECOND;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;

/// How long a film or an animation is worked on.
const WORK_SECONDS: i64 = 3;

pub(super) fn upload(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let parts = call.parts();
    let Some(file) = parts.iter().find(|part| part.name == "file") else {
        return error(422, "Validation failed: File can't be blank");
    };
    let description = call.fields().get("description").and_then(Json::as_str).unwrap_or_default().to_owned();
    if description.chars().count() > instance::DESCRIPTION {
        return error(422, "Validation failed: Description is too long (maximum is 1500 characters)");
    }
    let Some(kind) = kind(&file.body) else {
        return error(422, "Validation failed: File content type is invalid, File is invalid");
    };
    let (most, slow) = match kind {
        "video/mp4" => (instance::VIDEO_BYTES, true),
        kind => (instance::IMAGE_BYTES, kind == "image/gif"),
    };
    if file.body.len() > most {
        return error(422, &format!("Validation failed: File file size must be less than {} MB", most >> 20));
    }
    let ready = if slow { desk.now + WORK_SECONDS * SECOND } else { desk.unseen_until() };
    let data = json!({
        "kind": kind, "bytes": file.body.len(), "description": description, "ready": ready, "attached": false,
        "url": format!("{}/media/{}", call.base, desk.next_number()),
    });
    let item = desk.accept(Item { text: description, data, ..Item::default() });
    state(&item, desk, 202)
}

/// One of the account's uploads, ready or not.
pub(super) fn look(call: &Call, desk: &Desk<'_>) -> Answer {
    let id = call.route().1.last().copied().unwrap_or_default();
    match desk.held("upload").find(|item| item.remote_id == id) {
        Some(item) => state(item, desk, 206),
        None => error(404, "Record not found"),
    }
}

/// The uploads that a status names.
pub(super) fn attached(ids: Option<&Json>, most: usize, desk: &Desk<'_>) -> Result<Vec<Accepted>, Answer> {
    let ids: Vec<_> = ids.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    if ids.len() > most {
        return Err(error(422, &format!("Cannot attach more than {most} files")));
    }
    let mut found = Vec::new();
    for id in ids {
        let usable = |item: &&Accepted| item.remote_id == id && item.data["attached"] == json!(false);
        let Some(item) = desk.held("upload").find(usable) else {
            return Err(error(422, &format!("Media {id} not found or already attached to another post")));
        };
        if !ready(item, desk) {
            let words = "Cannot attach files that have not finished processing. Try again in a moment!";
            return Err(error(422, words));
        }
        found.push(item.clone());
    }
    Ok(found)
}

pub(super) fn json_of(item: &Accepted) -> Json {
    let kind = item.data["kind"].as_str().unwrap_or_default();
    let kind = match kind {
        "image/gif" => "gifv",
        kind => kind.split('/').next().unwrap_or_default(),
    };
    json!({
        "id": item.remote_id, "type": kind, "description": item.data["description"], "url": item.data["url"],
    })
}

fn state(item: &Accepted, desk: &Desk<'_>, unready: u16) -> Answer {
    let mut body = json_of(item);
    if ready(item, desk) {
        return Answer::json(200, &body);
    }
    body["url"] = Json::Null;
    Answer::json(unready, &body)
}

fn ready(item: &Accepted, desk: &Desk<'_>) -> bool {
    item.data["ready"].as_i64().is_none_or(|ready| ready <= desk.now)
}

/// What a file is, by its first bytes.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    let at = |from: usize, wanted: &[u8]| bytes.get(from..).is_some_and(|rest| rest.starts_with(wanted));
    if at(0, b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if at(0, b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if at(0, b"GIF8") {
        Some("image/gif")
    } else if at(0, b"RIFF") && at(8, b"WEBP") {
        Some("image/webp")
    } else if at(4, b"ftypheic") || at(4, b"ftypmif1") {
        Some("image/heic")
    } else {
        at(4, b"ftyp").then_some("video/mp4")
    }
}
