//! Whether a message with our key is in the room, or in the thread.

use std::time::Duration;

use onceward::{Intent, Receipt, Seen, SendError, Time};
use serde::Deserialize;
use serde_json::Value as Json;

use super::api::Api;
use super::errors::ERRORS;
use crate::channels::answer;

/// The name under which our key stands in a message's metadata.
pub(super) const EVENT: &str = "onceward_post";
/// How far Slack's clock may be from the store's: a clock in a wrong zone must not lead to a second message.
const SKEW: Duration = Duration::from_hours(1);
const PAGE: &str = "200";
/// So many pages are read: 4,000 messages.
const PAGES: usize = 20;

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    messages: Vec<Message>,
    #[serde(default)]
    has_more: bool,
    /// The workspace's plan hides older messages.
    #[serde(default)]
    is_limited: bool,
    #[serde(default)]
    response_metadata: Cursor,
}

#[derive(Deserialize, Default)]
struct Cursor {
    #[serde(default)]
    next_cursor: String,
}

#[derive(Deserialize)]
struct Message {
    ts: String,
    #[serde(default)]
    metadata: Json,
}

/// Looks through the room, or through the replies of a thread, from a little before the first send.
pub(super) async fn look(api: &Api, room: &str, thread: Option<&str>, intent: &Intent<Json>) -> Seen {
    match found(api, room, thread, intent).await {
        Ok((found, Ended::Early(why))) if found.is_empty() => {
            tracing::warn!(room, why, "it cannot be told whether the message is in the room");
            Seen::CannotTell
        }
        Ok((found, _)) => Seen::AnyOf(found),
        Err(error) => answer::cannot_look(ERRORS, error),
    }
}

enum Ended {
    Whole,
    Early(&'static str),
}

async fn found(
    api: &Api,
    room: &str,
    thread: Option<&str>,
    intent: &Intent<Json>,
) -> Result<(Vec<Receipt>, Ended), SendError> {
    let oldest = oldest(intent.first_sent_at);
    let (mut stamps, mut cursor) = (Vec::new(), String::new());
    let mut ended = Ended::Early("there are more messages than are read");
    for _ in 0..PAGES {
        let page = page(api, room, thread, &oldest, &cursor).await?;
        stamps.extend(page.messages.iter().filter(|it| is_ours(it, &intent.key)).map(|it| it.ts.clone()));
        if let Some(end) = page.end() {
            ended = end;
            break;
        }
        cursor = page.response_metadata.next_cursor;
    }
    // Stamps are seconds and microseconds, of one length: in order as text.
    stamps.sort_unstable();
    Ok((stamps.iter().map(|ts| receipt(room, ts)).collect(), ended))
}

impl Page {
    /// How the listing ends here, if it does.
    fn end(&self) -> Option<Ended> {
        match (self.has_more, self.response_metadata.next_cursor.is_empty()) {
            (true, false) => None,
            (true, true) => Some(Ended::Early("Slack gave no next page")),
            (false, _) if self.is_limited => Some(Ended::Early("the workspace's plan hides older messages")),
            (false, _) => Some(Ended::Whole),
        }
    }
}

async fn page(
    api: &Api,
    room: &str,
    thread: Option<&str>,
    oldest: &str,
    cursor: &str,
) -> Result<Page, SendError> {
    let mut query = vec![
        ("channel", room),
        ("oldest", oldest),
        ("inclusive", "true"),
        ("include_all_metadata", "true"),
        ("limit", PAGE),
    ];
    query.extend(thread.map(|first| ("ts", first)));
    query.extend(Some(("cursor", cursor)).filter(|(_, cursor)| !cursor.is_empty()));
    let method = if thread.is_some() { "conversations.replies" } else { "conversations.history" };
    Ok(serde_json::from_value(api.get(method, &query).await?.body)?)
}

fn is_ours(message: &Message, key: &str) -> bool {
    message.metadata["event_type"] == EVENT && message.metadata["event_payload"]["key"] == key
}

/// Slack counts seconds since 1970, with microseconds after a point.
fn oldest(first_sent_at: Option<Time>) -> String {
    let micros = first_sent_at.map_or(0, |at| at.before(SKEW).micros().max(0));
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// A message of a room, by both of their ids.
pub(super) fn receipt(room: &str, ts: &str) -> Receipt {
    Receipt::id(format!("{room}/{ts}"))
}

/// The room and the stamp of a receipt.
pub(super) fn place(receipt: &Receipt) -> Option<(&str, &str)> {
    receipt.id.as_deref()?.rsplit_once('/')
}
