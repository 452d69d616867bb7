//! Files in three steps: an address to upload to, the bytes, and the end, which may share them.

use serde_json::{Value as Json, json};

use super::message::{Message, publish};
use super::{channel_id, fault, fine, parameter};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;

/// `files.getUploadURLExternal`.
pub(super) fn begin(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let Some(name) = parameter(call, "filename") else { return fault("invalid_arguments") };
    let Some(length) = parameter(call, "length").and_then(|length| length.parse::<u64>().ok()) else {
        return fault("invalid_arguments");
    };
    let id = format!("F{:010}", desk.next_number());
    let alt = parameter(call, "alt_txt").unwrap_or_default();
    let data = json!({ "name": name, "length": length, "stage": "asked" });
    desk.accept(Item { act: Some("file"), text: alt, remote_id: Some(id.clone()), data, ..Item::default() });
    fine(json!({ "upload_url": format!("{}/upload/{id}", call.base), "file_id": id }))
}

/// The bytes, raw or as a form. No token: the address is enough.
pub(super) fn bytes(id: &str, call: &Call, desk: &mut Desk<'_>) -> Answer {
    let Some(file) = desk.everyones("file").find(|file| file.remote_id == id).cloned() else {
        return Answer::text(404, "no such upload\n");
    };
    let parts = call.parts();
    let length =
        parts.iter().find(|part| part.filename.is_some()).map_or(call.body.len(), |part| part.body.len());
    if file.data["length"] != json!(length) {
        return Answer::text(400, format!("{length} bytes came, {} were announced\n", file.data["length"]));
    }
    stage(&file, "uploaded", desk);
    Answer::text(200, format!("OK - {length}"))
}

/// `files.completeUploadExternal`: with a channel, it is a message.
pub(super) fn complete(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let fields = call.fields();
    let list = match fields.get("files") {
        Some(Json::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(list) => list.clone(),
        None => Json::Null,
    };
    let Some(list) = list.as_array().filter(|list| !list.is_empty()) else {
        return fault("invalid_arguments");
    };
    let mut files = Vec::new();
    for entry in list {
        match held(entry["id"].as_str().unwrap_or_default(), desk) {
            Some(file) if file.data["stage"] != "asked" => files.push(file),
            _ => return fault("file_not_found"),
        }
    }
    for file in &files {
        stage(file, "complete", desk);
    }
    if let Some(named) = parameter(call, "channel_id") {
        let Some(channel) = channel_id(&named) else { return fault("channel_not_found") };
        let text = parameter(call, "initial_comment").unwrap_or_default();
        let ids = files.iter().map(|file| file.remote_id.clone()).collect();
        let thread = parameter(call, "thread_ts");
        publish(&Message { channel, text, thread, files: ids, ..Message::default() }, desk);
    }
    let shown = files.iter().map(|file| json!({ "id": file.remote_id, "title": file.data["name"] }));
    fine(json!({ "files": shown.collect::<Vec<_>>() }))
}

/// Whether the files that image blocks show are there and complete.
pub(super) fn shown(blocks: &Json, desk: &Desk<'_>) -> Result<(), &'static str> {
    for block in blocks.as_array().into_iter().flatten() {
        let Some(id) = block["slack_file"]["id"].as_str() else { continue };
        let complete = held(id, desk).is_some_and(|file| file.data["stage"] == "complete");
        if !complete {
            return Err("invalid_blocks");
        }
    }
    Ok(())
}

fn held(id: &str, desk: &Desk<'_>) -> Option<Accepted> {
    desk.held("file").find(|file| file.remote_id == id).cloned()
}

fn stage(file: &Accepted, stage: &str, desk: &mut Desk<'_>) {
    let mut data = file.data.clone();
    data["stage"] = json!(stage);
    desk.amend(file.number, data);
}
