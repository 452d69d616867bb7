//! A content: one file's wish to be published, read by the rules of this configuration.

mod fields;
mod id;
mod keys;
mod parse;
mod read;
mod rules;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::date::Wish;
use crate::media::MediaFacts;
use crate::refusal::Refusal;

pub use keys::nearest;
pub use parse::parse;
pub use read::read;
pub use rules::Rules;

/// One piece of content, ready to be planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Its name for ever: from `id`, else from the file's path; NFC.
    pub id: String,
    /// The file, as it was named.
    pub file: PathBuf,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The page that the content announces: an absolute `http` or `https` address.
    pub link: Option<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// The channels it goes to, groups resolved, each once.
    pub channels: Vec<String>,
    /// Not before this moment.
    pub publish_at: Option<Wish>,
    /// Not after this moment.
    pub expire_at: Option<Wish>,
    /// Waits for a person's release.
    pub approve: bool,
    /// Pictures and films: those of the front matter first, then those of the body.
    pub media: Vec<Media>,
    /// What single channels get instead, by channel.
    pub variants: BTreeMap<String, Variant>,
    /// How a text that is too long becomes several parts.
    pub thread: Thread,
    /// The body in Markdown, byte for byte.
    pub body: String,
    /// The line of the file at which the body begins, counted from 1.
    pub body_line: u32,
    /// Keys of other tools, kept as they are.
    pub extra: BTreeMap<String, Json>,
    /// The line of each front matter key, for messages: `title`, `variants.x`.
    pub lines: BTreeMap<String, u32>,
}

/// A picture or film of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The path as written in the file.
    pub given: String,
    /// The file it leads to.
    pub path: PathBuf,
    /// What it shows, for those who cannot see it.
    pub alt: Option<String>,
    /// The line of the content file that names it, counted from 1.
    pub line: u32,
    /// What its bytes are.
    pub facts: MediaFacts,
}

/// What one channel gets instead of the common text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its own text.
    pub text: Option<String>,
    /// Keys that only this channel knows, such as `visibility`.
    pub options: BTreeMap<String, Json>,
}

/// How a text becomes several parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    /// Split where it is too long for the channel.
    #[default]
    Auto,
    /// Refused where it is too long.
    Never,
    /// Exactly these parts.
    Parts(Vec<String>),
}

/// A file that says itself that it is not to be published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The file, as it was named.
    pub file: PathBuf,
    /// What says so: `draft: true` or `published: false`.
    pub reason: String,
}

/// What one file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// A content, ready to be planned.
    Content(Box<Content>),
    /// A draft.
    Skipped(Skipped),
    /// Everything that is wrong with it, in the order of lines.
    Refused(Vec<Refusal>),
}

/// What a set of files turned out to be, in the order in which they were named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// The contents.
    pub contents: Vec<Content>,
    /// The drafts.
    pub skipped: Vec<Skipped>,
    /// Everything that is wrong, of all files together.
    pub refused: Vec<Refusal>,
}

impl Content {
    /// The line of a front matter key (`title`, `variants.x`), else of the body.
    pub fn line_of(&self, key: &str) -> u32 {
        self.lines.get(key).copied().unwrap_or(self.body_line)
    }
}
