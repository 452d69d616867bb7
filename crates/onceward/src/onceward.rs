//! The handle.

use std::path::Path;

use onceward_db::{Component, Database, PgPool, SqlitePool};

use crate::keeper;
use crate::store::QUEUE_TABLES;
use crate::store::contradictions;
use crate::store::lineage::{self, LINEAGE_COPY, Restore, Word};
use crate::{Error, RestoredView, Time};

/// Jobs whose rows contradict themselves in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// What they are: `running without a lease` …
    pub what: String,
    /// How many.
    pub jobs: u64,
    /// The ids of the first of them.
    pub first: String,
}

/// A queue in one SQLite file or one PostgreSQL database. Cheap to clone.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?; let url = format!("sqlite://{}/app.db", dir.path().display());
/// let once = onceward::Onceward::open(&url).await?;
/// assert_eq!(once.engine(), onceward::Engine::Sqlite);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Onceward {
    db: Database,
}

impl Onceward {
    /// Opens `sqlite://FILE`, which is made and migrated if it is new, or `postgres://…`, which must be migrated
    /// already (see [`Onceward::migrate`]) unless it is empty of our tables and only opened to do so.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::over(Database::open(url).await?).await
    }

    /// The queue in the same file as an application's SQLite pool, which must run `synchronous=FULL`. It has connections
    /// of its own there. Nothing in this process may open and close the file by itself meanwhile, to read or to copy it:
    /// that takes away the locks of all its SQLite connections (<https://sqlite.org/howtocorrupt.html>, 2.2).
    ///
    /// # Errors
    /// `store_config` when a power cut could lose what the pool commits.
    pub async fn beside_sqlite(pool: &SqlitePool) -> Result<Self, Error> {
        Self::over(Database::beside_sqlite(pool).await?).await
    }

    /// The queue in the same database as an application's PostgreSQL pool, which stays open when the queue is closed.
    ///
    /// Up to two of its connections are kept for writing, so it must have at least four. Statements are prepared under
    /// names, which a transaction pooler (PgBouncer) breaks: behind one, [`Onceward::open`] its URL with
    /// `?pooler=transaction` instead, and pass the pool's transactions to [`Onceward::enqueue_in`] as ever.
    ///
    /// # Errors
    /// `store_config` when the pool has fewer than four connections.
    pub async fn beside_postgres(pool: &PgPool) -> Result<Self, Error> {
        Self::over(Database::beside_postgres(pool)?).await
    }

    /// The queue over a database that is open already.
    pub async fn over(db: Database) -> Result<Self, Error> {
        let once = Self { db };
        once.db.on_arrival(lineage::arrive);
        if once.engine() == Engine::Sqlite {
            once.migrate().await?;
        }
        Ok(once)
    }

    /// Brings the tables to the version of this program; gives how many steps ran. On SQLite `open` has done it.
    pub async fn migrate(&self) -> Result<usize, Error> {
        let steps = self.db.migrate(COMPONENTS).await?;
        // So that the first worker need not, while others wait for the history.
        keeper::prepare(self).await?;
        Ok(steps)
    }

    /// Fails unless the tables are there in the version that this program needs.
    pub async fn require_migrated(&self) -> Result<(), Error> {
        Ok(self.db.require(COMPONENTS).await?)
    }

    /// Copies one consistent state of a SQLite store into a new file that only its owner can read (mode 0600). Writers go
    /// on meanwhile, and nothing is migrated. Put in the place of its store, the copy knows that it is one: see
    /// [`Onceward::restored`].
    ///
    /// # Errors
    /// `store_config` on PostgreSQL, and for a file that exists: nothing is overwritten.
    pub async fn back_up(db: &Database, file: &Path) -> Result<(), Error> {
        Ok(db.back_up(file, LINEAGE_COPY, vec![Some(Time::now()).into()]).await?)
    }

    /// Jobs whose rows contradict themselves: something else than a release of this crate wrote to `db`. Reads every job of
    /// a SQLite file.
    pub async fn contradictions(db: &Database) -> Result<Vec<Contradiction>, Error> {
        Ok(contradictions::find(&mut db.reader().await?.conn()).await?)
    }

    /// Takes this store for a backup that was put in place, by a person's word: jobs that may have been sent after it was
    /// made are found out before they are sent again. A promoted standby and a copy by [`Onceward::back_up`] are noticed
    /// without it. `made_at` is when the backup was made; `None`: what the copy itself says, or the last sign of life in it.
    /// Gives the jobs in question: all that are not over.
    /// No worker may be running.
    pub async fn take_for_backup(&self, made_at: Option<Time>) -> Result<Vec<RestoredView>, Error> {
        let known = lineage::is_copy(&mut self.db.reader().await?.conn()).await?;
        Ok(self.db.fold::<Restore>(vec![Word { made_at, known }]).await?.concat())
    }

    /// Jobs from before the store lost its last commits (a standby was promoted, or a backup put in place) that are not
    /// over yet. Each of their steps may have been sent: it is found out first, as its class allows, or parked.
    pub async fn restored(&self) -> Result<Vec<RestoredView>, Error> {
        let now = self.db.clock().test_time();
        Ok(lineage::restored(&mut self.db.reader().await?.conn(), now).await?)
    }

    /// Which engine holds it.
    pub fn engine(&self) -> Engine {
        self.db.engine()
    }

    /// The database, for crates that keep tables of their own beside the queue's.
    pub fn db(&self) -> &Database {
        &self.db
    }

    /// The time that decisions outside a statement are made on: a test's, or this machine's.
    pub(crate) fn now(&self) -> Time {
        self.db.clock().test_time().unwrap_or_else(Time::now)
    }

    /// Wakes workers, here and in other processes: after the commit of a transaction that enqueued.
    pub fn wake(&self) {
        self.db.wake();
    }

    /// Closes all connections; an application's own pool gets back what was borrowed, and stays open.
    pub async fn close(self) {
        self.db.close().await;
    }
}

pub use onceward_db::Engine;

const COMPONENTS: &[Component] = &[QUEUE_TABLES];
