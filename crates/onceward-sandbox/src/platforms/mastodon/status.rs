//! Statuses: posted, repeated, looked up.

use serde_json::{Map, Value as Json, json};

use super::{Server, account, account_id, content, count, error, instance, media};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::SECOND;
use crate::date;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;
use crate::text;

/// For how many seconds a key is known.
const MASTODON_KEY: i64 = 3600;
const PLEROMA_KEY: i64 = 6 * 3600;

pub(super) fn post(server: Server, call: &Call, desk: &mut Desk<'_>) -> Answer {
    match server {
        Server::Mastodon => once(server, call, desk),
        Server::Pleroma => replayed(server, call, desk),
        Server::GoToSocial => answered(server, call, desk),
    }
}

/// A known key is answered with the first status, whatever is asked now.
fn once(server: Server, call: &Call, desk: &mut Desk<'_>) -> Answer {
    let since = desk.now - MASTODON_KEY * SECOND;
    let known = |item: &&Accepted| item.key.is_some() && item.key == desk.visit.key && item.at > since;
    let first = desk.held("post").find(known).map(|first| json_of(first, desk));
    match first {
        Some(_) if desk.repeat_error => error(500, "Internal Server Error"),
        Some(first) => Answer::json(200, &first),
        None => answered(server, call, desk),
    }
}

/// A known key gives the whole answer of the first time, an error too.
fn replayed(server: Server, call: &Call, desk: &mut Desk<'_>) -> Answer {
    let Some(key) = desk.visit.key.clone() else { return answered(server, call, desk) };
    let since = desk.now - PLEROMA_KEY * SECOND;
    let known = |item: &&Accepted| item.key.as_ref() == Some(&key) && item.at > since;
    if let Some(first) = desk.held("answer").find(known) {
        let status = first.data["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        return Answer::json(status.unwrap_or(200), &first.data["body"])
            .header("idempotency-key", key)
            .header("idempotent-replayed", "true");
    }
    let answer = answered(server, call, desk);
    let body: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
    let data = json!({ "status": answer.status, "body": body });
    desk.accept(Item { act: Some("answer"), data, ..Item::default() });
    answer.header("idempotency-key", key)
}

fn answered(server: Server, call: &Call, desk: &mut Desk<'_>) -> Answer {
    let fields = call.fields();
    match checked(server, &fields, desk) {
        Err(refused) => refused,
        Ok(status) => {
            let item = publish(&status, &call.base, &fields, desk);
            Answer::json(200, &json_of(&item, desk))
        }
    }
}

/// What is to be published.
struct Status {
    text: String,
    spoiler: String,
    media: Vec<Accepted>,
    reply_to: Option<String>,
}

fn checked(server: Server, fields: &Map<String, Json>, desk: &Desk<'_>) -> Result<Status, Answer> {
    let field = |name: &str| fields.get(name).and_then(Json::as_str).unwrap_or_default().trim().to_owned();
    let (text, spoiler) = (field("status"), field("spoiler_text"));
    let limits = instance::limits(server);
    let media = media::attached(fields.get("media_ids"), limits.attachments, desk)?;
    if text.is_empty() && media.is_empty() {
        return Err(error(422, "Validation failed: Text can't be blank"));
    }
    if count::count(&text) + text::graphemes(&spoiler) > limits.characters {
        let words = format!("Validation failed: Text character limit of {} exceeded", limits.characters);
        return Err(error(422, &words));
    }
    let visibility = field("visibility");
    if !matches!(visibility.as_str(), "" | "public" | "unlisted" | "private" | "direct") {
        return Err(error(422, "Validation failed: Visibility is not included in the list"));
    }
    let reply_to = Some(field("in_reply_to_id")).filter(|id| !id.is_empty());
    if reply_to.as_ref().is_some_and(|id| !desk.held("post").any(|item| item.remote_id == *id)) {
        return Err(error(404, "The post you are trying to reply to does not appear to exist."));
    }
    Ok(Status { text, spoiler, media, reply_to })
}

fn publish(status: &Status, base: &str, fields: &Map<String, Json>, desk: &mut Desk<'_>) -> Accepted {
    for item in &status.media {
        let mut data = item.data.clone();
        data["attached"] = json!(true);
        desk.amend(item.number, data);
    }
    let visibility = fields.get("visibility").and_then(Json::as_str).filter(|it| !it.is_empty());
    // Milliseconds, and below them a number that no two statuses share, as the servers make theirs.
    let id = ((desk.now / 1000) << 16) + i64::try_from(desk.next_number() & 0xffff).unwrap_or(0);
    let data = json!({
        "content": content::content(&status.text, base),
        "url": format!("{base}/@rehearsal/{id}"),
        "in_reply_to_id": status.reply_to,
        "spoiler_text": status.spoiler,
        "language": fields.get("language"),
        "visibility": visibility.unwrap_or("public"),
        "media_attachments": status.media.iter().map(media::json_of).collect::<Vec<_>>(),
    });
    let text = status.text.clone();
    desk.accept(Item { visible: true, text, remote_id: Some(id.to_string()), data, ..Item::default() })
}

/// Own statuses, newest first, or one of them.
pub(super) fn look(call: &Call, desk: &Desk<'_>) -> Answer {
    match call.route().1.as_slice() {
        ["api", "v1", "accounts", id, "statuses"] if **id == account_id(desk) => {
            let limit = call.asked("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20).min(40);
            let border = |name: &str| call.asked(name).and_then(|id| id.parse::<i64>().ok());
            let (before, after) = (border("max_id"), border("since_id").or(border("min_id")));
            let wanted = |item: &&Accepted| {
                let id = item.remote_id.parse::<i64>().unwrap_or(0);
                before.is_none_or(|before| id < before) && after.is_none_or(|after| id > after)
            };
            let answers = call.asked("exclude_replies").as_deref() == Some("true");
            let kept = |item: &&Accepted| !answers || item.data["in_reply_to_id"].is_null();
            let found = desk.seen("post").rev().filter(wanted).filter(kept).take(limit);
            Answer::json(200, &found.map(|item| json_of(item, desk)).collect())
        }
        ["api", "v1", "statuses", id] => match desk.seen("post").find(|item| item.remote_id == *id) {
            Some(item) => Answer::json(200, &json_of(item, desk)),
            None => error(404, "Record not found"),
        },
        _ => error(404, "Record not found"),
    }
}

/// The page that a status' link leads to.
pub(super) fn page(call: &Call, desk: &Desk<'_>) -> Answer {
    let id = call.route().1.last().copied().unwrap_or_default();
    match desk.everyones("post").find(|item| item.remote_id == id) {
        Some(item) => Answer::html(item.data["content"].as_str().unwrap_or_default().to_owned()),
        None => error(404, "Record not found"),
    }
}

fn json_of(item: &Accepted, desk: &Desk<'_>) -> Json {
    let mut status = item.data.clone();
    status["id"] = json!(item.remote_id);
    status["uri"] = status["url"].clone();
    status["created_at"] = json!(date::iso(item.at));
    status["account"] = account(desk);
    status["reblog"] = Json::Null;
    status
}
