//! The attempts of a job: who tried, when, and how it ended.

use serde::Serialize;

use crate::store::jobs;
use crate::{Error, JobError, JobId, Onceward, Time};

/// An attempt that ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// From 1; grows for ever, also after a revive. A number may be missing: that attempt was never settled.
    pub number: u32,
    /// `run`, or `verify`: to find out whether an effect happened.
    pub purpose: String,
    /// The worker.
    pub worker: Option<String>,
    /// When it was claimed.
    pub started_at: Option<Time>,
    /// When it was settled.
    pub finished_at: Time,
    /// `done`, `failed`, `dead`, `in_doubt`, `crashed`, `interrupted`, `snoozed` …
    pub outcome: String,
    /// Why it did not succeed.
    pub error: Option<JobError>,
}

impl Onceward {
    /// The newest 1,000 attempts of a job, the first of them first.
    pub async fn attempts(&self, id: JobId) -> Result<Vec<Attempt>, Error> {
        let mut reader = self.db().reader().await?;
        Ok(jobs::attempts(&mut reader.conn(), id).await?)
    }
}
