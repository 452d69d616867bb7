//! The handle.

use onceward_db::{Component, Database, PgPool, SqlitePool};

use crate::store::QUEUE_TABLES;
use crate::{Error, Time};

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
    /// of its own there.
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
        if once.engine() == Engine::Sqlite {
            once.migrate().await?;
        }
        Ok(once)
    }

    /// Brings the tables to the version of this program; gives how many steps ran. On SQLite `open` has done it.
    pub async fn migrate(&self) -> Result<usize, Error> {
        Ok(self.db.migrate(COMPONENTS).await?)
    }

    /// Fails unless the tables are there in the version that this program needs.
    pub async fn require_migrated(&self) -> Result<(), Error> {
        Ok(self.db.require(COMPONENTS).await?)
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
