//! The file that a content comes from: an id belongs to one file, for as long as that is there.

use std::path::{Path, PathBuf};

use crate::content::Content;
use crate::store::contents::{Known, Twin};

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

/// Two files that are both there, each with an id of its own in it, are two posts, even with one text.
pub(crate) fn stands_beside(content: &Content, twin: &Twin) -> bool {
    let there = twin.path.as_deref().is_some_and(|path| path != of(&content.file) && path.exists());
    there && twin.named && content.lines.contains_key("id")
}
