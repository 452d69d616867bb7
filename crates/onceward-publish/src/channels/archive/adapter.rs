//! Archives as channels.

use std::path::PathBuf;

use onceward::{Class, Failure, Intent, Onceward, Receipt, SendError};
use serde_json::Value as Json;

use super::{Archive, INDEX_NAME, render, slug};
use crate::channel::{Channel, Checked, Doing, Part, Reason, Sending};
use crate::channels::shelf::{self, Made, Shelf};
use crate::channels::{Entry, stable_id};
use crate::dress::Dressed;

/// A folder of HTML pages. The same entry any number of times is one page, so it may always be sent again.
#[derive(Debug, Clone)]
pub struct ArchiveChannel {
    /// The folder, absolute.
    pub path: PathBuf,
    /// What it says about itself.
    pub archive: Archive,
}

impl Channel for ArchiveChannel {
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        render(&self.archive, &[]).map_err(|error| {
            Reason::new(
                "template_wrong",
                format!("the archive's page: {error}; correct the file that `page` names"),
            )
        })?;
        shelf::part(post, "", None)
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
            let entry = self.shelf().put(to, &intent.request).await?;
            let page = self.path.join(slug(&entry.id));
            Ok(Receipt::id(stable_id(to.channel, to.content)).at(shelf::file_url(&page)))
        })
    }

    fn restore<'a>(&'a self, once: &'a Onceward, channel: &'a str) -> Doing<'a, Result<(), Failure>> {
        Box::pin(self.shelf().restore(once, channel))
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async { shelf::check(&self.path, &self.path, &self.path.join(INDEX_NAME)) })
    }
}

impl ArchiveChannel {
    fn shelf(&self) -> Shelf<impl FnOnce(&[Entry]) -> Made + Send + use<>> {
        let (archive, folder) = (self.archive.clone(), self.path.clone());
        let make = move |entries: &[Entry]| {
            let pages = render(&archive, entries).map_err(|error| format!("the archive's page: {error}"))?;
            Ok(pages.into_iter().map(|page| (folder.join(page.name), page.bytes)).collect())
        };
        Shelf { path: self.path.clone(), folder: self.path.clone(), items: usize::MAX, make }
    }
}
