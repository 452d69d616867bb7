//! Wake-up across processes: a shorter wait, never the truth. Whoever waits also polls.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep};

use crate::conn::held::Held;
use crate::conn::open::Pool;
use crate::{Result, Sql};

const DATA_VERSION: Sql = crate::sql!("data_version");
const NOTIFY: Sql = crate::sql!("notify");

/// After activity the file is looked at every millisecond for a second, then less often.
const EAGER: Duration = Duration::from_millis(1);
const CALM: Duration = Duration::from_millis(25);
const EAGER_FOR: Duration = Duration::from_secs(1);
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
    loop {
        let row = reading.conn().row(&DATA_VERSION, vec![]).await?;
        let version = row.map(|row| row.int("data_version")).transpose()?;
        if version != seen {
            (seen, active) = (version, Instant::now());
            bell.ring_here();
        }
        sleep(if active.elapsed() < EAGER_FOR { EAGER } else { CALM }).await;
    }
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
