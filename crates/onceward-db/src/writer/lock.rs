//! Turns between processes on one SQLite file. SQLite's own busy handler is unfair: some wait for seconds.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, oneshot};
use tokio::time::timeout;

use crate::{Error, ErrorKind, Result, files};

/// How long a turn is waited for: a process that is stopped in its own would hold up all others for ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Takes turns, within this process and between processes. Without a file (PostgreSQL) everyone has one.
#[derive(Debug, Clone)]
pub(crate) struct TurnLock(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    file: Arc<File>,
    /// Turns within this process; a file cannot tell its own holders apart.
    here: Arc<tokio::sync::Mutex<()>>,
    waiter: Arc<Mutex<Waiter>>,
    patience: Duration,
}

/// A turn that is ours until dropped: first the file goes, then the place within this process.
#[derive(Debug)]
pub(crate) struct Turn {
    _file: Option<Locked>,
    _here: Option<OwnedMutexGuard<()>>,
}

/// A locked file, unlocked wherever it ends.
#[derive(Debug)]
struct Locked(Arc<File>);

impl Drop for Locked {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::error!(%error, "the turn lock could not be released");
        }
    }
}

/// The one thread that waits for the file, and for whom. Nobody can call it off: it may outlast those it waits for.
#[derive(Debug, Default)]
struct Waiter {
    waits: bool,
    wanted: Option<oneshot::Sender<io::Result<Locked>>>,
}

impl TurnLock {
    pub(crate) fn new(store: Option<&Path>, patience: Duration) -> Result<Self> {
        let open = |store: &Path| -> Result<_> {
            let path = files::beside(store, "-turn");
            let file = files::private_file(&path).map_err(|e| files::at(&path, &e))?;
            let (here, waiter) = (Arc::default(), Arc::default());
            Ok(Arc::new(Shared { path, file: Arc::new(file), here, waiter, patience }))
        };
        Ok(Self(store.map(open).transpose()?))
    }

    /// How long a turn is waited for.
    pub(super) fn patience(&self) -> Duration {
        self.0.as_ref().map_or(PATIENCE, |shared| shared.patience)
    }

    /// # Errors
    /// `Busy` when another process does not let go of its turn.
    pub(crate) async fn take(&self) -> Result<Turn> {
        let Some(shared) = &self.0 else { return Ok(Turn { _file: None, _here: None }) };
        match timeout(shared.patience, shared.take()).await {
            Ok(turn) => turn.map_err(|error| files::at(&shared.path, &error)),
            Err(_) => Err(shared.busy()),
        }
    }
}

impl Shared {
    async fn take(&self) -> io::Result<Turn> {
        let here = self.here.clone().lock_owned().await;
        let file = if self.file.try_lock().is_ok() { Locked(self.file.clone()) } else { self.wait().await? };
        Ok(Turn { _file: Some(file), _here: Some(here) })
    }

    /// A lock that may come late is taken on a file of its own, so that giving it back ends no other turn.
    async fn wait(&self) -> io::Result<Locked> {
        let (wanted, given) = oneshot::channel();
        self.want(wanted)?;
        given.await.map_err(io::Error::other)?
    }

    /// A thread of our own: the end of a runtime would wait for one of its threads, and so for the other process.
    fn want(&self, wanted: oneshot::Sender<io::Result<Locked>>) -> io::Result<()> {
        let mut waiter = held(&self.waiter);
        waiter.wanted = Some(wanted);
        if !waiter.waits {
            let (file, shared) = (files::private_file(&self.path)?, self.waiter.clone());
            std::thread::Builder::new()
                .name("onceward-turn".to_owned())
                .spawn(move || serve(file, &shared))?;
            waiter.waits = true;
        }
        Ok(())
    }

    fn busy(&self) -> Error {
        let (path, patience) = (self.path.display(), self.patience);
        let text = format!(
            "{path}: another process has kept this store's turn to write for {patience:?}, so it is stopped or hangs; \
             nothing was written. `lsof {path}` names it: let it go on (kill -CONT) or end it, then try again"
        );
        Error::new(ErrorKind::Busy, text)
    }
}

fn serve(file: File, waiter: &Mutex<Waiter>) {
    let locked = file.lock().map(|()| Locked(Arc::new(file)));
    let wanted = {
        let mut waiter = held(waiter);
        waiter.waits = false;
        waiter.wanted.take()
    };
    if let Some(wanted) = wanted {
        // Whoever no longer waits for it leaves it to be dropped here, and so unlocked.
        drop(wanted.send(locked));
    }
}

fn held(waiter: &Mutex<Waiter>) -> MutexGuard<'_, Waiter> {
    waiter.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
