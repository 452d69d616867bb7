//! How everything stands, at the price of a few index look-ups.

use std::time::Duration;

use serde::Serialize;

use crate::queue::{Figures, QueueView};
use crate::store::{lineage, queues, workers};
use crate::{Error, Onceward, Time};

/// A process that was seen within this time is alive.
const ALIVE: Duration = Duration::from_secs(30);

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// All queues, by name.
    pub queues: Vec<QueueView>,
    /// The worker processes seen in the last 30 seconds and not known to be gone, the oldest first.
    pub workers: Vec<WorkerView>,
    /// The figures of all queues together.
    pub totals: Figures,
    /// Jobs from before the store lost its last commits; see [`Onceward::restored`].
    pub restored: Vec<RestoredView>,
}

/// Jobs of a queue from before the store lost its last commits, which are not over yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RestoredView {
    /// The queue.
    pub queue: String,
    /// How many.
    pub jobs: u64,
    /// When the loss was noticed.
    pub since: Time,
    /// What was committed later than this may be missing.
    pub lost_from: Time,
}

/// A worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkerView {
    /// Its boot id: random, new with each start.
    pub boot: String,
    /// The queues that it serves.
    pub queues: Vec<String>,
    /// When it was first seen.
    pub started_at: Time,
    /// When it was last seen.
    pub seen_at: Time,
}

impl Onceward {
    /// How everything stands. Cheap however long the history is.
    pub async fn status(&self) -> Result<Status, Error> {
        let now = self.db().clock().test_time();
        let mut reader = self.db().reader().await?;
        let mut conn = reader.conn();
        let queues = queues::list::list(&mut conn, now).await?;
        let mut workers = workers::live(&mut conn, ALIVE, now).await?;
        workers.retain(|worker| !self.db().is_gone(&worker.boot));
        let mut totals = Figures::default();
        for queue in &queues {
            totals.add(&queue.figures);
        }
        let restored = lineage::restored(&mut conn, self.db().clock().test_time()).await?;
        Ok(Status { queues, workers, totals, restored })
    }
}
