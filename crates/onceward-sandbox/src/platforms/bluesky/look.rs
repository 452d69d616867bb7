//! What everybody may ask: records, and whose handle it is.

use serde_json::{Value as Json, json};

use super::{error, id, record};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::Desk;
use crate::ledger::Accepted;

pub(super) fn look(call: &Call, desk: &Desk<'_>) -> Answer {
    let repo = call.asked("repo").unwrap_or_default();
    let did = if repo.starts_with("did:") { repo } else { id::did(&repo) };
    let seen = |item: &&Accepted| item.place.as_deref() == Some(&did) && item.seen_from <= desk.now;
    if call.path.ends_with("listRecords") {
        let posts = desk.everyones("post").rev().filter(seen).filter(|item| !record::is_deleted(item));
        return Answer::json(200, &json!({ "records": posts.map(shown).collect::<Vec<_>>() }));
    }
    let uri = record::uri(&did, &call.asked("rkey").unwrap_or_default());
    match record::held(desk, &uri).as_ref().filter(seen) {
        Some(item) => Answer::json(200, &shown(item)),
        None => error(400, "RecordNotFound", &format!("Could not locate record: {uri}")),
    }
}

fn shown(item: &Accepted) -> Json {
    json!({ "uri": item.remote_id, "cid": item.data["cid"], "value": item.data["record"] })
}

pub(super) fn resolve(call: &Call) -> Answer {
    let handle = call.asked("handle").unwrap_or_default();
    if handle.starts_with("nobody") || !handle.contains('.') {
        return error(400, "InvalidRequest", "Unable to resolve handle");
    }
    Answer::json(200, &json!({ "did": id::did(&handle) }))
}
