//! Contents, their jobs, and the one transaction that makes both.

use std::collections::BTreeMap;
use std::path::PathBuf;

use onceward::{Enqueued, JobId, NewJob, Onceward, State};
use onceward_db::{Conn, Database, Error, ErrorKind, Fold, Result, Row, Sql, Time, rank, sql};
use serde::Serialize;

use super::media::Blob;
use super::{from_json, media, standing, to_json};
use crate::content::Content;
use crate::date::Wish;
use crate::origin;

const CONTENT_LIST: Sql = sql!("content_list");
const CONTENT_PUT: Sql = sql!("content_put");
const CONTENT_JOBS: Sql = sql!("content_jobs");
const CONTENT_JOB_PUT: Sql = sql!("content_job_put");
const CONTENT_PAGE: Sql = sql!("content_page");
const CONTENT_GET: Sql = sql!("content_get");
const CONTENT_TIME: Sql = sql!("content_time");
const ALIKE: Sql = sql!("alike");

/// A content as it was last enqueued.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// As it was read then.
    pub source: Content,
    /// The time in force.
    pub publish_at: Option<Wish>,
    /// Where its file lay.
    pub path: Option<PathBuf>,
    /// Its jobs by the stable id of their channel.
    pub jobs: BTreeMap<String, KnownJob>,
}

/// A job of a content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownJob {
    pub id: JobId,
    /// `None`: retention has dropped it, so it was done or cancelled.
    pub state: Option<State>,
    pub held: Option<String>,
    /// The time that its post notes; a person may have moved it since.
    pub noted: Option<Time>,
    /// One of its effects was prepared: it is not changed any more.
    pub sent: bool,
    /// It may have been sent in commits that the store lost: it is not changed either, but can be withdrawn.
    pub restored: bool,
}

/// What a run writes.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    pub once: Onceward,
    /// Jobs that are not to leave any more.
    pub withdrawn: Vec<JobId>,
    pub items: Vec<Item>,
}

/// What a run enqueues of one content.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub content: Content,
    pub publish_at: Option<Wish>,
    /// For each job: the stable id of its channel, its likeness, and the job.
    pub jobs: Vec<(String, String, NewJob)>,
    pub media: Vec<Blob>,
}

/// Contents, media and jobs exist together, or not at all; and only if what is withdrawn has not left meanwhile.
pub(crate) struct Enqueue;

impl Fold for Enqueue {
    type Item = Contents;
    type Answer = std::result::Result<Vec<Vec<Enqueued>>, onceward::Error>;
    const RANK: u8 = rank::ENQUEUE;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, runs: &[Contents], now: Option<Time>) -> Result<Vec<Self::Answer>> {
        let mut answers = Vec::with_capacity(runs.len());
        for run in runs {
            answers.push(match run.once.withdraw_in(conn.reborrow(), &run.withdrawn).await {
                Ok(_) => Ok(enqueue(conn, run, now).await?),
                Err(onceward::Error::Store(error)) => return Err(error),
                Err(left) => Err(left),
            });
        }
        Ok(answers)
    }
}

async fn enqueue(conn: &mut Conn<'_>, run: &Contents, now: Option<Time>) -> Result<Vec<Vec<Enqueued>>> {
    let mut answers = Vec::with_capacity(run.items.len());
    for item in &run.items {
        answers.push(one_content(conn, &run.once, item, now).await?);
    }
    Ok(answers)
}

async fn one_content(
    conn: &mut Conn<'_>,
    once: &Onceward,
    item: &Item,
    now: Option<Time>,
) -> Result<Vec<Enqueued>> {
    for blob in &item.media {
        media::put(conn, blob, now).await?;
    }
    let mut answers = Vec::with_capacity(item.jobs.len());
    for (channel, likeness, job) in &item.jobs {
        let enqueued = once.enqueue_in(conn.reborrow(), job.clone()).await.map_err(of_queue)?;
        if !matches!(enqueued, Enqueued::Skipped { .. }) {
            let args = vec![
                item.content.id.as_str().into(),
                channel.as_str().into(),
                enqueued.id().into(),
                likeness.as_str().into(),
            ];
            conn.execute(&CONTENT_JOB_PUT, args).await?;
        }
        answers.push(enqueued);
    }
    let kept = answers.iter().any(|it| !matches!(it, Enqueued::Skipped { .. }));
    if kept {
        put(conn, item, now).await?;
    }
    Ok(answers)
}

async fn put(conn: &mut Conn<'_>, item: &Item, now: Option<Time>) -> Result<()> {
    let content = &item.content;
    let args = vec![
        content.id.as_str().into(),
        content.file.display().to_string().into(),
        content.title.clone().into(),
        to_json(content)?.into(),
        item.publish_at.as_ref().map(|wish| wish.at).into(),
        origin::of(&content.file).display().to_string().into(),
        wall(item.publish_at.as_ref())?.into(),
        now.into(),
    ];
    conn.execute(&CONTENT_PUT, args).await.map(drop)
}

fn of_queue(error: onceward::Error) -> Error {
    match error {
        onceward::Error::Store(error) => error,
        other => Error::new(ErrorKind::Other, other.to_string()),
    }
}

/// What is known of contents with these ids.
pub(crate) async fn known(db: &Database, ids: &[&str]) -> Result<BTreeMap<String, Known>> {
    let mut reader = db.reader().await?;
    let mut conn = reader.conn();
    let ids = to_json(ids)?;
    let rows = conn.rows(&CONTENT_LIST, vec![ids.as_str().into()]).await?;
    let mut known = rows.iter().map(one).collect::<Result<BTreeMap<_, _>>>()?;
    for row in conn.rows(&CONTENT_JOBS, vec![ids.into()]).await? {
        if let Some(content) = known.get_mut(&row.text("content_id")?) {
            content.jobs.insert(row.text("channel_id")?, job(&row)?);
        }
    }
    Ok(known)
}

/// A content's id, and its time by a wall clock.
pub(crate) fn waiting(row: &Row) -> Result<(String, Wish)> {
    let wall = Some(from_json("wall", &row.text("wall")?)?);
    Ok((row.text("id")?, Wish { at: row.time("publish_at")?, wall }))
}

fn one(row: &Row) -> Result<(String, Known)> {
    let source = from_json("source", &row.text("source")?)?;
    let wall = row.opt_text("wall")?.map(|text| from_json("wall", &text)).transpose()?;
    let publish_at = row.opt_time("publish_at")?.map(|at| Wish { at, wall });
    let path = row.opt_text("path")?.map(PathBuf::from);
    let known = Known { source, publish_at, path, jobs: BTreeMap::new() };
    Ok((row.text("id")?, known))
}

fn job(row: &Row) -> Result<KnownJob> {
    let state = row.opt_text("state")?.map(|word| standing::state(&word)).transpose()?;
    Ok(KnownJob {
        id: row.int("job_id")?,
        state,
        held: row.opt_text("held_reason")?,
        noted: row.opt_text("noted")?.and_then(|at| at.parse().ok()),
        sent: row.flag("sent")?,
        restored: row.flag("restored")?,
    })
}

/// What a text on a channel looks like.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Look {
    pub channel: String,
    pub likeness: String,
}

/// A content that was enqueued before and looks the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Twin {
    pub id: String,
    pub file: String,
    /// Where its file lay.
    pub path: Option<PathBuf>,
    /// Its file named the id itself.
    pub named: bool,
}

/// The contents that look like these.
pub(crate) async fn alike(db: &Database, looks: &[Look]) -> Result<BTreeMap<Look, Vec<Twin>>> {
    let rows = db.reader().await?.conn().rows(&ALIKE, vec![to_json(looks)?.into()]).await?;
    let mut found: BTreeMap<Look, Vec<Twin>> = BTreeMap::new();
    for row in rows {
        let look = Look { channel: row.text("channel_id")?, likeness: row.text("likeness")? };
        let path = row.opt_text("path")?.map(PathBuf::from);
        let (id, file, named) = (row.text("content_id")?, row.text("file")?, row.flag("named")?);
        found.entry(look).or_default().push(Twin { id, file, path, named });
    }
    Ok(found)
}

/// A content without its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    pub id: String,
    pub file: String,
    pub title: Option<String>,
    pub publish_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
}

/// Which job stands for a content on a channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    pub content: String,
    pub channel: String,
    pub job: JobId,
}

/// Contents, the newest first, after the one with the id `after`.
pub(crate) async fn page(db: &Database, limit: usize, after: Option<&str>) -> Result<Vec<Head>> {
    let args = vec![after.into(), i64::try_from(limit).unwrap_or(i64::MAX).into()];
    db.reader().await?.conn().rows(&CONTENT_PAGE, args).await?.iter().map(head_of).collect()
}

pub(crate) async fn head(db: &Database, id: &str) -> Result<Option<Head>> {
    db.reader().await?.conn().row(&CONTENT_GET, vec![id.into()]).await?.as_ref().map(head_of).transpose()
}

fn head_of(row: &Row) -> Result<Head> {
    Ok(Head {
        id: row.text("id")?,
        file: row.text("file")?,
        title: row.opt_text("title")?,
        publish_at: row.opt_time("publish_at")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}

/// The jobs of these contents.
pub(crate) async fn links(db: &Database, ids: &[&str]) -> Result<Vec<Link>> {
    let rows = db.reader().await?.conn().rows(&CONTENT_JOBS, vec![to_json(ids)?.into()]).await?;
    let link = |row: &Row| {
        Ok(Link {
            content: row.text("content_id")?,
            channel: row.text("channel_id")?,
            job: row.int("job_id")?,
        })
    };
    rows.iter().map(link).collect()
}

struct SetTime;

impl Fold for SetTime {
    type Item = (String, Wish);
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(conn: &mut Conn<'_>, items: &[Self::Item], now: Option<Time>) -> Result<Vec<()>> {
        for (id, wish) in items {
            let args = vec![id.as_str().into(), wish.at.into(), wall(Some(wish))?.into(), now.into()];
            conn.execute(&CONTENT_TIME, args).await?;
        }
        Ok(vec![(); items.len()])
    }
}

/// Sets the time in force.
pub(crate) async fn set_time(db: &Database, id: &str, wish: Wish) -> Result<()> {
    db.fold::<SetTime>(vec![(id.to_owned(), wish)]).await.map(drop)
}

/// The wall clock that a time is read from, as a column.
fn wall(wish: Option<&Wish>) -> Result<Option<String>> {
    wish.and_then(|wish| wish.wall.as_ref()).map(to_json).transpose()
}
