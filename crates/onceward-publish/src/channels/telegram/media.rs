//! Pictures and films: they go with the message, since a bot has no other place for them.
//!
//! <https://core.telegram.org/bots/api#sendphoto>, <https://core.telegram.org/bots/api#sendmediagroup>

use onceward::SendError;
use onceward_http::Multipart;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::render::Message;

use crate::channel::{MediaLimits, Reason, Sending};
use crate::media::{MAX_MEDIA, MediaType};
use crate::post;

/// A picture may have so many bytes.
const PHOTO: u64 = 10_000_000;
/// Its width and height together, in pixels.
const SIDES: u64 = 10_000;
/// Its longer side, in shorter ones.
const RATIO: u64 = 20;
/// All files of a message together, in bytes.
const REQUEST: u64 = 50_000_000;

/// A picture or film of a message, as it is frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Film {
    sha256: String,
    #[serde(rename = "type")]
    kind: MediaType,
}

/// What Telegram takes. It has no place for alt texts.
pub(super) fn limits() -> MediaLimits {
    MediaLimits {
        count: 10,
        types: vec![MediaType::Png, MediaType::Jpeg, MediaType::Webp, MediaType::Gif, MediaType::Mp4],
        bytes: MAX_MEDIA,
        pixels: None,
        alt: None,
        alt_required: false,
    }
}

/// The media of a post, if Telegram takes them.
///
/// # Errors
/// What is too large, or cannot go with others.
pub(super) fn of(media: &[post::Picture]) -> Result<Vec<Film>, Reason> {
    media.iter().try_for_each(|picture| takes(picture, media.len() > 1))?;
    if media.iter().map(|picture| picture.facts.bytes).sum::<u64>() > REQUEST {
        let text = format!("the media have more than {REQUEST} bytes together; leave some out");
        return Err(Reason::new("media_too_large", text).of("media"));
    }
    let film =
        |picture: &post::Picture| Film { sha256: picture.facts.sha256.clone(), kind: picture.facts.kind };
    Ok(media.iter().map(film).collect())
}

fn takes(picture: &post::Picture, among_others: bool) -> Result<(), Reason> {
    let (given, facts) = (&picture.given, &picture.facts);
    let refuse = |code, text: String| Err(Reason::new(code, format!("{given}: {text}")).of("media"));
    if facts.kind == MediaType::Gif && among_others {
        return refuse(
            "media_type_not_taken",
            "a GIF goes alone; send it in a content of its own".to_owned(),
        );
    }
    if !is_photo(facts.kind) {
        return Ok(());
    }
    if facts.bytes > PHOTO {
        return refuse("media_too_large", format!("{} bytes; a picture may have {PHOTO}", facts.bytes));
    }
    let sides = [facts.width, facts.height].map(|side| u64::from(side.unwrap_or(1).max(1)));
    let (long, short) = (sides[0].max(sides[1]), sides[0].min(sides[1]));
    if long + short > SIDES || long > short * RATIO {
        let text = format!(
            "{} × {} pixels; width and height may be {SIDES} together, and the one {RATIO} times the other",
            sides[0], sides[1]
        );
        return refuse("media_too_many_pixels", text);
    }
    Ok(())
}

fn is_photo(kind: MediaType) -> bool {
    !matches!(kind, MediaType::Gif | MediaType::Mp4)
}

/// The method that sends these media with their text, and its form; `fields` are those that every method takes.
pub(super) async fn form(
    to: &Sending<'_>,
    message: &Message,
    fields: &Map<String, Json>,
) -> Result<(&'static str, Multipart), SendError> {
    let form = fields.iter().fold(Multipart::new(), |form, (name, value)| form.field(name, plain(value)));
    let captions = [("caption", json!(message.text)), ("caption_entities", json!(message.entities))];
    let captions = captions.into_iter().filter(|_| !message.text.is_empty());
    if let [film] = message.media.as_slice() {
        let (method, field) = method(film.kind);
        let form = captions.fold(form, |form, (name, value)| form.field(name, plain(&value)));
        return Ok((method, attach(form, field, to, film).await?));
    }
    let (mut form, mut items) = (form, Vec::with_capacity(message.media.len()));
    for (at, film) in message.media.iter().enumerate() {
        let name = format!("file{at}");
        items.push(json!({ "type": method(film.kind).1, "media": format!("attach://{name}") }));
        form = attach(form, &name, to, film).await?;
    }
    // One caption stands under the whole group.
    if let Some(first) = items.first_mut() {
        captions.for_each(|(name, value)| first[name] = value);
    }
    Ok(("sendMediaGroup", form.field("media", json!(items).to_string())))
}

fn method(kind: MediaType) -> (&'static str, &'static str) {
    match kind {
        MediaType::Mp4 => ("sendVideo", "video"),
        MediaType::Gif => ("sendAnimation", "animation"),
        _ => ("sendPhoto", "photo"),
    }
}

/// A form's field holds a text as it is, and anything else as JSON.
fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

async fn attach(form: Multipart, name: &str, to: &Sending<'_>, film: &Film) -> Result<Multipart, SendError> {
    let bytes = to.media(&film.sha256).await.map_err(SendError::Refused)?;
    Ok(form.file(name, &format!("{name}.{}", film.kind.suffix()), film.kind.mime(), bytes))
}
