//! Feeds: RSS 2.0, Atom 1.0 and JSON Feed 1.1. Pure: the same entries give the same bytes.

mod adapter;
mod atom;
mod json;
mod rss;
mod xml;

use std::path::Path;

use onceward_db::Time;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, newest};

pub use adapter::FeedChannel;

/// What a feed says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The channel's stable id: it goes into the id of each item, and stays when the channel is renamed.
    pub channel: String,
    /// The feed's title.
    pub title: String,
    /// The site it belongs to.
    pub link: String,
    /// Where the feed itself can be fetched.
    pub own_link: String,
    /// At most this many entries, the newest.
    pub items: usize,
}

/// The language of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// RSS 2.0, <https://www.rssboard.org/rss-specification>.
    Rss,
    /// Atom, RFC 4287.
    Atom,
    /// JSON Feed 1.1, <https://www.jsonfeed.org/version/1.1/>.
    Json,
}

impl Format {
    /// The format by a file's name: `.atom`, `.json`, and RSS for everything else.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("atom") => Self::Atom,
            Some("json") => Self::Json,
            _ => Self::Rss,
        }
    }

    /// The MIME type to serve it with.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Rss => "application/rss+xml",
            Self::Atom => "application/atom+xml",
            Self::Json => "application/feed+json",
        }
    }
}

/// Where a feed written to `path` is fetched, when its folder is served as `link`.
pub fn own_link(link: &str, path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let slash = if link.ends_with('/') { "" } else { "/" };
    let folder = format!("{link}{slash}");
    url::Url::parse(&folder)
        .and_then(|folder| folder.join(&format!("./{name}")))
        .map_or_else(|_| format!("{folder}{name}"), String::from)
}

/// Writes a feed of the newest entries, in UTF-8. Characters that XML cannot hold are left out.
pub fn render(feed: &Feed, entries: &[Entry], format: Format) -> Vec<u8> {
    let entries = newest(entries, feed.items);
    match format {
        Format::Rss => rss::render(feed, &entries),
        Format::Atom => atom::render(feed, &entries),
        Format::Json => json::render(feed, &entries),
    }
}

/// When the newest change happened; an empty feed has not changed since 1970.
fn last_change(entries: &[&Entry]) -> Time {
    entries.iter().map(|entry| entry.updated).max().unwrap_or(Time::from_micros(0))
}
