//! Feeds as channels.

use std::path::PathBuf;

use onceward::{Class, Failure, Intent, Onceward, Receipt, SendError};
use serde_json::Value as Json;

use super::{Feed, Format, own_link, render};
use crate::channel::{Channel, Checked, Doing, Part, Reason, Sending};
use crate::channels::shelf::{self, Made, Shelf};
use crate::channels::{Entry, stable_id};
use crate::dress::Dressed;

/// A feed in a file. The same entry any number of times is one item, so it may always be sent again.
#[derive(Debug, Clone)]
pub struct FeedChannel {
    /// The file, absolute.
    pub path: PathBuf,
    /// Its language.
    pub format: Format,
    /// The feed's title.
    pub title: String,
    /// The site it belongs to: the file's folder is served there.
    pub link: String,
    /// At most this many entries, the newest.
    pub items: usize,
}

impl Channel for FeedChannel {
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        let slash = if self.link.ends_with('/') { "" } else { "/" };
        shelf::part(post, &format!("{}{slash}", self.link), Some(&self.link))
    }

    fn class(&self, _request: &Json) -> Class {
        Class::Deterministic
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            self.shelf(to.channel).put(to, &intent.request).await?;
            Ok(Receipt::id(stable_id(to.channel, to.content)).at(shelf::file_url(&self.path)))
        })
    }

    fn restore<'a>(&'a self, once: &'a Onceward, channel: &'a str) -> Doing<'a, Result<(), Failure>> {
        Box::pin(self.shelf(channel).restore(once, channel))
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async { shelf::check(&self.path, self.path.parent().unwrap_or(&self.path), &self.path) })
    }
}

impl FeedChannel {
    fn shelf(&self, channel: &str) -> Shelf<impl FnOnce(&[Entry]) -> Made + Send + use<>> {
        let feed = Feed {
            channel: channel.to_owned(),
            title: self.title.clone(),
            link: self.link.clone(),
            own_link: own_link(&self.link, &self.path),
            items: self.items,
        };
        let (path, format) = (self.path.clone(), self.format);
        let make = move |entries: &[Entry]| Ok(vec![(path, render(&feed, entries, format))]);
        let folder = self.path.parent().map(PathBuf::from).unwrap_or_default();
        Shelf { path: self.path.clone(), folder, items: self.items, make }
    }
}
