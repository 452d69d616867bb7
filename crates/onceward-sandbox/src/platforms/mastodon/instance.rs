//! What a server tells of itself and its limits.

use serde_json::{Value as Json, json};

use super::{Server, count};
use crate::answer::Answer;
use crate::call::Call;

pub(super) const IMAGE_BYTES: usize = 16_777_216;
pub(super) const VIDEO_BYTES: usize = 103_809_024;
/// Characters of an alt text.
pub(super) const DESCRIPTION: usize = 1500;

/// What differs between the servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) characters: usize,
    pub(super) attachments: usize,
}

pub(super) const fn limits(server: Server) -> Limits {
    match server {
        Server::Mastodon => Limits { characters: 500, attachments: 4 },
        Server::Pleroma => Limits { characters: 5000, attachments: 1000 },
        Server::GoToSocial => Limits { characters: 5000, attachments: 6 },
    }
}

/// `/api/v1/instance` or `/api/v2/instance`.
pub(super) fn answer(server: Server, call: &Call) -> Answer {
    let mut body = json!({
        "title": "Onceward sandbox",
        "version": version(server),
        "description": "A stand-in for rehearsals",
        "configuration": configuration(server),
    });
    let host = call.base.trim_start_matches("http://");
    if call.path.starts_with("/api/v2") {
        body["domain"] = json!(host);
        body["source_url"] = json!(source(server));
    } else {
        body["uri"] = json!(host);
        body["max_toot_chars"] = json!(limits(server).characters);
    }
    Answer::json(200, &body)
}

fn configuration(server: Server) -> Json {
    let limits = limits(server);
    json!({
        "statuses": {
            "max_characters": limits.characters,
            "max_media_attachments": limits.attachments,
            "characters_reserved_per_url": count::LINK,
        },
        "media_attachments": {
            "supported_mime_types":
                ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "video/mp4"],
            "image_size_limit": IMAGE_BYTES,
            "image_matrix_limit": 33_177_600,
            "video_size_limit": VIDEO_BYTES,
            "description_limit": DESCRIPTION,
        },
    })
}

const fn version(server: Server) -> &'static str {
    match server {
        Server::Mastodon => "4.5.2",
        Server::Pleroma => "2.7.2 (compatible; Pleroma 2.9.1)",
        Server::GoToSocial => "0.20.2+git-0000000",
    }
}

const fn source(server: Server) -> &'static str {
    match server {
        Server::Mastodon => "https://github.com/mastodon/mastodon",
        Server::Pleroma => "https://git.pleroma.social/pleroma/pleroma",
        Server::GoToSocial => "https://codeberg.org/superseriousbusiness/gotosocial",
    }
}
