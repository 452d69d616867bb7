//! The store's file: made private, and never on a network file system.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, ErrorKind, Result};

/// Makes the file if it is new (mode 0600) and refuses a place where SQLite cannot be safe.
pub(crate) fn prepare(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if let Some(kind) = network_file_system(folder) {
        return Err(Error::new(
            ErrorKind::Config,
            format!(
                "{}: {kind} cannot lock a SQLite file safely; use a local disk or PostgreSQL",
                path.display()
            ),
        ));
    }
    private_file(path).map(drop).map_err(|error| unusable(path, &error))
}

/// Why there can be no store, and what to do.
fn unusable(path: &Path, error: &io::Error) -> Error {
    let folder = folder_of(path);
    let advice = match error.kind() {
        _ if path.is_dir() => "it is a folder, and a store is a file: name one in it".to_owned(),
        io::ErrorKind::NotFound if !folder.exists() => {
            format!("there is no folder {}: make it first", folder.display())
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => format!(
            "{error}: this user must be able to read and write the file and its folder {}",
            folder.display()
        ),
        _ => error.to_string(),
    };
    Error::new(ErrorKind::Disk, format!("{}: {advice}", path.display()))
}

/// A file that was opened, by its disk and its number there: its name may come to mean another one.
#[derive(Debug)]
pub(crate) struct File {
    path: PathBuf,
    opened: (u64, u64),
}

impl File {
    /// The file that has this name now.
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let opened = identity(path).map_err(|error| at(path, &error))?;
        Ok(Self { path: path.to_owned(), opened })
    }

    /// Whether its name still leads to it. Where nobody can tell, it does.
    pub(crate) fn is_there(&self) -> Result<()> {
        let loss = match identity(&self.path) {
            Ok(found) if found != self.opened => "replaced by another file",
            Err(error) if error.kind() == io::ErrorKind::NotFound => "deleted",
            _ => return Ok(()),
        };
        let text = format!(
            "{}: the store was {loss} while it was open, so what is written is lost: end all processes that have it open, \
             put the right file in place, and start them again",
            self.path.display()
        );
        Err(Error::new(ErrorKind::Disk, text))
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|_| (0, 0))
}

/// How full the disk of a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The folder that was asked about.
    pub folder: PathBuf,
    /// Bytes that this user may still write there.
    pub free: u64,
    /// Bytes of the whole disk.
    pub total: u64,
}

/// The room beside a file; `None` where the system does not tell.
pub(crate) fn room(path: &Path) -> Option<Room> {
    let folder = folder_of(path);
    let disk = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Some(Room { folder: folder.to_owned(), free: bytes(disk.f_bavail), total: bytes(disk.f_blocks) })
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The path of a file that stands beside the store and belongs to it.
pub(crate) fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a file for its owner alone, making it if need be.
pub(crate) fn private_file(path: &Path) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) fn at(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Disk, format!("{}: {error}", path.display()))
}

#[cfg(target_os = "linux")]
#[allow(clippy::useless_conversion, reason = "the number has another type on other processors")]
fn network_file_system(folder: &Path) -> Option<&'static str> {
    match i64::from(rustix::fs::statfs(folder).ok()?.f_type) & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x7461_636f => Some("OCFS2"),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
}
