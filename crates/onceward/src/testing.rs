//! For tests of programs that use the queue: a store of its own for each test, and a clock that the test sets.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Error, Kept, Onceward, Time, keeper};

/// A queue in a fresh SQLite file, removed when dropped.
#[derive(Debug)]
pub struct TestStore {
    once: Onceward,
    folder: PathBuf,
}

impl TestStore {
    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for TestStore {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl std::ops::Deref for TestStore {
    type Target = Onceward;

    fn deref(&self) -> &Onceward {
        &self.once
    }
}

/// A fresh queue for one test.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), onceward::Error> {
/// let once = onceward::testing::store().await?;
/// once.set_clock("2026-12-01T09:00:00Z".parse().unwrap());
/// # Ok(()) }
/// ```
pub async fn store() -> Result<TestStore, Error> {
    let folder = std::env::temp_dir().join(format!("onceward-test-{}", onceward_db::random_id()?));
    std::fs::create_dir_all(&folder)
        .map_err(|e| Error::invalid("no_folder", format!("{}: {e}", folder.display())))?;
    let once = Onceward::open(&format!("sqlite://{}/test.db", folder.display())).await?;
    Ok(TestStore { once, folder })
}

impl Onceward {
    /// Sets the time that this handle's statements see; from then on it moves only when set, so that a worker which runs
    /// until it is idle waits for no moment to pass. For tests.
    pub fn set_clock(&self, time: Time) {
        self.db().clock().set(time);
    }

    /// Does the housekeeping that is due, once, as a worker's keeper does it. For tests.
    pub async fn keep_house(&self, retention: Duration) -> Result<Kept, Error> {
        keeper::keep_once(self, Duration::from_mins(1), retention).await
    }
}
