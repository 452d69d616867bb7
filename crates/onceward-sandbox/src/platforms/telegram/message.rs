//! Messages: texts, media, albums.

use serde_json::{Map, Value as Json, json};

use super::chat::{self, Chat};
use super::{Refusal, entities};
use crate::call::Call;
use crate::clock::SECOND;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;
use crate::text;

/// Characters of a text, and of a caption, after the entities were parsed.
const TEXT: usize = 4096;
const CAPTION: usize = 1024;
/// Bytes of a picture, and of any file.
const PHOTO: usize = 10 << 20;
const FILE: usize = 50 << 20;

/// Does one of the methods that send.
pub(super) fn send(
    method: &str,
    chat: &Chat,
    fields: &Map<String, Json>,
    call: &Call,
    desk: &mut Desk<'_>,
) -> Result<Json, Refusal> {
    let reply = replied(chat, fields, desk)?;
    match method {
        "sendmessage" => {
            let (text, entities) = worded(fields.get("text"), fields.get("entities"), TEXT)?;
            if text.trim().is_empty() {
                return Err("message text is empty".into());
            }
            Ok(accept(chat, text, json!({ "entities": entities, "reply_to": reply }), true, desk))
        }
        "sendmediagroup" => album(chat, fields, call, &reply, desk),
        method => {
            let kind = method.trim_start_matches("send");
            let media = medium(kind, fields.get(kind), call)?;
            let (text, entities) = worded(fields.get("caption"), fields.get("caption_entities"), CAPTION)?;
            Ok(accept(
                chat,
                text,
                json!({ "entities": entities, "reply_to": reply, "media": [media] }),
                true,
                desk,
            ))
        }
    }
}

/// Two to ten pictures and films under one caption: to readers, one thing.
fn album(
    chat: &Chat,
    fields: &Map<String, Json>,
    call: &Call,
    reply: &Json,
    desk: &mut Desk<'_>,
) -> Result<Json, Refusal> {
    let Some(Json::Array(items)) = fields.get("media") else {
        return Err("parameter \"media\" is required".into());
    };
    match items.len() {
        0 => return Err("there are no messages to send".into()),
        1 => return Err("album must contain at least 2 items".into()),
        2..=10 => {}
        _ => return Err("too much messages to send as an album".into()),
    }
    let mut shown = Vec::with_capacity(items.len());
    for item in items {
        let kind = item["type"].as_str().unwrap_or_default();
        if !matches!(kind, "photo" | "video" | "document" | "audio") {
            return Err("can't parse InputMedia: type must be one of photo, video, document, audio".into());
        }
        let media = medium(kind, item.get("media"), call)?;
        let (text, entities) = worded(item.get("caption"), item.get("caption_entities"), CAPTION)?;
        shown.push((text, json!({ "entities": entities, "reply_to": reply, "media": [media] })));
    }
    let group = desk.next_number().to_string();
    let messages = shown.into_iter().enumerate().map(|(at, (text, mut data))| {
        data["media_group_id"] = json!(group);
        // Readers see an album as one message.
        accept(chat, text, data, at == 0, desk)
    });
    Ok(Json::Array(messages.collect()))
}

/// A text within its limit, with its entities.
fn worded(text: Option<&Json>, given: Option<&Json>, most: usize) -> Result<(String, Vec<Json>), Refusal> {
    let text = text.and_then(Json::as_str).unwrap_or_default().to_owned();
    let entities = entities::checked(&text, given)?;
    if text.chars().count() > most {
        let what = if most == TEXT { "message" } else { "message caption" };
        return Err(format!("{what} is too long").into());
    }
    Ok((text, entities))
}

/// The number of the message that this one answers, which must be there.
fn replied(chat: &Chat, fields: &Map<String, Json>, desk: &Desk<'_>) -> Result<Json, Refusal> {
    let Some(wish) = fields.get("reply_parameters") else { return Ok(Json::Null) };
    let number = wish["message_id"].as_u64().unwrap_or(0);
    let place = chat.id.to_string();
    let there = |item: &Accepted| item.number == number && item.place.as_deref() == Some(&place);
    if desk.everyones("post").any(there) || desk.everyones("part").any(there) {
        return Ok(json!(number));
    }
    if wish["allow_sending_without_reply"] == true {
        return Ok(Json::Null);
    }
    Err("message to be replied not found".into())
}

/// A picture or film: a file of the form, an address, or a file that the server knows.
fn medium(kind: &str, given: Option<&Json>, call: &Call) -> Result<Json, Refusal> {
    let parts = call.parts();
    let named = given.and_then(Json::as_str).and_then(|text| text.strip_prefix("attach://"));
    let file = parts.iter().find(|part| part.filename.is_some() && part.name == named.unwrap_or(kind));
    let Some(file) = file else {
        return match given.and_then(Json::as_str).filter(|text| named.is_none() && !text.is_empty()) {
            Some(other) => Ok(json!({ "type": kind, "file": other })),
            None => Err(format!("there is no {kind} in the request").into()),
        };
    };
    let bytes = file.body.len();
    if bytes == 0 {
        return Err("file must be non-empty".into());
    }
    let most = if kind == "photo" { PHOTO } else { FILE };
    if bytes > most {
        return Err(format!(
            "file of size {bytes} bytes is too big for a {kind}; the maximum size is {most} bytes"
        )
        .into());
    }
    if kind == "photo" && !is_picture(&file.body) {
        return Err("IMAGE_PROCESS_FAILED".into());
    }
    Ok(json!({ "type": kind, "bytes": bytes, "sha256": text::sha256(&file.body) }))
}

fn is_picture(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
        || bytes.starts_with(b"\xff\xd8\xff")
        || bytes.starts_with(b"GIF8")
        || (bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"))
}

/// Takes a message in, and gives it as the API does.
fn accept(chat: &Chat, text: String, data: Json, visible: bool, desk: &mut Desk<'_>) -> Json {
    let act = if visible { None } else { Some("part") };
    let item =
        desk.accept(Item { act, visible, text, place: Some(chat.id.to_string()), data, ..Item::default() });
    let mut shown = json!({
        "message_id": item.number, "from": chat::me(desk), "chat": chat.shown(), "date": item.at / SECOND,
    });
    let media = item.data["media"].is_array();
    let (words, ranges) = if media { ("caption", "caption_entities") } else { ("text", "entities") };
    shown[words] = json!(item.text);
    shown[ranges] = item.data["entities"].clone();
    if item.data["media_group_id"].is_string() {
        shown["media_group_id"] = item.data["media_group_id"].clone();
    }
    shown
}
