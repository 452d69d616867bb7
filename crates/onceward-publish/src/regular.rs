//! Files that have an end. A pipe is read for as long as nobody writes into it, a device for ever.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file.
///
/// # Errors
/// Those of the file system, and `InvalidInput` for whatever else bears the name.
pub fn open(path: &Path) -> Result<File> {
    // Looked at first: to open a pipe is to wait for its writer.
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() {
        return File::open(path);
    }
    let what = if kind.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}, and only regular files are read")))
}

/// The bytes of a regular file; of one that has more than `most`, only one more, which tells.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a regular file that has at most that many bytes.
///
/// # Errors
/// As [`open`]; `FileTooLarge` when it is longer, `InvalidData` when it is not UTF-8.
pub fn text(path: &Path, most: u64) -> Result<String> {
    let bytes = read(path, most)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}
