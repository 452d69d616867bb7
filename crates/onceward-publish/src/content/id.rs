//! The name of a content, for ever.

use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// An id has at most this many characters.
const MAX_ID: usize = 200;

/// The id of a file without one: its path from `root`, without suffix, with `/`, in NFC.
///
/// `None` when the file lies outside `root` or its name is not UTF-8: such a file needs an id of its own.
pub(super) fn from_path(file: &Path, root: &Path) -> Option<String> {
    let inner = plain(&root.join(file)).strip_prefix(plain(root)).ok()?.with_extension("");
    let steps: Option<Vec<&str>> = inner.components().map(|step| step.as_os_str().to_str()).collect();
    let id: String = steps?.join("/").nfc().collect();
    (!id.is_empty()).then_some(id)
}

/// An id as given, trimmed and in NFC; else what is wrong with it.
pub(super) fn checked(given: &str) -> Result<String, &'static str> {
    let id: String = given.trim().nfc().collect();
    if id.is_empty() {
        return Err("the id is empty; leave the key out to use the file's path");
    }
    if id.chars().any(char::is_control) {
        return Err("the id holds a control character");
    }
    if id.chars().count() > MAX_ID {
        return Err("the id is longer than 200 characters");
    }
    Ok(id)
}

/// The path without `.` and `..`, by names alone: a link keeps the name by which it is known.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
