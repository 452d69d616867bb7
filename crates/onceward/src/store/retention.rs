//! What is dropped in the end: old finished jobs with their attempts and effects, expired keys, old events.

use onceward_db::{Conn, Fold, Result, Sql, Time, rank, sql};

use super::counters::Deltas;
use super::dead::discard_due;
use super::{events, items, lineage};
use crate::JobId;

const RETENTION_PICK: Sql = sql!("retention_pick");
const RETENTION_ATTEMPTS: Sql = sql!("retention_attempts");
const RETENTION_EFFECTS: Sql = sql!("retention_effects");
const RETENTION_JOBS: Sql = sql!("retention_jobs");
const DEDUP_EXPIRE: Sql = sql!("dedup_expire");
const PARTITION_MAKE: Sql = sql!("partition_make");
const PARTITION_DROP: Sql = sql!("partition_drop");

/// How many jobs one look goes through, and one transaction deletes.
pub(crate) const BATCH: i64 = 500;
/// How many keys or events one transaction deletes: they are small.
pub(crate) const SMALL_BATCH: i64 = 1000;

/// One look through the jobs, by number.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Finished before the time in question.
    pub old: Vec<JobId>,
    /// Where the next look begins; `None`: there is nothing more to find.
    pub next: Option<JobId>,
}

/// Looks for finished jobs from before a time, beginning after job `after`. Reads only.
pub(crate) async fn pick(conn: &mut Conn<'_>, before: Time, after: JobId) -> Result<Page> {
    let rows = conn.rows(&RETENTION_PICK, vec![before.into(), after.into(), BATCH.into()]).await?;
    let mut page = Page::default();
    for row in &rows {
        let id = row.int("id")?;
        page.next = Some(id);
        if row.opt_flag("old")?.unwrap_or(false) {
            page.old.push(id);
        }
        // Numbers grow with time, so what follows a young job is young, and cannot have finished before it began.
        if row.flag("young")? {
            page.next = None;
            break;
        }
    }
    Ok(page)
}

/// Deletes in small transactions; each answer is how many rows went.
pub(crate) struct Sweep;

/// One small transaction.
#[derive(Debug, Clone)]
pub(crate) enum Sweeping {
    /// These jobs, with what hangs on them.
    Jobs(Vec<JobId>),
    /// Keys that expired before that time.
    Keys { before: Time },
    /// Events from before that time.
    Events { before: Time },
    /// Notes of restored jobs that are over.
    Restored,
    /// Dead jobs whose discard is final.
    Discarded,
    /// A whole day of the history, with its jobs.
    Partition { before: Time },
    /// Makes partitions for today and so many days after it.
    Partitions { days: i64 },
}

impl Fold for Sweep {
    type Item = Sweeping;
    type Answer = u64;
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, all: &[Sweeping], now: Option<Time>) -> Result<Vec<u64>> {
        let mut out = Vec::with_capacity(all.len());
        for one in all {
            let rows = match one {
                Sweeping::Jobs(ids) => drop_jobs(conn, ids).await?,
                Sweeping::Keys { before } => {
                    conn.rows(&DEDUP_EXPIRE, vec![(*before).into(), SMALL_BATCH.into()]).await?.len()
                }
                Sweeping::Events { before } => events::drop_some(conn, *before, SMALL_BATCH).await?,
                Sweeping::Restored => lineage::drop_over(conn).await?,
                Sweeping::Discarded => discard_due(conn, now, BATCH).await?,
                Sweeping::Partition { before } => {
                    count(conn, &PARTITION_DROP, vec![(*before).into()]).await?
                }
                Sweeping::Partitions { days } => {
                    count(conn, &PARTITION_MAKE, vec![now.into(), (*days).into()]).await?
                }
            };
            out.push(u64::try_from(rows).unwrap_or(u64::MAX));
        }
        Ok(out)
    }
}

async fn drop_jobs(conn: &mut Conn<'_>, ids: &[JobId]) -> Result<usize> {
    let ids_json = items(ids)?;
    conn.execute(&RETENTION_ATTEMPTS, vec![ids_json.as_str().into()]).await?;
    conn.execute(&RETENTION_EFFECTS, vec![ids_json.as_str().into()]).await?;
    let rows = conn.rows(&RETENTION_JOBS, vec![ids_json.into()]).await?;
    let mut deltas = Deltas::default();
    for row in &rows {
        deltas.add(&row.text("queue")?, super::state(row)?.as_str(), -1);
    }
    deltas.write(conn).await?;
    Ok(rows.len())
}

async fn count(conn: &mut Conn<'_>, sql: &Sql, args: Vec<onceward_db::Value>) -> Result<usize> {
    let row = conn.row(sql, args).await?;
    let n = row.map(|row| row.opt_int("n")).transpose()?.flatten();
    Ok(n.map_or(0, |n| usize::try_from(n).unwrap_or(0)))
}
