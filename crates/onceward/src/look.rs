//! Looking at jobs: one, many page by page, and which ones a verb means.

mod effect;
mod filter;
mod left;
mod selection;
mod view;

pub use self::effect::EffectView;
pub use self::filter::Filter;
pub use self::left::Left;
pub use self::selection::Selection;
pub(crate) use self::selection::Walk;
pub use self::view::{JobDetails, JobError, JobView};

use serde::Serialize;

use crate::store::jobs::{self, Order};
use crate::{Error, JobId, Onceward};

/// How many items a page has at most.
pub const PAGE_LIMIT: usize = 1000;

/// Some items of a list, and where the next ones start.
#[derive(Debug, Clone, Serialize)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// What to pass as `after` for the next page; `None`: this was the last one.
    pub next: Option<JobId>,
}

impl Onceward {
    /// One job, wherever it is in its life.
    ///
    /// # Errors
    /// `NotFound` when there is none, or when retention has dropped it.
    pub async fn job(&self, id: JobId) -> Result<JobView, Error> {
        let mut reader = self.db().reader().await?;
        jobs::rows(&mut reader.conn(), &[id]).await?.pop().ok_or_else(|| none(id))
    }

    /// One job with its attempts and its effects.
    ///
    /// # Errors
    /// As [`Onceward::job`].
    pub async fn details(&self, id: JobId) -> Result<JobDetails, Error> {
        let job = self.job(id).await?;
        let (attempts, effects) = (self.attempts(id).await?, self.effects(id).await?);
        Ok(JobDetails { job, attempts, effects })
    }

    /// Jobs that match, newest first, at most `limit` (1 to [`PAGE_LIMIT`]) of them; `after` is the last page's `next`.
    ///
    /// Paging sees each job once, also while jobs are enqueued and finish. It never counts.
    ///
    /// # Errors
    /// `Invalid` when a text of the filter is too long or holds U+0000.
    pub async fn jobs(
        &self,
        filter: &Filter,
        limit: usize,
        after: Option<JobId>,
    ) -> Result<Page<JobView>, Error> {
        filter.check()?;
        let limit = limit.clamp(1, PAGE_LIMIT);
        let mut reader = self.db().reader().await?;
        let mut ids = jobs::pick(&mut reader.conn(), filter, limit + 1, after, Order::NewestFirst).await?;
        let more = ids.len() > limit;
        ids.truncate(limit);
        let next = ids.last().copied().filter(|_| more);
        Ok(Page { items: jobs::rows(&mut reader.conn(), &ids).await?, next })
    }

    /// What the ledger says of a job: each step that changes the world, oldest generation first.
    pub async fn effects(&self, id: JobId) -> Result<Vec<EffectView>, Error> {
        let mut reader = self.db().reader().await?;
        let rows = crate::store::doubt::effects(&mut reader.conn(), &[id], true).await?;
        Ok(rows.into_iter().map(|step| step.view).collect())
    }
}

pub(crate) fn none(id: JobId) -> Error {
    Error::NotFound(format!("there is no job {id}; `jobs list` shows those there are"))
}
