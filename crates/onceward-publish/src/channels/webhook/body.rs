//! The body of a webhook.

use onceward_db::Time;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::content::Media;
use crate::media::MediaType;

/// What a receiver learns of a published content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The content's id.
    pub id: String,
    /// Its title, or null.
    pub title: Option<String>,
    /// Its body as plain text.
    pub text: String,
    /// Its body as safe HTML.
    pub html: String,
    /// The page it announces, or null.
    pub link: Option<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// Its pictures and films, by hash.
    pub media: Vec<Attached>,
    /// It is an alert, not a content: its `type` says so.
    #[serde(default)]
    pub alert: bool,
}

/// A picture or film, by hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// The type by its first bytes.
    #[serde(rename = "type")]
    pub kind: MediaType,
    /// What it shows, or null.
    pub alt: Option<String>,
}

impl From<&Media> for Attached {
    fn from(media: &Media) -> Self {
        Self { sha256: media.facts.sha256.clone(), kind: media.facts.kind, alt: media.alt.clone() }
    }
}

/// The bytes to send and to sign; `at` is when the content was published, the same at every attempt.
pub fn body(published: &Published, at: Time) -> Vec<u8> {
    let media: Vec<_> = published.media.iter().map(attached).collect();
    let kind = if published.alert { "alert.message" } else { "content.published" };
    let json = json!({
        "type": kind,
        "timestamp": at.to_string(),
        "data": {
            "id": published.id,
            "title": published.title,
            "text": published.text,
            "html": published.html,
            "link": published.link,
            "tags": published.tags,
            "media": media,
        },
    });
    json.to_string().into_bytes()
}

/// Receivers get the MIME type, not our word for it.
fn attached(media: &Attached) -> serde_json::Value {
    json!({"sha256": media.sha256, "type": media.kind.mime(), "alt": media.alt})
}
