//! The file that a content comes from: an id belongs to one file, for as long as that is there.

use std::path::{Path, PathBuf};

use crate::content::Content;
use crate::store::contents::Known;

/// Where a file lies, however it was named.
pub(crate) fn of(file: &Path) -> PathBuf {
    let resolved = file.canonicalize().or_else(|_| std::path::absolute(file));
    resolved.unwrap_or_else(|_| file.to_owned())
}

/// The other file that has the content's id, and is still there. One that is gone was renamed to this one.
pub(crate) fn other<'k>(content: &Content, known: &'k Known) -> Option<&'k Path> {
    let before = known.path.as_deref()?;
    (before != of(&content.file) && before.exists()).then_some(before)
}
