//! The handle to one database.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::conn::open::{Pool, Reading};
use crate::files::File;
use crate::wake::Bell;
use crate::writer::{PATIENCE, Turn, TurnLock, Writer};
use crate::{
    Arrival, Boot, Changes, Component, Conn, Engine, Error, ErrorKind, Fold, Pending, PgPool, Result, Room,
    SqlitePool, Time, files, owner,
};

/// How often to look whether the file is still there.
const FILE_LOOK: Duration = Duration::from_secs(2);

/// One SQLite file or one PostgreSQL database. Cheap to clone; closed when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Database(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: Pool,
    lock: TurnLock,
    writer: Writer,
    bell: Bell,
    clock: Clock,
    boot: Boot,
    file: Option<File>,
    told_newer: Mutex<HashSet<&'static str>>,
    background: Vec<JoinHandle<()>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.background.iter().for_each(JoinHandle::abort);
    }
}

/// A connection for reading. On PostgreSQL it sees one consistent state.
#[derive(Debug)]
pub struct Reader(Reading);

impl Reader {
    /// The connection.
    pub fn conn(&mut self) -> Conn<'_> {
        self.0.conn()
    }
}

impl Database {
    /// Opens `sqlite://FILE` (made if it is new) or `postgres://…`. Nothing is migrated yet.
    pub async fn open(url: &str) -> Result<Self> {
        Self::over(Pool::open(url.parse()?).await?, PATIENCE)
    }

    /// Whether `url` leads to a SQLite file with tables of something else and none of ours. The file is left as it is,
    /// and none is made. On PostgreSQL nothing is made unasked, so this is always false there.
    pub async fn is_foreign(url: &str) -> Result<bool> {
        Pool::is_foreign(&url.parse()?).await
    }

    /// Whether a SQLite file has tables of `component`, whatever their version. The file is left as it is, and none is
    /// made; opening it would do either. On PostgreSQL opening changes nothing, so there this is always true.
    pub async fn has(url: &str, component: &Component) -> Result<bool> {
        Pool::has(&url.parse()?, component.name).await
    }

    /// The same SQLite file as an application's pool, whose connections must run `synchronous=FULL`.
    pub async fn beside_sqlite(pool: &SqlitePool) -> Result<Self> {
        Self::over(Pool::beside_sqlite(pool).await?, PATIENCE)
    }

    /// Works through an application's PostgreSQL pool, which stays open when this is closed.
    ///
    /// Up to two of its connections are kept for writing, so it must have at least four. Statements get names: a pool
    /// that leads through a transaction pooler is not for this; open the pooler's URL with `?pooler=transaction`.
    ///
    /// # Errors
    /// `Config` when the pool has fewer than four connections.
    pub fn beside_postgres(pool: &PgPool) -> Result<Self> {
        Self::over(Pool::beside_postgres(pool)?, PATIENCE)
    }

    pub(crate) fn over(pool: Pool, patience: Duration) -> Result<Self> {
        let lock = TurnLock::new(pool.path(), patience)?;
        let (bell, clock, boot) = (Bell::new(), Clock::default(), Boot::new(pool.path())?);
        let lines = if pool.path().is_some() { 1 } else { 2 };
        let writer = Writer::start(&pool, &lock, &clock, &bell, lines);
        let background = bell.connect(&pool);
        let (file, told_newer) = (pool.path().map(File::at).transpose()?, Mutex::default());
        Ok(Self(Arc::new(Inner { pool, lock, writer, bell, clock, boot, file, told_newer, background })))
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.0.pool {
            Pool::Sqlite { .. } => Engine::Sqlite,
            Pool::Postgres { .. } => Engine::Postgres,
        }
    }

    /// A caller's connection to this database, ready for our statements.
    pub fn adopt<'c>(&self, conn: impl Into<Conn<'c>>) -> Conn<'c> {
        conn.into().keeping(self.0.pool.statements())
    }

    /// What each connection that writes does first. The first one to be set stays.
    pub fn on_arrival(&self, arrival: Arrival) {
        self.0.writer.on_arrival(arrival);
    }

    /// A connection for reading.
    pub async fn reader(&self) -> Result<Reader> {
        Ok(Reader(self.0.pool.reader().await?))
    }

    /// Writes `items` together with whatever else waits, and gives one answer for each, after the commit.
    pub async fn fold<F: Fold>(&self, items: Vec<F::Item>) -> Result<Vec<F::Answer>> {
        self.submit::<F>(items).await?.answers().await.map_err(|error| self.place(error))
    }

    /// What the disk refused names the file: it may be the only one on a disk of many.
    fn place(&self, error: Error) -> Error {
        match self.0.pool.path() {
            Some(path) if error.kind() == ErrorKind::Disk => {
                Error::new(error.kind(), format!("{}: {error}", path.display()))
            }
            _ => error,
        }
    }

    /// Gives `items` their place in the next turn, without waiting for it.
    pub async fn submit<F: Fold>(&self, items: Vec<F::Item>) -> Result<Pending<F::Answer>> {
        self.0.writer.submit::<F>(items).await
    }

    /// Tells of commits, from now on.
    pub fn changes(&self) -> Changes {
        self.0.bell.changes()
    }

    /// Wakes whoever waits for changes, here and in other processes.
    pub fn wake(&self) {
        self.0.bell.ring();
    }

    /// The clock that tests may set.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// This start of this process.
    pub fn boot(&self) -> &Boot {
        &self.0.boot
    }

    /// How full the disk of a SQLite file is; `None` on PostgreSQL, whose disk is its server's.
    pub fn room(&self) -> Option<Room> {
        self.0.pool.path().and_then(files::room)
    }

    /// Whether the process that had this boot id is certainly gone. Only the host of a SQLite file can tell.
    pub fn is_gone(&self, boot: &str) -> bool {
        self.0.pool.path().is_some_and(|store| boot != self.boot().id() && owner::is_gone(store, boot))
    }

    /// The boot ids of processes that are certainly gone and left their mark beside the SQLite file.
    pub fn gone(&self) -> Vec<String> {
        let left = self.0.pool.path().map(owner::left).unwrap_or_default();
        left.into_iter().filter(|boot| self.is_gone(boot)).collect()
    }

    /// Cleans up after a process that is gone and owns nothing any more.
    pub fn forget(&self, boot: &str) {
        if let Some(store) = self.0.pool.path() {
            owner::forget(store, boot);
        }
    }

    /// Waits until the SQLite file that was opened is no longer where it was, and gives that as an error: what is written
    /// from then on goes nowhere. On PostgreSQL it waits for ever.
    pub async fn file_is_gone(&self) -> Error {
        let Some(file) = &self.0.file else { return std::future::pending().await };
        loop {
            if let Err(error) = file.is_there() {
                return error;
            }
            tokio::time::sleep(FILE_LOOK).await;
        }
    }

    /// Waits for what is being written, then closes all connections; an application's own pool gets them back instead.
    pub async fn close(self) {
        // A pool is closed once every connection is back, so whoever keeps one for good goes first.
        self.0.background.iter().for_each(JoinHandle::abort);
        self.0.writer.close().await;
        self.0.pool.close().await;
    }

    /// Whether [`Database::close`] was called: nothing can be written any more.
    pub fn is_closed(&self) -> bool {
        self.0.writer.is_closed()
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// Whether this component's newer tables were not told of before.
    pub(crate) fn first_telling(&self, component: &'static str) -> bool {
        // A set of names is whole after any panic.
        self.0.told_newer.lock().unwrap_or_else(PoisonError::into_inner).insert(component)
    }

    pub(crate) async fn turn(&self) -> Result<Turn> {
        self.0.lock.take().await
    }
}

/// The time that statements see: the database's own, or a test's.
#[derive(Debug, Clone)]
pub struct Clock(Arc<AtomicI64>);

/// No test has set the clock.
const UNSET: i64 = i64::MIN;

impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(UNSET)))
    }
}

impl Clock {
    /// The time that a test has set, or `None` for the database's clock.
    pub fn test_time(&self) -> Option<Time> {
        let micros = self.0.load(Ordering::Relaxed);
        (micros != UNSET).then(|| Time::from_micros(micros))
    }

    /// Sets the time, in tests. From then on it moves only when set.
    pub fn set(&self, time: Time) {
        self.0.store(time.micros(), Ordering::Relaxed);
    }
}
