//! The store's file: made private, and never on a network file system.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
    make_or_check(path).map_err(|error| unusable(path, &error))
}

/// Held while a store's file is made, so that nobody here can have it open before it is closed again.
static MAKING: Mutex<()> = Mutex::new(());

/// A file that is there is not opened: to close it would take away every lock that this process has on it (fcntl), and so
/// those of SQLite's open connections. Another process that leaves would then take itself for the last one, and delete
/// the log that they go on writing to (<https://sqlite.org/howtocorrupt.html>, 2.2).
fn make_or_check(path: &Path) -> io::Result<()> {
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match new_private_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.exists() => writable(path),
        // A link that leads nowhere yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => private_file(path).map(drop),
        made => made.map(drop),
    }
}

#[cfg(unix)]
fn writable(path: &Path) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    Ok(accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS)?)
}

#[cfg(not(unix))]
fn writable(path: &Path) -> io::Result<()> {
    let read_only = std::fs::metadata(path)?.permissions().readonly();
    if read_only { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

/// Why there can be no such file, and what to do.
pub(crate) fn unusable(path: &Path, error: &io::Error) -> Error {
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
    open_private(path, OpenOptions::new().create(true).truncate(false))
}

/// Makes a file for its owner alone, which must be new.
pub(crate) fn new_private_file(path: &Path) -> io::Result<std::fs::File> {
    open_private(path, OpenOptions::new().create_new(true))
}

fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<std::fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.read(true).write(true).open(path)
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use crate::Database;

    /// How many locks this process has on a file, as the system knows them.
    fn locks(path: &std::path::Path) -> usize {
        let file = format!(":{} ", std::fs::metadata(path).unwrap().ino());
        let open = std::fs::read_dir("/proc/self/fdinfo").unwrap();
        // Some are closed meanwhile.
        let all = open.filter_map(|one| std::fs::read_to_string(one.ok()?.path()).ok());
        let of_one =
            |text: String| text.lines().filter(|it| it.contains("POSIX") && it.contains(&file)).count();
        all.map(of_one).sum()
    }

    #[tokio::test]
    async fn a_store_that_is_opened_again_keeps_the_locks_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let url = format!("sqlite://{}", path.display());
        let first = Database::open(&url).await.unwrap();
        drop(first.reader().await.unwrap());
        assert!(locks(&path) > 0, "an open connection to a log holds a lock");
        let second = Database::open(&url).await.unwrap();
        let pool = crate::SqlitePool::connect(&url).await.unwrap();
        let third = Database::beside_sqlite(&pool).await.unwrap();
        assert!(locks(&path) > 0, "another process would take itself for the last one");
        for database in [first, second, third] {
            database.close().await;
        }
    }
}
