//! Whether a file was made here: only such a file, or an empty one, is written over.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use onceward::{Cause, Failure};

use crate::regular;

/// What a feed in XML says about who made it.
pub(super) const GENERATOR: &str = "Onceward";
/// The key by which a JSON Feed says so: the format has none, and leaves those with an underscore to others.
pub(super) const JSON_KEY: &str = "_onceward";
/// What stands at the end of pages whose template is the owner's.
pub(super) const COMMENT: &str = "<!-- Made by Onceward -->\n";
/// No text of a post can look like one: there, marks and quotes are escaped.
const MARKS: [&str; 4] = [
    "<generator>Onceward</generator>",
    "\"_onceward\":",
    "<meta name=\"generator\" content=\"Onceward\">",
    "<!-- Made by Onceward -->",
];
/// Marks stand in the first or the last so many bytes.
const EDGE: u64 = 4096;

/// Refuses a file that is there and was made by somebody else.
///
/// # Errors
/// `not_ours`, for ever; `file_unreadable` when it cannot be told.
pub(super) fn refuse_others(path: &Path) -> Result<(), Failure> {
    match edges(path) {
        Ok(text) if text.is_empty() || is_marked(&text) => Ok(()),
        Ok(_) => Err(others(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        // A folder, a pipe or a device.
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(others(path)),
        Err(error) => Err(Failure::transient(Cause::new(
            "file_unreadable",
            format!("{}: {error}; whether Onceward made it is not known, so it stays", path.display()),
        ))),
    }
}

fn others(path: &Path) -> Failure {
    let text = format!(
        "{} was not made by Onceward, and nothing of it was changed; move it away, or choose another `path`",
        path.display()
    );
    Failure::permanent(Cause::new("not_ours", text))
}

fn is_marked(text: &[u8]) -> bool {
    let has = |mark: &str| text.windows(mark.len()).any(|piece| piece == mark.as_bytes());
    MARKS.iter().any(|mark| has(mark))
}

/// The beginning and the end: a file of any size is told by them.
fn edges(path: &Path) -> io::Result<Vec<u8>> {
    let length = fs::metadata(path)?.len();
    let mut file = regular::open(path)?;
    let mut text = Vec::new();
    file.by_ref().take(EDGE).read_to_end(&mut text)?;
    file.seek(SeekFrom::Start(length.saturating_sub(EDGE)))?;
    file.take(EDGE).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> Result<(), Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, bytes).unwrap();
        refuse_others(&path)
    }

    #[test]
    fn what_is_marked_or_empty_or_not_there_may_be_written() {
        for mark in MARKS {
            said(format!("<a>{mark}</a>").as_bytes()).unwrap();
            said(format!("{}{mark}\n", "x".repeat(100_000)).as_bytes()).unwrap();
            said(format!("{mark}{}", "x".repeat(100_000)).as_bytes()).unwrap();
        }
        said(b"").unwrap();
        refuse_others(Path::new("/nowhere/at/all")).unwrap();
    }

    #[test]
    fn what_others_made_is_refused_for_ever() {
        let page =
            b"<!doctype html>\n<meta name=\"generator\" content=\"Hugo\">\nOnceward is a queue".as_slice();
        for bytes in [page, b"SQLite format 3\0", b"---\ntitle: A post\n---\n", b" "] {
            let failure = said(bytes).unwrap_err();
            assert_eq!((failure.class(), failure.cause().code.as_ref()), ("permanent", "not_ours"));
            assert!(failure.cause().text.contains("/file was not made by Onceward"), "{failure:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(refuse_others(folder.path()).unwrap_err().cause().code, "not_ours");
    }
}
