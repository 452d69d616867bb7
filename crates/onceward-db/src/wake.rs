//! Wake-up across processes: a shorter wait, never the truth. Whoever waits also polls.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep};

use crate::conn::held::Held;
use crate::conn::open::Pool;
use crate::{Result, Sql, files};

const DATA_VERSION: Sql = crate::sql!("data_version");
const NOTIFY: Sql = crate::sql!("notify");

/// How long to wait between two looks at the file, by how long ago something was committed: what follows a commit
/// follows soon, and an idle worker's own sign of life must not cost a percent of a core.
const GAPS: [(Duration, Duration); 2] = [
    (Duration::from_millis(200), Duration::from_millis(1)),
    (Duration::from_secs(1), Duration::from_millis(5)),
];
const CALM: Duration = Duration::from_millis(25);
/// The database itself is asked at least this often.
const ASK_ANYWAY: Duration = Duration::from_millis(250);
/// At most one NOTIFY in this time: it takes a lock that all commits of the cluster share.
const NOTIFY_GAP: Duration = Duration::from_millis(5);
const RECONNECT: Duration = Duration::from_secs(5);

/// Rung after a commit that may give others work.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    here: Arc<watch::Sender<u64>>,
    elsewhere: Arc<Notify>,
}

/// Tells that something was committed, by this process or another.
#[derive(Debug, Clone)]
pub struct Changes(watch::Receiver<u64>);

impl Changes {
    /// Waits for the next change since the last call. Returns at once if there was one meanwhile.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // The store is closed; its poll interval is all that is left to the caller.
            std::future::pending::<()>().await;
        }
    }
}

impl Bell {
    pub(crate) fn new() -> Self {
        Self { here: Arc::new(watch::Sender::new(0)), elsewhere: Arc::new(Notify::new()) }
    }

    pub(crate) fn ring(&self) {
        self.ring_here();
        self.elsewhere.notify_one();
    }

    fn ring_here(&self) {
        self.here.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn changes(&self) -> Changes {
        Changes(self.here.subscribe())
    }

    /// Listens for other processes, and tells them, until the task is dropped.
    pub(crate) fn connect(&self, pool: &Pool) -> Vec<tokio::task::JoinHandle<()>> {
        match pool {
            Pool::Sqlite { .. } => vec![tokio::spawn(watch_file(self.clone(), pool.clone()))],
            Pool::Postgres { .. } => vec![
                tokio::spawn(listen(self.clone(), pool.clone())),
                tokio::spawn(notify(self.clone(), pool.clone())),
            ],
        }
    }
}

/// `PRAGMA data_version` changes when another connection has committed.
async fn watch_file(bell: Bell, pool: Pool) {
    loop {
        if let Err(error) = watch_file_once(&bell, &pool).await {
            tracing::warn!(%error, "cannot watch the store's file; polling goes on");
        }
        sleep(RECONNECT).await;
    }
}

async fn watch_file_once(bell: &Bell, pool: &Pool) -> Result<()> {
    let mut reading = pool.reader().await?;
    let (mut seen, mut active) = (None, Instant::now());
    let (mut stamp, mut asked) = (None, Instant::now());
    loop {
        let now = log_stamp(pool);
        if now != stamp || asked.elapsed() >= ASK_ANYWAY {
            (stamp, asked) = (now, Instant::now());
            let row = reading.conn().row(&DATA_VERSION, vec![]).await?;
            let version = row.map(|row| row.int("data_version")).transpose()?;
            if version != seen {
                (seen, active) = (version, Instant::now());
                bell.ring_here();
            }
        }
        let quiet = active.elapsed();
        let gap = GAPS.iter().find(|(until, _)| quiet < *until).map_or(CALM, |(_, gap)| *gap);
        sleep(gap).await;
    }
}

/// Length and time of the log: a look at them costs a hundredth of asking the database, and any commit changes one,
/// but for two within one tick of the file system's clock, which [`ASK_ANYWAY`] is for.
fn log_stamp(pool: &Pool) -> Option<(u64, SystemTime)> {
    let log = files::beside(pool.path()?, "-wal");
    let about = std::fs::metadata(log).ok()?;
    Some((about.len(), about.modified().ok()?))
}

async fn listen(bell: Bell, pool: Pool) {
    loop {
        match pool.listener().await {
            Ok(Some(mut listener)) => {
                while listener.recv().await.is_ok() {
                    bell.ring_here();
                }
            }
            Ok(None) => return,
            Err(error) => tracing::debug!(%error, "cannot listen for wake-ups; polling goes on"),
        }
        sleep(RECONNECT).await;
    }
}

async fn notify(bell: Bell, pool: Pool) {
    loop {
        bell.elsewhere.notified().await;
        if let Err(error) = notify_once(&pool).await {
            tracing::debug!(%error, "a wake-up was not sent; polling goes on");
        }
        sleep(NOTIFY_GAP).await;
    }
}

async fn notify_once(pool: &Pool) -> Result<()> {
    let mut held: Held = pool.writer().await?;
    held.begin().await?;
    held.conn().rows(&NOTIFY, vec![]).await?;
    held.commit().await
}
