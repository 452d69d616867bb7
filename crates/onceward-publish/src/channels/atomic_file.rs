//! Writing a file so that a reader, and a power cut, find the old one or the new one and nothing between.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Other processes differ by their id, other threads by this number.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Replaces the file at `path`, or makes it, with its folder. When it returns, the bytes are on the disk.
///
/// # Errors
/// The file system's error, with the path in its text. The old file is untouched then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or_else(|| named(path, &io::Error::from(io::ErrorKind::InvalidInput)))?;
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let temporary = folder.join(format!(".{}.{}.tmp", name.to_string_lossy(), unique()));
    let written = write_and_rename(&temporary, path, bytes);
    if written.is_err() {
        // Best effort: the error that counts is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_folder(folder).map_err(|error| named(folder, &error))
}

fn write_and_rename(temporary: &PathBuf, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(temporary);
    let mut file = file.map_err(|error| named(temporary, &error))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| named(temporary, &error))?;
    fs::rename(temporary, path).map_err(|error| named(path, &error))
}

/// The rename itself is durable only when its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot open a folder; their rename is as durable as they make it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A process that crashed may have had our id and left its file: the clock tells them apart.
fn unique() -> String {
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_nanos());
    format!("{}-{}-{nanos:x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
