//! A post → what will be sent, part by part. Pure.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::server::Server;
use crate::channel::{Part, Reason};
use crate::dress::Dressed;
use crate::media::MediaType;
use crate::post;
use crate::text::{Counter, Limit, Room};

/// Who sees a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody, in public timelines.
    Public,
    /// Everybody, but not in public timelines.
    Unlisted,
    /// Followers.
    Private,
    /// Those who are mentioned.
    Direct,
}

/// One part as it is frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Frozen {
    /// Whether the server knows keys; none: it was not asked yet.
    pub(super) keyed: Option<bool>,
    pub(super) status: String,
    #[serde(flatten)]
    pub(super) manner: Manner,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pictures: Vec<Picture>,
}

/// How a post is shown; what is not set is as the account has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manner {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) visibility: Option<Visibility>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    /// The words before a text that is folded away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spoiler_text: Option<String>,
    /// Whether the media are hidden until a reader asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sensitive: Option<bool>,
}

/// A picture or film of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Picture {
    pub(super) sha256: String,
    pub(super) name: String,
    pub(super) mime: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alt: Option<String>,
    /// The server's id, once it is uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
}

impl Frozen {
    /// The call's body, as an answer to the part before.
    pub(super) fn body(&self, parent: Option<&str>) -> Json {
        let mut body = json!(self.manner);
        body["status"] = json!(self.status);
        if let Some(parent) = parent {
            body["in_reply_to_id"] = json!(parent);
        }
        if !self.pictures.is_empty() {
            body["media_ids"] = self.pictures.iter().filter_map(|picture| picture.id.as_deref()).collect();
        }
        if self.keyed != Some(true) {
            // Others read Markdown where the account says so; the text is none.
            body["content_type"] = json!("text/plain");
        }
        body
    }
}

/// All parts. Media go with the first, the rest answers the part before.
pub(super) fn parts(post: &Dressed<'_>, usual: &Manner) -> Result<Vec<Part>, Reason> {
    let server = Server::known(post.server);
    let manner = manner(&post.post.options, usual)?;
    let pictures = pictures(&post.post.media, &server)?;
    let limit = limit(&server, &manner)?;
    let texts = post.plain_parts(&Room::same(&[limit]))?;
    if texts.iter().all(String::is_empty) && pictures.is_empty() {
        return Err(Reason::new("text_missing", "there is no text and no media; a post needs one of them"));
    }
    let keyed = (!server.version.is_empty()).then(|| server.knows_keys());
    let pictures = std::iter::once(pictures).chain(std::iter::repeat_with(Vec::new));
    let part = |(status, pictures): (String, Vec<Picture>)| {
        let frozen = Frozen { keyed, status: status.clone(), manner: manner.clone(), pictures };
        Part { length: limit.count(&status), text: status, request: json!(frozen) }
    };
    Ok(texts.into_iter().zip(pictures).map(part).collect())
}

/// The words before a folded text count with it.
fn limit(server: &Server, manner: &Manner) -> Result<Limit, Reason> {
    let limit = server.limit();
    let spoiler = manner.spoiler_text.as_deref().map_or(0, |text| match limit.counter {
        Counter::Mastodon { .. } => Counter::Graphemes.count(text),
        other => other.count(text),
    });
    if spoiler >= limit.most {
        let text =
            format!("`spoiler_text` has {spoiler}/{} characters and leaves no room for the text", limit.most);
        return Err(Reason::new("text_too_long", text).of("variants"));
    }
    Ok(Limit::new(limit.counter, limit.most - spoiler))
}

/// The channel's manner with the variant's own keys. A key that is not known would be a wish that is not heard: a
/// private post that goes out in public.
fn manner(options: &std::collections::BTreeMap<String, Json>, usual: &Manner) -> Result<Manner, Reason> {
    let mut manner = usual.clone();
    for (key, value) in options {
        match key.as_str() {
            "visibility" => {
                manner.visibility = Some(wish(key, value, "public, unlisted, private or direct")?);
            }
            "language" => manner.language = Some(wish(key, value, "a code such as `ko`")?),
            "spoiler_text" => manner.spoiler_text = Some(wish(key, value, "a text")?),
            "sensitive" => manner.sensitive = Some(wish(key, value, "true or false")?),
            "scheduled_at" => {
                let text = "`scheduled_at` is not handed to the server, which would not know a repeat of it; use \
                            `publish_at`";
                return Err(Reason::new("option_unknown", text).of("variants"));
            }
            _ => {
                let text = format!(
                    "`{}` is not known to this channel; known are visibility, language, spoiler_text, sensitive",
                    key.escape_debug()
                );
                return Err(Reason::new("option_unknown", text).of("variants"));
            }
        }
    }
    manner.spoiler_text = manner.spoiler_text.filter(|text| !text.trim().is_empty());
    Ok(manner)
}

fn wish<T: serde::de::DeserializeOwned>(key: &str, value: &Json, expected: &str) -> Result<T, Reason> {
    serde_json::from_value(value.clone())
        .map_err(|_| Reason::new("option_invalid", format!("`{key}` is not {expected}")).of("variants"))
}

/// What is known of the media beyond the limits that hold for all of them.
fn pictures(media: &[post::Picture], server: &Server) -> Result<Vec<Picture>, Reason> {
    let film = |it: &post::Picture| matches!(it.facts.kind, MediaType::Mp4 | MediaType::Webm);
    if media.len() > 1 && server.limit().counter != Counter::Scalars && media.iter().any(film) {
        let text = "a film goes alone; Mastodon takes no other media beside it";
        return Err(Reason::new("media_mixed", text).of("media"));
    }
    if let Some(large) = media.iter().find(|it| !film(it) && it.facts.bytes > server.image_bytes) {
        let text = format!(
            "{}: {} bytes; at most {} are taken of a picture: make it smaller",
            large.given, large.facts.bytes, server.image_bytes
        );
        return Err(Reason::new("media_too_large", text).of("media"));
    }
    Ok(media.iter().map(Picture::of).collect())
}

impl Picture {
    fn of(picture: &post::Picture) -> Self {
        Self {
            sha256: picture.facts.sha256.clone(),
            name: format!(
                "{}.{}",
                &picture.facts.sha256[..12.min(picture.facts.sha256.len())],
                picture.facts.kind.suffix()
            ),
            mime: picture.facts.kind.mime().to_owned(),
            alt: picture.alt.clone().filter(|alt| !alt.trim().is_empty()),
            id: None,
        }
    }
}
