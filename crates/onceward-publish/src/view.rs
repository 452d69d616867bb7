//! Contents as people see them: one content and its jobs as one.

use std::collections::BTreeMap;

use onceward::{Error, JobId, Left, Onceward, Time};
use serde::Serialize;

use crate::date::Wish;
use crate::publisher::jobs_of;
use crate::store::contents::{self, page};
use crate::store::standing::{Standing, standing};
use crate::store::{channels, contents::Head};

/// A content that was enqueued at some time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContentView {
    /// Its id.
    pub id: String,
    /// The file that it came from, as it was named.
    pub file: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The time in force; `None`: at once.
    pub publish_at: Option<Time>,
    /// When it was first enqueued.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
    /// Its jobs.
    pub jobs: Vec<ContentJob>,
}

/// A job of a content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContentJob {
    /// Its channel's name.
    pub channel: String,
    /// How it stands. Retention keeps no other facts for ever.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Contents, the newest first, at most `limit`, after the one with the id `after`.
pub async fn contents(once: &Onceward, limit: usize, after: Option<&str>) -> Result<Vec<ContentView>, Error> {
    let heads = page(once.db(), limit, after).await?;
    with_jobs(once, heads).await
}

/// One content.
///
/// # Errors
/// `NotFound` when no content of that id was ever enqueued.
pub async fn content(once: &Onceward, id: &str) -> Result<ContentView, Error> {
    let head = contents::head(once.db(), id).await?;
    let found = with_jobs(once, head.into_iter().collect()).await?.pop();
    found.ok_or_else(|| {
        Error::NotFound(format!("there is no content {id:?}; `contents list` shows those there are"))
    })
}

/// Moves what has not left of a content to another time, which later runs of the same file keep.
///
/// # Errors
/// As [`content`].
pub async fn reschedule(
    once: &Onceward,
    id: &str,
    wish: Wish,
) -> Result<Vec<(JobId, Result<(), Left>)>, Error> {
    let jobs = jobs_of(once, id).await?;
    let at = wish.at;
    contents::set_time(once.db(), id, wish).await?;
    once.reschedule(jobs, at).await
}

async fn with_jobs(once: &Onceward, heads: Vec<Head>) -> Result<Vec<ContentView>, Error> {
    let names: BTreeMap<String, String> =
        channels::list(once.db()).await?.into_iter().map(|(name, id)| (id, name)).collect();
    let ids: Vec<&str> = heads.iter().map(|head| head.id.as_str()).collect();
    let links = contents::links(once.db(), &ids).await?;
    let jobs: Vec<JobId> = links.iter().map(|link| link.job).collect();
    let standing: BTreeMap<JobId, Standing> =
        standing(once.db(), &jobs).await?.into_iter().map(|it| (it.id, it)).collect();
    let jobs_of = |content: &str| {
        let own = links.iter().filter(|link| link.content == content);
        let mut jobs: Vec<ContentJob> = own
            .filter_map(|link| {
                let channel = names.get(&link.channel).unwrap_or(&link.channel).clone();
                Some(ContentJob { channel, standing: standing.get(&link.job)?.clone() })
            })
            .collect();
        jobs.sort_by_key(|job| job.standing.id);
        jobs
    };
    Ok(heads
        .into_iter()
        .map(|head| {
            let Head { id, file, title, publish_at, created_at, updated_at } = head;
            ContentView { jobs: jobs_of(&id), id, file, title, publish_at, created_at, updated_at }
        })
        .collect())
}
