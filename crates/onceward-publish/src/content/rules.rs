//! What a configuration says about reading contents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use onceward_db::Time;

/// The part of the configuration that decides how a content file is read, and the present moment.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The configuration's folder, absolute: default ids are paths from here.
    pub root: PathBuf,
    /// `[publish] static`: where media paths that begin with `/` start.
    pub static_root: Option<PathBuf>,
    /// `[publish] timezone`: the clock by which dates without an offset are read.
    pub timezone: Option<TimeZone>,
    /// The names of all configured channels.
    pub channels: BTreeSet<String>,
    /// `[groups]`: channel names by group.
    pub groups: BTreeMap<String, Vec<String>>,
    /// `[publish] channels`: what a content without `channels` goes to; channels or groups.
    pub default_channels: Vec<String>,
    /// The present moment.
    pub now: Time,
}

impl Rules {
    /// The channels behind a name: itself, or those of a group; none when nobody has that name.
    pub(super) fn channels_of<'a>(&'a self, name: &'a str) -> Option<Vec<&'a str>> {
        if self.channels.contains(name) {
            return Some(vec![name]);
        }
        self.groups.get(name).map(|group| group.iter().map(String::as_str).collect())
    }

    /// All names that `channels` may hold, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().chain(self.groups.keys()).map(String::as_str)
    }
}
