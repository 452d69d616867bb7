//! `[publish]` and `[groups]`: what happens to a content that says nothing about it.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use toml::Spanned;
use toml::de::DeValue;

use super::table::Table;
use super::value::{Fault, FromValue, Named, word};

/// The defaults of all contents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Publish {
    /// The channels of a content that names none; groups are already resolved.
    pub(crate) channels: Vec<String>,
    /// The zone of dates without an offset; without it they are refused.
    pub(crate) timezone: Option<TimeZone>,
    pub(crate) hashtags: Hashtags,
    /// Added to links; `{channel}` becomes the channel's name.
    pub(crate) link_query: Option<String>,
    /// Where media paths that begin with `/` start.
    pub(crate) static_folder: Option<PathBuf>,
    /// More new jobs per channel in one run than this need `--yes`.
    pub(crate) burst: u32,
}

/// Where a content's tags go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hashtags {
    Append,
    Off,
}

impl Publish {
    /// Reads the section, with `channels` as it stands there: its names are resolved when all are known.
    pub(super) fn read(table: Option<Table<'_>>) -> (Self, Option<Vec<Named>>) {
        let mut publish = Self {
            channels: Vec::new(),
            timezone: None,
            hashtags: Hashtags::Append,
            link_query: None,
            static_folder: None,
            burst: 50,
        };
        let Some(mut table) = table else { return (publish, None) };
        let channels = table.get("channels");
        publish.timezone = table.get("timezone");
        publish.hashtags = table.get_or("hashtags", Hashtags::Append);
        publish.link_query = table.get("link_query");
        publish.static_folder = table.path("static");
        publish.burst = table.get_or("burst", publish.burst);
        if publish
            .link_query
            .as_ref()
            .is_some_and(|query| query.replace("{channel}", "").contains(['{', '}']))
        {
            table.refuse("link_query", "the only placeholder is {channel}");
        }
        table.close();
        (publish, channels)
    }
}

impl FromValue for Hashtags {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        word(value, &[("append", Self::Append), ("off", Self::Off)])
    }
}
