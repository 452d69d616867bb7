//! Who owns a lease: a random boot id, and on SQLite a locked file that tells at once when its process is gone.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Error, ErrorKind, Result, files};

/// One start of one process. Random, since host names and process numbers come again.
#[derive(Debug, Clone)]
pub struct Boot {
    id: Arc<str>,
    // Held for as long as the process lives; the kernel lets go of it however the process ends.
    _lock: Option<Arc<Locked>>,
}

#[derive(Debug)]
struct Locked {
    path: PathBuf,
    _file: File,
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A file left behind is harmless: whoever finds it unlocked removes it.
        drop(std::fs::remove_file(&self.path));
    }
}

impl Boot {
    pub(crate) fn new(store: Option<&Path>) -> Result<Self> {
        let id = random_id()?;
        let lock = store.map(|store| lock(store, &id)).transpose()?;
        Ok(Self { id: id.into(), _lock: lock.map(Arc::new) })
    }

    /// The id, 32 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for Boot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

/// 128 random bits as 32 hexadecimal digits.
pub fn random_id() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::new(ErrorKind::Other, format!("no random numbers from the system: {e}")))?;
    Ok(hex::encode(bytes))
}

fn owner_path(store: &Path, id: &str) -> PathBuf {
    files::beside(store, &format!("-owner-{id}"))
}

fn lock(store: &Path, id: &str) -> Result<Locked> {
    let path = owner_path(store, id);
    loop {
        let file = files::private_file(&path).map_err(|e| files::at(&path, &e))?;
        // Whoever keeps house may hold it for a moment, taking it for one that was left, and then removes it.
        file.lock().map_err(|e| files::at(&path, &e))?;
        if path.exists() {
            return Ok(Locked { path, _file: file });
        }
    }
}

/// The ids of all files of owners that stand beside the store, locked or not.
pub(crate) fn left(store: &Path) -> Vec<String> {
    let mark = owner_path(store, "");
    let Some(mark) = mark.file_name().and_then(OsStr::to_str) else { return Vec::new() };
    // A folder that cannot be read has nothing to be cleaned up in; what matters of it fails elsewhere.
    let Ok(entries) = std::fs::read_dir(files::folder_of(store)) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_prefix(mark).map(str::to_owned)).collect()
}

/// Whether the process that owned `id` is certainly gone: its file is there and nobody holds it.
pub(crate) fn is_gone(store: &Path, id: &str) -> bool {
    let path = owner_path(store, id);
    let Ok(file) = File::options().read(true).write(true).open(&path) else { return false };
    file.try_lock().is_ok()
}

/// Removes the file of an owner that is gone and has no leases left.
pub(crate) fn forget(store: &Path, id: &str) {
    let path = owner_path(store, id);
    let Ok(file) = File::options().read(true).write(true).open(&path) else { return };
    // Removed under its lock: an owner that has just made it finds out, and makes it again.
    if file.try_lock().is_ok() {
        drop(std::fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_whose_new_file_was_taken_for_one_that_was_left_makes_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.db");
        let path = owner_path(&store, "a");
        // Whoever keeps house: came between the making and the locking.
        let keeper = files::private_file(&path).unwrap();
        keeper.lock().unwrap();
        let owner = std::thread::spawn({
            let store = store.clone();
            move || lock(&store, "a")
        });
        std::fs::remove_file(&path).unwrap();
        drop(keeper);
        let _owner = owner.join().unwrap().unwrap();
        assert_eq!((left(&store), is_gone(&store, "a")), (vec!["a".to_owned()], false));
        forget(&store, "a");
        assert!(path.exists(), "it is held");
    }
}
