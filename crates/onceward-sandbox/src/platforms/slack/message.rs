//! Messages: posted by a bot, or through an incoming webhook.

use serde_json::{Map, Value as Json, json};

use super::{channel_id, fault, files, fine, id};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Micros, SECOND};
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;
use crate::platforms::Problem;

/// A longer text becomes several messages.
const ONE_MESSAGE: usize = 4000;
/// What is longer than this is cut off.
const LONGEST: usize = 40_000;
/// Characters in the text of a section block.
const SECTION: usize = 3000;
const BLOCKS: usize = 50;

/// What goes into one message.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) channel: String,
    pub(super) text: String,
    pub(super) thread: Option<String>,
    pub(super) metadata: Json,
    pub(super) blocks: Json,
    pub(super) files: Vec<String>,
}

/// `chat.postMessage`.
pub(super) fn post(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let fields = call.fields();
    let message = match read(&fields, desk) {
        Ok(message) => message,
        Err(error) => return fault(error),
    };
    let channel = message.channel.clone();
    let first = publish(&message, desk);
    fine(json!({ "channel": channel, "ts": first.remote_id, "message": json_of(&first, true) }))
}

fn read(fields: &Map<String, Json>, desk: &Desk<'_>) -> Result<Message, &'static str> {
    let field = |name: &str| fields.get(name).and_then(Json::as_str).unwrap_or_default();
    let channel = channel_id(field("channel")).ok_or("channel_not_found")?;
    let text: String = field("text").chars().take(LONGEST).collect();
    let blocks = nested(fields, "blocks").ok_or("invalid_blocks")?;
    if text.trim().is_empty() && blocks.is_null() {
        return Err("no_text");
    }
    fits(&blocks)?;
    files::shown(&blocks, desk)?;
    let metadata = nested(fields, "metadata").ok_or("invalid_metadata_format")?;
    let whole =
        metadata.is_null() || (metadata["event_type"].is_string() && metadata["event_payload"].is_object());
    if !whole {
        return Err("invalid_metadata_format");
    }
    let thread = Some(field("thread_ts").to_owned()).filter(|ts| !ts.is_empty());
    let in_channel = |item: &&Accepted| item.place.as_deref() == Some(&channel);
    if thread
        .as_ref()
        .is_some_and(|ts| !desk.everyones("post").filter(in_channel).any(|it| it.remote_id == *ts))
    {
        return Err("thread_not_found");
    }
    Ok(Message { channel, text, thread, metadata, blocks, files: Vec::new() })
}

/// A field that is JSON, or JSON in a text, as forms have it. None: it is no JSON.
fn nested(fields: &Map<String, Json>, name: &str) -> Option<Json> {
    match fields.get(name) {
        None | Some(Json::Null) => Some(Json::Null),
        Some(Json::String(text)) => serde_json::from_str(text).ok(),
        Some(other) => Some(other.clone()),
    }
}

/// Whether the blocks have the sizes that are documented.
fn fits(blocks: &Json) -> Result<(), &'static str> {
    let Some(list) = blocks.as_array() else {
        return if blocks.is_null() { Ok(()) } else { Err("invalid_blocks") };
    };
    let length = |block: &Json| block["text"]["text"].as_str().map_or(0, |text| text.chars().count());
    let sections = list.iter().filter(|block| block["type"] == "section");
    if list.len() > BLOCKS || sections.map(length).any(|length| length > SECTION) {
        return Err("invalid_blocks");
    }
    Ok(())
}

/// Takes the message in, in several when it is too long for one, and gives the first.
///
/// That a long text is split is reported by users (chainloop#272); that the answer names the first is a guess.
pub(super) fn publish(message: &Message, desk: &mut Desk<'_>) -> Accepted {
    let chars: Vec<char> = message.text.chars().collect();
    let mut texts: Vec<String> = chars.chunks(ONE_MESSAGE).map(|chunk| chunk.iter().collect()).collect();
    if texts.is_empty() {
        texts.push(String::new());
    }
    let mut first = None;
    for text in texts {
        let data = json!({
            "thread_ts": message.thread, "metadata": message.metadata, "blocks": message.blocks, "files": message.files,
        });
        let ts = next_ts(&message.channel, desk);
        let place = Some(message.channel.clone());
        let item = Item { act: Some("post"), visible: true, text, place, remote_id: Some(ts), data };
        let item = desk.accept(item);
        first.get_or_insert(item);
    }
    first.unwrap_or_else(|| unreachable!("there is at least one text"))
}

/// The time in seconds with six decimals; no two messages of a channel have the same.
fn next_ts(channel: &str, desk: &Desk<'_>) -> String {
    let last = desk.everyones("post").rfind(|item| item.place.as_deref() == Some(channel));
    let last = last.and_then(|item| micros_of(&item.remote_id)).unwrap_or(0);
    let at = desk.now.max(last + 1);
    format!("{}.{:06}", at / SECOND, at % SECOND)
}

/// `1503435956.000247`, in microseconds.
pub(super) fn micros_of(ts: &str) -> Option<Micros> {
    let (seconds, micros) = ts.split_once('.').unwrap_or((ts, "0"));
    let micros = format!("{micros:0<6}");
    Some(seconds.parse::<Micros>().ok()? * SECOND + micros.get(..6)?.parse::<Micros>().ok()?)
}

/// A message as the API shows it.
pub(super) fn json_of(item: &Accepted, with_metadata: bool) -> Json {
    let mut message = json!({
        "type": "message", "user": id('U', item.account.as_ref()), "bot_id": id('B', item.account.as_ref()), "team": "T0SANDBOX",
        "text": linked(&item.text), "ts": item.remote_id,
    });
    for key in ["thread_ts", "blocks", "files"] {
        let value = &item.data[key];
        if !value.is_null() && value != &json!([]) {
            message[key] = value.clone();
        }
    }
    if with_metadata && !item.data["metadata"].is_null() {
        message["metadata"] = item.data["metadata"].clone();
    }
    message
}

/// Bare links get angle brackets, as Slack keeps them.
fn linked(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.starts_with("https://") || word.starts_with("http://");
        if bare && !word.contains(['<', '>', '|']) { format!("<{word}>") } else { word.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// An incoming webhook answers in words.
pub(super) fn hook(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let Some(Json::Object(fields)) = call.json() else { return Answer::text(400, "invalid_payload") };
    let text = fields.get("text").and_then(Json::as_str).unwrap_or_default().to_owned();
    let blocks = fields.get("blocks").cloned().unwrap_or_default();
    if text.trim().is_empty() && blocks.is_null() {
        return Answer::text(400, "no_text");
    }
    if fits(&blocks).is_err() {
        return Answer::text(400, "invalid_blocks");
    }
    let text = text.chars().take(LONGEST).collect();
    desk.accept(Item { visible: true, text, data: json!({ "blocks": blocks }), ..Item::default() });
    Answer::text(200, "ok")
}

/// What an incoming webhook says when something is wrong: it has words, and the status tells.
pub(super) fn hook_problem(problem: &Problem) -> Answer {
    match *problem {
        Problem::Broken { status } => Answer::text(status, "upstream connect error"),
        Problem::RateLimited { seconds } => {
            let limited = Answer::text(429, "rate_limited");
            match seconds {
                Some(seconds) => limited.header("retry-after", format!("{:.0}", seconds.ceil())),
                None => limited,
            }
        }
        Problem::Duplicate => Answer::text(500, "rollup_error"),
        Problem::ExpiredToken => Answer::text(403, "invalid_token"),
        // Whoever takes a webhook back takes its address away.
        Problem::RevokedToken => Answer::text(404, "no_service"),
    }
}
