//! Posts: written at a key of their author's choice, deleted.

use serde_json::{Map, Value as Json, json};

use super::session::Token;
use super::{blob, error, id, lexicon, text};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;

const COLLECTION: &str = "app.bsky.feed.post";

pub(super) fn uri(did: &str, rkey: &str) -> String {
    format!("at://{did}/{COLLECTION}/{rkey}")
}

/// What is at an address now, whether look-ups show it already or not.
pub(super) fn held(desk: &Desk<'_>, uri: &str) -> Option<Accepted> {
    desk.everyones("post").rev().find(|item| item.remote_id == uri).filter(|item| !is_deleted(item)).cloned()
}

pub(super) fn is_deleted(item: &Accepted) -> bool {
    item.data["deleted"] == json!(true)
}

/// `putRecord` and `createRecord`.
pub(super) fn write(call: &Call, token: &Token, desk: &mut Desk<'_>) -> Answer {
    let fields = call.fields();
    let creates = call.path.ends_with("createRecord");
    let (uri, record) = match asked(&fields, token, desk) {
        Ok(asked) => asked,
        Err(answer) => return answer,
    };
    let cid = id::record_cid(record.to_string().as_bytes());
    let before = held(desk, &uri);
    let was = before.as_ref().and_then(|item| item.data["cid"].as_str());
    match was {
        // bluesky-social/atproto#3718: nothing tells this from a server that is down.
        Some(_) if creates => return error(500, "InternalServerError", "Internal Server Error"),
        Some(was) if was == cid => return written(&uri, &cid, false),
        _ => {}
    }
    if let Some(swap) = fields.get("swapRecord")
        && swap.as_str() != was
    {
        return error(400, "InvalidSwap", &format!("Record was at {}", was.unwrap_or("null")));
    }
    let data = json!({ "cid": cid, "record": record, "deleted": false });
    if let Some(item) = before {
        desk.amend(item.number, data);
    } else {
        let text = record["text"].as_str().unwrap_or_default().to_owned();
        let place = Some(id::did(&token.handle));
        desk.accept(Item {
            act: Some("post"),
            visible: true,
            text,
            place,
            remote_id: Some(uri.clone()),
            data,
        });
    }
    written(&uri, &cid, true)
}

/// Where a record is to go, and the record, when the server takes it.
fn asked(fields: &Map<String, Json>, token: &Token, desk: &Desk<'_>) -> Result<(String, Json), Answer> {
    let repo = text(fields, "repo").unwrap_or_default();
    if repo != id::did(&token.handle) && repo != token.handle {
        return Err(error(403, "AccountNotFound", "Account not found"));
    }
    if text(fields, "collection").as_deref() != Some(COLLECTION) {
        return Err(error(400, "InvalidRequest", "only app.bsky.feed.post is rehearsed here"));
    }
    let Some(rkey) = text(fields, "rkey").filter(|rkey| id::is_tid(rkey)) else {
        let text = "Invalid record key for app.bsky.feed.post: Invalid TID string";
        return Err(error(400, "InvalidRequest", text));
    };
    let record = fields.get("record").cloned().unwrap_or_default();
    if let Some(problem) = lexicon::problem(&record) {
        return Err(error(400, "InvalidRequest", &problem));
    }
    match blob::problem(&record, desk) {
        Some(answer) => Err(answer),
        None => Ok((uri(&id::did(&token.handle), &rkey), record)),
    }
}

/// A write that changed nothing has no commit.
fn written(uri: &str, cid: &str, changed: bool) -> Answer {
    let mut body = json!({ "uri": uri, "cid": cid, "validationStatus": "valid" });
    if changed {
        body["commit"] = json!({ "cid": cid, "rev": "3jzfcijpj2z2a" });
    }
    Answer::json(200, &body)
}

/// Deleting what is not there is no error.
pub(super) fn delete(call: &Call, token: &Token, desk: &mut Desk<'_>) -> Answer {
    let rkey = text(&call.fields(), "rkey").unwrap_or_default();
    match held(desk, &uri(&id::did(&token.handle), &rkey)) {
        Some(mut item) => {
            item.data["deleted"] = json!(true);
            desk.amend(item.number, item.data);
            Answer::json(200, &json!({ "commit": { "cid": "bafyreib", "rev": "3jzfcijpj2z2a" } }))
        }
        None => Answer::json(200, &json!({})),
    }
}
