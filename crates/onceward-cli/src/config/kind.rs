//! The types of channel that a configuration may name, and what this version does with each.
//!
//! A new type is one struct in a file below, one variant of [`Settings`] with its stand-in in `rehearsal.rs`, and one
//! row of [`TYPES`].

mod archive;
mod bluesky;
mod devto;
mod email;
mod feed;
mod mastodon;
mod slack;
mod telegram;
mod webhook;

pub(crate) use archive::Archive;
pub(crate) use bluesky::Bluesky;
pub(crate) use devto::Devto;
pub(crate) use email::Email;
pub(crate) use feed::{Feed, Format};
pub(crate) use mastodon::Mastodon;
pub(crate) use slack::Slack;
pub(crate) use telegram::Telegram;
pub(crate) use webhook::Webhook;

use onceward_http::Target;
use onceward_publish::channels::webhook::Key;
use secrecy::{ExposeSecret, SecretString};

use super::problem::nearest;
use super::table::Table;

/// The keys of one type of channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settings {
    Feed(Feed),
    Archive(Archive),
    Webhook(Webhook),
    Mastodon(Mastodon),
    Email(Email),
    Bluesky(Bluesky),
    Devto(Devto),
    Slack(Slack),
    Telegram(Telegram),
}

impl Settings {
    /// Whether a secret can be what it is for; the reason repeats no part of it.
    pub(crate) fn fits(&self, key: &str, secret: &SecretString) -> Result<(), String> {
        let secret = secret.expose_secret();
        match (self, key) {
            (Self::Webhook(_), "secret") => Key::parse(secret).map(drop).map_err(|error| error.to_string()),
            (Self::Slack(_), "webhook_url") => {
                Target::operator(secret).map(drop).map_err(|error| error.to_string())
            }
            (Self::Telegram(_), _) if !is_of_bot(secret) => {
                Err("expected the token of a bot, such as 123456:ABC-DEF, as @BotFather gives it".to_owned())
            }
            (Self::Email(_), _) => Ok(()),
            // It travels in a header, or in JSON beside one.
            _ if secret.contains(|char: char| char.is_control()) => {
                Err("expected one line without tabs; a line break may have been pasted along".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// It is part of a path.
fn is_of_bot(token: &str) -> bool {
    let parts = token.split_once(':');
    parts.is_some_and(|(id, rest)| {
        !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && !rest.is_empty()
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    })
}

/// Reads a type's own keys; `None` when a mistake was noted.
pub(super) type Read = fn(&mut Table<'_>) -> Option<Settings>;

#[derive(Clone, Copy)]
enum Support {
    Built(Read),
    Later,
    /// The platform closed its API; this is its name.
    Closed(&'static str),
}
use Support::{Built, Closed, Later};

const TYPES: &[(&str, Support)] = &[
    ("feed", Built(|table| Feed::read(table).map(Settings::Feed))),
    ("archive", Built(|table| Archive::read(table).map(Settings::Archive))),
    ("webhook", Built(|table| Webhook::read(table).map(Settings::Webhook))),
    ("email", Built(|table| Email::read(table).map(Settings::Email))),
    ("devto", Built(|table| Devto::read(table).map(Settings::Devto))),
    ("mastodon", Built(|table| Mastodon::read(table).map(Settings::Mastodon))),
    ("bluesky", Built(|table| Bluesky::read(table).map(Settings::Bluesky))),
    ("matrix", Later),
    ("nostr", Later),
    ("discord", Later),
    ("slack", Built(|table| Slack::read(table).map(Settings::Slack))),
    ("telegram", Built(|table| Telegram::read(table).map(Settings::Telegram))),
    ("ntfy", Later),
    ("x", Later),
    ("linkedin", Later),
    ("threads", Later),
    ("instagram", Later),
    ("wordpress", Later),
    ("ghost", Later),
    ("medium", Closed("Medium")),
    ("naver", Closed("Naver Blog")),
    ("naver-blog", Closed("Naver Blog")),
    ("tistory", Closed("Tistory")),
];

/// How to read the keys of a type, or why it can't be used.
pub(super) fn reader(name: &str) -> Result<(&'static str, Read), String> {
    match TYPES.iter().find(|(known, _)| *known == name) {
        Some((known, Built(read))) => Ok((known, *read)),
        Some((known, Later)) => {
            Err(format!("`{known}` is not built in this version yet; built: {}", built()))
        }
        Some((_, Closed(platform))) => Err(format!(
            "{platform} closed its API, so nothing can post there; use `feed` or `archive` instead"
        )),
        None => Err(match nearest(name, TYPES.iter().map(|(known, _)| *known)) {
            Some(best) => format!("unknown type; did you mean `{best}`?"),
            None => format!("unknown type; built in this version: {}", built()),
        }),
    }
}

/// Whether this version has such a type of channel.
pub(crate) fn is_built(name: &str) -> bool {
    TYPES.iter().any(|(known, support)| *known == name && matches!(support, Built(_)))
}

fn built() -> String {
    let built = TYPES.iter().filter(|(_, support)| matches!(support, Built(_))).map(|(name, _)| *name);
    built.collect::<Vec<_>>().join(", ")
}
