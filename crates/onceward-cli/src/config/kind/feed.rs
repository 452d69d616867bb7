//! `type = "feed"`: a file that readers subscribe to.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::DeValue;

use crate::config::table::Table;
use crate::config::value::{Fault, FromValue, WebAddress, word};

/// Where the feed lies and what stands at its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Feed {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The channel's name when absent.
    pub(crate) title: Option<String>,
    /// The site that the feed belongs to; RSS and Atom ask for it.
    pub(crate) link: WebAddress,
    /// The newest so many contents are in the file.
    pub(crate) items: u32,
}

/// RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Rss,
    Atom,
    Json,
}

impl Feed {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let path = table.need_path("path");
        let written: Option<Format> = table.get("format");
        let title = table.get("title");
        let link = table.need("link");
        let items = table.get_or("items", 50);
        let path = path?;
        let Some(format) = written.or_else(|| by_suffix(&path)) else {
            table.refuse(
                "path",
                "the suffix names no format; end it in .xml, .atom or .json, or set `format`",
            );
            return None;
        };
        Some(Self { path, format, title, link: link?, items })
    }
}

fn by_suffix(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "xml" | "rss" => Some(Format::Rss),
        "atom" => Some(Format::Atom),
        "json" => Some(Format::Json),
        _ => None,
    }
}

impl FromValue for Format {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        word(value, &[("rss", Self::Rss), ("atom", Self::Atom), ("json", Self::Json)])
    }
}
