//! Pictures: uploaded for the bot alone, then shown by the one message that names them.
//!
//! Completing an upload *with* a room would post it there, a second visible act that no key covers. Without one the
//! file stays the bot's own until a message of the bot shows it in an image block.
//!
//! <https://docs.slack.dev/messaging/working-with-files>,
//! <https://docs.slack.dev/reference/block-kit/composition-objects/slack-file-object>

use std::time::Duration;

use onceward::{Failure, SendError};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::api::Api;
use crate::channel::{MediaLimits, Sending};
use crate::channels::answer::unseen;
use crate::media::{MAX_MEDIA, MediaType};
use crate::post;

/// Slack works on a picture before it can be shown. It is asked again after these waits, then left to the message.
const WAITS: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// A picture of a message, as it is frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Picture {
    sha256: String,
    name: String,
    mime: String,
    alt: String,
    /// Slack's id of the file, once it is there.
    file: Option<String>,
}

#[derive(Deserialize)]
struct Place {
    upload_url: String,
    file_id: String,
}

impl Picture {
    pub(super) fn of(picture: &post::Picture) -> Self {
        let name = picture.given.rsplit('/').next().unwrap_or_default().to_owned();
        let said = picture.alt.clone().filter(|alt| !alt.trim().is_empty());
        Self {
            sha256: picture.facts.sha256.clone(),
            mime: picture.facts.kind.mime().to_owned(),
            // Slack insists on some text.
            alt: said.unwrap_or_else(|| name.clone()),
            name,
            file: None,
        }
    }

    /// What shows it in a message.
    pub(super) fn block(&self) -> Json {
        json!({ "type": "image", "slack_file": { "id": self.file }, "alt_text": self.alt })
    }
}

/// What an image block takes.
pub(super) fn limits() -> MediaLimits {
    MediaLimits {
        count: 10,
        types: vec![MediaType::Png, MediaType::Jpeg, MediaType::Gif],
        bytes: MAX_MEDIA,
        pixels: None,
        alt: Some(2000),
        alt_required: false,
    }
}

/// Uploads what is not there yet, and waits until Slack can show it.
pub(super) async fn ready(api: &Api, to: &Sending<'_>, pictures: &mut [Picture]) -> Result<(), Failure> {
    for picture in pictures.iter_mut().filter(|picture| picture.file.is_none()) {
        let bytes = to.media(&picture.sha256).await?;
        picture.file = Some(upload(api, picture, bytes).await.map_err(unseen)?);
    }
    for file in pictures.iter().filter_map(|picture| picture.file.as_deref()) {
        wait(api, file).await;
    }
    Ok(())
}

async fn upload(api: &Api, picture: &Picture, bytes: Vec<u8>) -> Result<String, SendError> {
    let length = bytes.len().to_string();
    let query = [("filename", picture.name.as_str()), ("length", &length)];
    let given = api.get("files.getUploadURLExternal", &query).await?;
    let place: Place = serde_json::from_value(given.body)?;
    api.upload(&place.upload_url, &picture.mime, bytes).await?;
    let file = json!({ "id": place.file_id, "title": picture.name });
    api.post("files.completeUploadExternal", &json!({ "files": [file] })).await?;
    Ok(place.file_id)
}

/// A picture whose type Slack knows is ready. One that is not by then, or that the bot may not ask about, is left to
/// the message: it is refused, and sent again later.
async fn wait(api: &Api, file: &str) {
    for pause in WAITS {
        let Ok(given) = api.get("files.info", &[("file", file)]).await else { return };
        if given.body["file"]["mimetype"].as_str().is_some_and(|mime| !mime.is_empty()) {
            return;
        }
        tokio::time::sleep(pause).await;
    }
}
