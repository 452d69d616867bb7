//! `type = "archive"`: a folder of HTML pages with an index.

use std::path::PathBuf;

use crate::config::table::Table;

/// Where the pages lie and what they look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archive {
    pub(crate) path: PathBuf,
    /// The channel's name when absent.
    pub(crate) title: Option<String>,
    /// A file that holds the template of a page; the built-in one when absent.
    pub(crate) page: Option<PathBuf>,
}

impl Archive {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let path = table.need_path("path");
        let title = table.get("title");
        let page = table.path("page");
        Some(Self { path: path?, title, page })
    }
}
