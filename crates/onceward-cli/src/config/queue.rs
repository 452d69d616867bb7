//! `[queue]` and `[queues.NAME]`: the jobs themselves.

use std::time::Duration;

use onceward::retry::RetryPolicy;

use super::policy::Pace;
use super::table::Table;

/// What holds for all queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Queueing {
    /// How long a job belongs to a worker that gives no sign of life.
    pub(crate) lease: Duration,
    /// How long running jobs may finish after a request to stop.
    pub(crate) grace: Duration,
    /// How long finished jobs are kept.
    pub(crate) retention: Duration,
}

/// A queue of plain jobs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Queue {
    pub(crate) name: String,
    /// How many of its jobs run at once, over all workers; no limit when absent.
    pub(crate) concurrency: Option<u32>,
    pub(crate) pace: Pace,
}

impl Queueing {
    /// Reads the section; also where the lease is written.
    pub(super) fn read(table: Option<Table<'_>>) -> (Self, Option<usize>) {
        let mut all = Self {
            lease: Duration::from_mins(1),
            grace: Duration::from_secs(25),
            retention: Duration::from_hours(90 * 24),
        };
        let Some(mut table) = table else { return (all, None) };
        all.lease = table.get_or("lease", all.lease);
        all.grace = table.get_or("grace", all.grace);
        all.retention = table.get_or("retention", all.retention);
        let spot = table.spot("lease");
        table.close();
        (all, spot)
    }
}

impl Queue {
    pub(super) fn read(name: String, mut table: Table<'_>) -> Self {
        let concurrency = table.get("concurrency");
        let pace = Pace::read(&mut table, RetryPolicy::GENERIC);
        table.close();
        Self { name, concurrency, pace }
    }
}
