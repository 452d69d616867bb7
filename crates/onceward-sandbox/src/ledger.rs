//! What reached the sandbox, and apart from that, what it accepted.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Everything that reached the sandbox and everything that it accepted, each in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Each request, whatever became of it.
    pub arrivals: Vec<Arrival>,
    /// Each thing that a platform took in: posts, but also uploads and drafts.
    pub accepted: Vec<Accepted>,
}

/// One request that arrived whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrival {
    /// When, by the sandbox's clock, in microseconds since 1970.
    pub at: i64,
    /// The platform's prefix, such as `mastodon`.
    pub platform: String,
    /// What it was: `post`, `upload`, `look` …
    pub act: String,
    /// Who sent it: a short name made from the credentials, which are not kept.
    pub account: Option<String>,
    /// The key that lets the platform know a repeat.
    pub key: Option<String>,
    /// SHA-256 of the body, in hex.
    pub body_hash: String,
    /// The answer's status; none: it was never answered.
    pub status: Option<u16>,
    /// The fault that it met.
    pub fault: Option<String>,
    /// The numbers of what it made the platform accept: empty for look-ups, refusals and recognised repeats.
    pub accepted: Vec<u64>,
}

/// One thing that a platform accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// Counted from 1 over all platforms.
    pub number: u64,
    /// When, by the sandbox's clock, in microseconds since 1970.
    pub at: i64,
    /// From when on look-ups show it, in microseconds since 1970.
    pub seen_from: i64,
    /// The platform's prefix, such as `mastodon`.
    pub platform: String,
    /// What was done: `post`, `upload`, `draft` …
    pub act: String,
    /// Whether the platform's readers saw it happen.
    pub visible: bool,
    /// Who sent it: a short name made from the credentials, which are not kept.
    pub account: Option<String>,
    /// The key that lets the platform know a repeat.
    pub key: Option<String>,
    /// SHA-256 of the request's body, in hex.
    pub body_hash: String,
    /// Where it went, where an account has several places: a room, a chat, a recipient.
    pub place: Option<String>,
    /// What readers see.
    pub text: String,
    /// Its name on the platform.
    pub remote_id: String,
    /// What else the platform remembers of it.
    pub data: Json,
}

impl Ledger {
    /// What readers of one platform saw happen.
    pub fn visible<'a>(&'a self, platform: &'a str) -> impl Iterator<Item = &'a Accepted> {
        self.accepted.iter().filter(move |item| item.visible && item.platform == platform)
    }

    /// The requests of one act that reached one platform.
    pub fn arrived<'a>(&'a self, platform: &'a str, act: &'a str) -> impl Iterator<Item = &'a Arrival> {
        self.arrivals.iter().filter(move |item| item.platform == platform && item.act == act)
    }
}
