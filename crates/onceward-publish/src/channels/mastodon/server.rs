//! What a server says of itself: its software and its limits.

use onceward::SendError;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::api::{Api, read};
use crate::channel::{Limits, MediaLimits};
use crate::media::{MAX_MEDIA, MediaType};
use crate::text::{Counter, Limit};

/// A server's answer, as it is kept. What it does not say is as on mastodon.social.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Server {
    /// `4.5.2`, `2.7.2 (compatible; Pleroma 2.9.1)`, `0.20.2+git`; empty: it was never asked.
    pub(super) version: String,
    pub(super) characters: usize,
    /// What each link counts.
    pub(super) link: usize,
    pub(super) media: usize,
    /// MIME types; none: it does not say.
    pub(super) types: Vec<String>,
    pub(super) image_bytes: u64,
    pub(super) image_pixels: u64,
    pub(super) video_bytes: u64,
    /// Characters of an alt text.
    pub(super) description: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            version: String::new(),
            characters: 500,
            link: 23,
            media: 4,
            types: Vec::new(),
            image_bytes: 16_777_216,
            image_pixels: 33_177_600,
            video_bytes: 103_809_024,
            description: 1500,
        }
    }
}

/// Asks for the newer document, then for the older one, which all servers have.
pub(super) async fn ask(api: &Api) -> Result<Server, SendError> {
    let newer = api.get("api/v2/instance", &[]).await;
    let answer = match newer {
        Err(SendError::Refused(_)) => api.get("api/v1/instance", &[]).await?,
        other => other?,
    };
    Ok(Server::of(&read(&answer)?))
}

impl Server {
    /// What was kept; without any, the usual.
    pub(super) fn known(kept: &Json) -> Self {
        serde_json::from_value(kept.clone()).unwrap_or_default()
    }

    fn of(said: &Json) -> Self {
        let (usual, about) = (Self::default(), &said["configuration"]);
        let (statuses, media) = (&about["statuses"], &about["media_attachments"]);
        let number = |value: &Json, usual| value.as_u64().filter(|it| *it > 0).unwrap_or(usual);
        let size = |value: &Json, usual: usize| {
            value.as_u64().and_then(|it| usize::try_from(it).ok()).filter(|it| *it > 0).unwrap_or(usual)
        };
        let types = media["supported_mime_types"].as_array().into_iter().flatten();
        Self {
            version: said["version"].as_str().unwrap_or_default().chars().take(200).collect(),
            characters: size(&statuses["max_characters"], size(&said["max_toot_chars"], usual.characters)),
            link: size(&statuses["characters_reserved_per_url"], usual.link),
            media: size(&statuses["max_media_attachments"], usual.media),
            types: types.filter_map(Json::as_str).map(str::to_owned).collect(),
            image_bytes: number(&media["image_size_limit"], usual.image_bytes),
            image_pixels: number(&media["image_matrix_limit"], usual.image_pixels),
            video_bytes: number(&media["video_size_limit"], usual.video_bytes),
            description: size(&media["description_limit"], usual.description),
        }
    }

    /// Mastodon itself, or a fork of it: their versions begin with its number, and others add that they are
    /// compatible. `GoToSocial` counts from 0.
    pub(super) fn knows_keys(&self) -> bool {
        let version = self.version.to_ascii_lowercase();
        let number = version.split('.').next().and_then(|number| number.parse::<u32>().ok());
        number.is_some_and(|number| number > 0)
            && !version.contains("compatible")
            && !version.contains("gotosocial")
    }

    /// How it counts, and how much it takes: others than Mastodon make no allowance for links and mentions.
    pub(super) fn limit(&self) -> Limit {
        let mastodon = self.version.is_empty() || self.knows_keys();
        let counter = if mastodon { Counter::Mastodon { link: self.link } } else { Counter::Scalars };
        Limit::new(counter, self.characters)
    }

    pub(super) fn limits(&self) -> Limits {
        let known = [
            MediaType::Png,
            MediaType::Jpeg,
            MediaType::Gif,
            MediaType::Webp,
            MediaType::Avif,
            MediaType::Heic,
            MediaType::Mp4,
            MediaType::Webm,
        ];
        let taken = |kind: &MediaType| self.types.iter().any(|mime| mime == kind.mime());
        let media = MediaLimits {
            count: self.media,
            types: known.into_iter().filter(|kind| self.types.is_empty() || taken(kind)).collect(),
            bytes: self.image_bytes.max(self.video_bytes).min(MAX_MEDIA),
            pixels: Some(self.image_pixels),
            alt: Some(self.description),
            alt_required: false,
        };
        Limits { text: Some(self.characters), media: Some(media) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn version(version: &str) -> Server {
        Server::of(&json!({ "version": version }))
    }

    #[test]
    fn only_mastodon_and_its_forks_are_trusted_with_a_key() {
        let table = [
            ("4.5.2", true),
            ("4.4.0-alpha.1+glitch", true),
            ("4.0.2+hometown-1.1.1", true),
            ("2.7.2 (compatible; Pleroma 2.9.1)", false),
            ("2.7.2 (compatible; Akkoma 3.15.1-0-g1)", false),
            ("3.5.3 (compatible; Pixelfed 0.12.5)", false),
            ("0.20.2+git-0000000", false),
            ("0.17.0-rc1 git-1", false),
            ("4.2.1-gotosocial-0.16", false),
            ("", false),
            ("later", false),
        ];
        for (text, expected) in table {
            assert_eq!(version(text).knows_keys(), expected, "{text}");
        }
    }

    #[test]
    fn limits_are_the_servers_own_else_the_usual() {
        let said = json!({
            "version": "4.5.2",
            "configuration": {
                "statuses": {"max_characters": 1000, "max_media_attachments": 6, "characters_reserved_per_url": 30},
                "media_attachments": {
                    "supported_mime_types": ["image/png", "video/mp4", "audio/ogg"],
                    "image_size_limit": 1000, "image_matrix_limit": 50, "video_size_limit": 2000,
                    "description_limit": 10,
                },
            },
        });
        let server = Server::of(&said);
        assert_eq!(server.limit(), Limit::new(Counter::Mastodon { link: 30 }, 1000));
        let media = server.limits().media.unwrap();
        assert_eq!((media.count, media.bytes, media.pixels, media.alt), (6, 2000, Some(50), Some(10)));
        assert_eq!(media.types, [MediaType::Png, MediaType::Mp4]);
        assert_eq!(Server::known(&json!(server)), server);
        assert_eq!(Server::of(&json!({"max_toot_chars": 700})).characters, 700);
        assert_eq!(Server::of(&json!("nonsense")), Server::default());
        assert_eq!(Server::known(&Json::Null).limit(), Limit::new(Counter::Mastodon { link: 23 }, 500));
        assert_eq!(version("0.20.2+git").limit().counter, Counter::Scalars);
    }
}
