//! A published content as feeds, archives and webhooks see it.

use onceward_db::Time;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

use crate::media::MediaType;

/// One published content, already rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The content's id.
    pub id: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The page it announces.
    pub link: Option<String>,
    /// Its body as safe HTML.
    pub html: String,
    /// Its body as plain text.
    pub text: String,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// When it was first published; never changes.
    pub published: Time,
    /// When it was last changed.
    pub updated: Time,
    /// Its first picture.
    pub image: Option<Picture>,
}

/// A picture at an address of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Where it can be fetched.
    pub url: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: MediaType,
    /// How many bytes.
    pub bytes: u64,
    /// What it shows.
    pub alt: Option<String>,
}

/// A heading made from the text is cut after this many characters.
const HEADING: usize = 80;

impl Entry {
    /// The title; without one, the beginning of the text; without text, the id. One line.
    pub fn heading(&self) -> String {
        let title = self.title.as_deref().map(one_line).filter(|it| !it.is_empty());
        title.unwrap_or_else(|| {
            let start = one_line(self.text.trim().lines().next().unwrap_or_default());
            if start.is_empty() { one_line(&self.id) } else { shortened(&start) }
        })
    }
}

fn shortened(line: &str) -> String {
    let mut letters = line.graphemes(true);
    let start: String = letters.by_ref().take(HEADING).collect();
    if letters.next().is_some() { format!("{}…", start.trim_end()) } else { start }
}

/// White space of any kind becomes one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The id of a content on a channel: a `urn:uuid:` made from both, so that it survives a change of title, link
/// and domain, and is the same on every machine. Version 8 of RFC 9562, over SHA-256.
pub fn stable_id(channel: &str, content: &str) -> String {
    let digest = Sha256::new().chain_update(channel).chain_update([0]).chain_update(content).finalize();
    let mut id = [0_u8; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    let hex = hex::encode(id);
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The entries of a page or feed: newest first, at most `limit`, the same whatever order they came in.
pub(super) fn newest(entries: &[Entry], limit: usize) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| b.published.cmp(&a.published).then_with(|| a.id.cmp(&b.id)));
    sorted.truncate(limit);
    sorted
}
