//! Who owns a lease: a random boot id, and on SQLite a locked file that tells at once when its process is gone.

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
    let file = files::private_file(&path).map_err(|e| files::at(&path, &e))?;
    file.try_lock().map_err(|e| Error::new(ErrorKind::Disk, format!("{}: {e}", path.display())))?;
    Ok(Locked { path, _file: file })
}

/// Whether the process that owned `id` is certainly gone: its file is there and nobody holds it.
pub(crate) fn is_gone(store: &Path, id: &str) -> bool {
    let path = owner_path(store, id);
    let Ok(file) = File::options().read(true).write(true).open(&path) else { return false };
    file.try_lock().is_ok()
}

/// Removes the file of an owner that is gone and has no leases left.
pub(crate) fn forget(store: &Path, id: &str) {
    if is_gone(store, id) {
        drop(std::fs::remove_file(owner_path(store, id)));
    }
}
