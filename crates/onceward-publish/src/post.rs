//! A content as one channel gets it: the payload of that channel's job.

use std::collections::BTreeMap;

use onceward::{Job, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::content::{Content, Media, Thread};
use crate::media::MediaFacts;

/// What one channel is to publish. The channel's name and settings are not in it, so that neither a new name nor a
/// new template makes an old post look edited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The content's id.
    pub content: String,
    /// The channel's stable id.
    pub channel: String,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The page that it announces.
    pub link: Option<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// The text in Markdown: the channel's own variant, else the content's body.
    pub body: String,
    /// Pictures and films; their bytes are in the store.
    pub media: Vec<Picture>,
    /// How a text that is too long becomes several parts.
    pub thread: Thread,
    /// Keys that only this channel knows.
    pub options: BTreeMap<String, Json>,
    /// Not before this moment.
    pub publish_at: Option<Time>,
    /// Not after this moment.
    pub expire_at: Option<Time>,
    /// Waits for a person's release.
    pub approve: bool,
    /// It was made from an alert, for whoever minds it. Never stored.
    #[serde(skip)]
    pub alert: bool,
}

/// A picture or film of a post.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The path as the text names it.
    pub given: String,
    /// What it shows, for those who cannot see it.
    pub alt: Option<String>,
    /// What its bytes are.
    #[serde(flatten)]
    pub facts: MediaFacts,
}

impl Job for Post {
    const KIND: &'static str = "publish.post";
    const QUEUE: &'static str = "publish";
}

impl Post {
    /// The share of one channel, by its name and its stable id.
    pub fn of(content: &Content, name: &str, channel: &str, publish_at: Option<Time>) -> Self {
        let variant = content.variants.get(name);
        let text = variant.and_then(|it| it.text.as_ref()).unwrap_or(&content.body);
        Self {
            content: content.id.clone(),
            channel: channel.to_owned(),
            title: content.title.clone(),
            link: content.link.clone(),
            tags: content.tags.clone(),
            body: text.clone(),
            media: content.media.iter().map(Picture::from).collect(),
            thread: content.thread.clone(),
            options: variant.map(|it| it.options.clone()).unwrap_or_default(),
            publish_at,
            expire_at: content.expire_at.as_ref().map(|wish| wish.at),
            approve: content.approve,
            alert: false,
        }
    }

    /// The one key of this content on this channel, for ever.
    pub fn key(&self) -> String {
        format!("v1{}\0{}", self.content, self.channel)
    }

    /// A hash of what readers get, whatever its id and time: by it a file that was moved is recognised.
    pub fn likeness(&self) -> String {
        let media: Vec<_> = self.media.iter().map(|it| &it.facts.sha256).collect();
        // How a text is split is not seen; parts that a person wrote are.
        let parts = if let Thread::Parts(parts) = &self.thread { parts.as_slice() } else { &[] };
        let body = self.body.trim();
        let seen = serde_json::json!([self.title, self.link, self.tags, body, media, self.options, parts]);
        hex::encode(Sha256::digest(seen.to_string()))
    }
}

impl From<&Media> for Picture {
    fn from(media: &Media) -> Self {
        Self { given: media.given.clone(), alt: media.alt.clone(), facts: media.facts.clone() }
    }
}
