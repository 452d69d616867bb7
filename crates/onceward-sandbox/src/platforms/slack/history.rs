//! Looking messages up.

use serde_json::json;

use super::message::{json_of, micros_of};
use super::{fault, fine, is_id, parameter};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::Desk;
use crate::ledger::Accepted;

/// Messages on a page, unless fewer are asked for.
const PAGE: usize = 100;
const LARGEST_PAGE: usize = 999;

/// `conversations.history`: what stands in the channel itself, newest first. Answers in threads are not in it.
pub(super) fn history(call: &Call, desk: &Desk<'_>) -> Answer {
    let found = |channel: &str| {
        let mut found = window(call, channel, desk);
        found.retain(|item| item.data["thread_ts"].is_null());
        found.reverse();
        found
    };
    page_of(call, found)
}

/// `conversations.replies`: one message and its answers, oldest first.
pub(super) fn replies(call: &Call, desk: &Desk<'_>) -> Answer {
    let Some(ts) = parameter(call, "ts") else { return fault("thread_not_found") };
    let of_thread = |item: &Accepted| item.remote_id == ts || item.data["thread_ts"] == json!(ts);
    let found = |channel: &str| window(call, channel, desk).into_iter().filter(of_thread).collect();
    page_of(call, found)
}

fn page_of(call: &Call, find: impl FnOnce(&str) -> Vec<Accepted>) -> Answer {
    // Names are for posting only.
    let Some(channel) = parameter(call, "channel").filter(|channel| is_id(channel)) else {
        return fault("channel_not_found");
    };
    let found = find(&channel);
    let limit =
        parameter(call, "limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE).min(LARGEST_PAGE);
    let from = parameter(call, "cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let with_metadata = parameter(call, "include_all_metadata").as_deref() == Some("true");
    let messages: Vec<_> =
        found.iter().skip(from).take(limit).map(|item| json_of(item, with_metadata)).collect();
    let more = found.len() > from + limit;
    let next = if more { (from + limit).to_string() } else { String::new() };
    fine(json!({
        "messages": messages, "has_more": more, "response_metadata": { "next_cursor": next },
    }))
}

/// What a look-up sees of a channel between `oldest` and `latest`, oldest first.
fn window(call: &Call, channel: &str, desk: &Desk<'_>) -> Vec<Accepted> {
    let border = |name: &str| parameter(call, name).and_then(|ts| micros_of(&ts));
    let (oldest, latest) = (border("oldest"), border("latest"));
    let inclusive = matches!(parameter(call, "inclusive").as_deref(), Some("true" | "1"));
    let within = |item: &&Accepted| {
        let at = micros_of(&item.remote_id).unwrap_or(0);
        let after = oldest.is_none_or(|oldest| at > oldest || (inclusive && at == oldest));
        after && latest.is_none_or(|latest| at < latest || (inclusive && at == latest))
    };
    let here = |item: &&Accepted| item.place.as_deref() == Some(channel);
    let seen = |item: &&Accepted| item.seen_from <= desk.now;
    desk.everyones("post").filter(seen).filter(here).filter(within).cloned().collect()
}

/// `conversations.info`: every channel is there, and the bot is in it.
pub(super) fn info(call: &Call) -> Answer {
    let Some(channel) = parameter(call, "channel").filter(|channel| is_id(channel)) else {
        return fault("channel_not_found");
    };
    fine(json!({ "channel": {
        "id": channel, "name": "rehearsal", "is_channel": true, "is_private": false, "is_archived": false, "is_member": true,
    } }))
}

/// `chat.getPermalink`.
pub(super) fn permalink(call: &Call, desk: &Desk<'_>) -> Answer {
    let (channel, ts) = (parameter(call, "channel"), parameter(call, "message_ts"));
    let (Some(channel), Some(ts)) = (channel, ts) else { return fault("message_not_found") };
    let there = desk.held("post").any(|it| it.place.as_ref() == Some(&channel) && it.remote_id == ts);
    if !there {
        return fault("message_not_found");
    }
    let permalink = format!("{}/archives/{channel}/p{}", call.base, ts.replace('.', ""));
    fine(json!({ "channel": channel, "permalink": permalink }))
}

/// The page that a permalink leads to.
pub(super) fn page(call: &Call, desk: &Desk<'_>) -> Answer {
    let path = call.route().1.join("/");
    let link = |item: &&Accepted| {
        let place = item.place.as_deref().unwrap_or_default();
        path == format!("archives/{place}/p{}", item.remote_id.replace('.', ""))
    };
    match desk.everyones("post").find(link) {
        Some(item) => Answer::text(200, item.text.clone()),
        None => Answer::text(404, "no such message\n"),
    }
}
