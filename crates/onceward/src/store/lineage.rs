//! Which lineage a store is of. In a new one (a promoted standby, a restored backup) the last commits of the one before may
//! be missing, and with them intents: what may have been sent then is found out before it is sent again.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use onceward_db::{Conn, Engine, Fold, Result, Sql, Time, rank, sql};
use serde::Serialize;

use super::effects::{Found, Step};
use super::{events, items, micros_of};
use crate::effect;
use crate::{JobId, RestoredView};

const LINEAGE_TAKE: Sql = sql!("lineage_take");
const LINEAGE_MARK: Sql = sql!("lineage_mark");
pub(crate) const LINEAGE_COPY: Sql = sql!("lineage_copy");
const LINEAGE_COPY_IS: Sql = sql!("lineage_copy_is");
const IDS_SKIP: Sql = sql!("ids_skip");
const RESTORED_LIST: Sql = sql!("restored_list");
const RESTORED_ADD: Sql = sql!("restored_add");
const RESTORED_MOVED: Sql = sql!("restored_moved");
const RESTORED_FORGET: Sql = sql!("restored_forget");
const RESTORED_DROP: Sql = sql!("restored_drop");
const RESTORED_OPEN: Sql = sql!("restored_open");
const RESTORED_SENT: Sql = sql!("restored_sent");

/// How far the clocks of two servers may differ. Rows that one of them wrote are compared with the time at which another
/// noticed a loss, and what is closer than this counts as from before it: an effect too many is found out, none is sent
/// blindly. The view `maybe_sent` reckons with the same. NTP keeps clocks within milliseconds, and a server that has just been started within seconds.
pub(super) const CLOCKS: Duration = Duration::from_secs(10);

/// A loss is short while it is no longer than a promotion takes, with a person who is woken for it.
const SHORT: Duration = Duration::from_mins(10);

/// The loss that a job comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loss {
    /// When it was noticed: nothing that was lost was sent later.
    pub since: Time,
    /// Nothing that was lost was sent earlier.
    pub from: Time,
}

/// What each connection that writes does first: whoever finds the store in another lineage marks what may have been sent, in
/// the transaction of the first write there.
pub(crate) fn arrive<'a>(
    conn: &'a mut Conn<'_>,
    now: Option<Time>,
) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
    Box::pin(async move {
        match take(conn, now).await? {
            Some(taken) => tell(conn, &taken, now).await,
            None => Ok(()),
        }
    })
}

/// A loss, and the jobs from before it.
struct Taken {
    loss: Loss,
    marked: Vec<RestoredView>,
}

/// Gives something to the first who finds another lineage.
async fn take(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Option<Taken>> {
    let row = conn.row(&LINEAGE_TAKE, vec![now.into()]).await?;
    let Some(row) = row else { return Ok(None) };
    if !row.flag("changed")? {
        return Ok(None);
    }
    let (copy, loss) = (row.flag("copy")?, Loss { since: row.time("since")?, from: row.time("lost_from")? });
    // What is in a copy is from before it was made, whatever this server followed earlier.
    let replayed = row.opt_time("replayed")?.filter(|_| !copy).map(|at| at.after(CLOCKS));
    let args = vec![loss.since.into(), loss.from.into(), due_until(loss, copy).into(), replayed.into()];
    conn.execute(&LINEAGE_MARK, args).await?;
    conn.row(&IDS_SKIP, vec![]).await?;
    Ok(Some(Taken { loss, marked: restored(conn, now).await? }))
}

/// Until when a job was due, if it may have been sent in the lost commits without a person's doing; `None`: whenever it is due.
///
/// Any job may have been given another time in them, and gone out. In what a backup lacks, people have worked for hours; in
/// the seconds that a standby lacks hardly anybody has, while each promotion would have them asked about all that is planned.
fn due_until(loss: Loss, copy: bool) -> Option<Time> {
    let is_long = loss.since.since(loss.from) > SHORT;
    (!copy && !is_long).then(|| loss.since.after(CLOCKS))
}

/// Says it once, in the log and in what alerts tell.
async fn tell(conn: &mut Conn<'_>, taken: &Taken, now: Option<Time>) -> Result<()> {
    let Taken { loss: Loss { since, from }, marked } = taken;
    let jobs: u64 = marked.iter().map(|one| one.jobs).sum();
    // Without a sign of life, nothing is known of when it was.
    let lost_from = (from.micros() > 0).then(|| tracing::field::display(from));
    tracing::warn!(
        jobs,
        lost_from,
        "the store may have lost its last commits (a standby was promoted, or a backup put in place): what may have been \
         sent is found out before it is sent again"
    );
    for one in marked {
        let detail = format!("{} jobs from before {since}; commits from {from} on may be lost", one.jobs);
        events::record(conn, &one.queue, "restored", Some(&detail), now).await?;
    }
    Ok(())
}

/// Whether this is a copy to which nobody has written yet.
pub(crate) async fn is_copy(conn: &mut Conn<'_>) -> Result<bool> {
    conn.row(&LINEAGE_COPY_IS, vec![]).await?.map_or(Ok(false), |row| row.flag("copy"))
}

/// Restored jobs that are not over yet, by queue; also of a copy that nobody has written to.
pub(crate) async fn restored(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Vec<RestoredView>> {
    let view = |row: &onceward_db::Row| {
        Ok(RestoredView {
            queue: row.text("queue")?,
            jobs: u64::try_from(row.int("n")?).unwrap_or(0),
            since: row.time("since")?,
            lost_from: row.time("lost_from")?,
        })
    };
    conn.rows(&RESTORED_LIST, vec![now.into()]).await?.iter().map(view).collect()
}

/// Takes the store for a copy, by a person's word; gives what is marked.
pub(crate) struct Restore;

/// What a person says of a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    /// When it was made.
    pub made_at: Option<Time>,
    /// It knew that it was one: whoever wrote to it first has noted and told that, with the time at which it was made.
    pub known: bool,
}

impl Fold for Restore {
    type Item = Word;
    type Answer = Vec<RestoredView>;
    const RANK: u8 = rank::EXTEND;

    async fn run(conn: &mut Conn<'_>, words: &[Word], now: Option<Time>) -> Result<Vec<Vec<RestoredView>>> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            out.push(believe(conn, *word, now).await?);
        }
        Ok(out)
    }
}

async fn believe(conn: &mut Conn<'_>, word: Word, now: Option<Time>) -> Result<Vec<RestoredView>> {
    if word.known && word.made_at.is_none() {
        return restored(conn, now).await;
    }
    conn.execute(&LINEAGE_COPY, vec![word.made_at.into()]).await?;
    let Some(taken) = take(conn, now).await? else { return restored(conn, now).await };
    if !word.known {
        tell(conn, &taken, now).await?;
    }
    Ok(taken.marked)
}

/// A new job, and when what it stands for was.
#[derive(Debug, Serialize)]
pub(crate) struct Stands {
    pub id: JobId,
    /// Microseconds.
    pub at: i64,
}

/// Marks new jobs that stand for something from before a loss.
pub(crate) async fn add(conn: &mut Conn<'_>, jobs: &[Stands]) -> Result<()> {
    if !jobs.is_empty() {
        conn.execute(&RESTORED_ADD, vec![items(jobs)?.into(), micros_of(CLOCKS).into()]).await?;
    }
    Ok(())
}

/// Marks jobs that a person gave another time, as far as they are from before a loss. On SQLite each loss is a backup's, and
/// all that is from before it is marked already.
pub(crate) async fn moved(conn: &mut Conn<'_>, jobs: &[JobId]) -> Result<()> {
    if !jobs.is_empty() && conn.engine() == Engine::Postgres {
        conn.execute(&RESTORED_MOVED, vec![items(jobs)?.into(), micros_of(CLOCKS).into()]).await?;
    }
    Ok(())
}

/// Forgets jobs that a person answers for.
pub(crate) async fn forget(conn: &mut Conn<'_>, jobs: &[JobId]) -> Result<()> {
    if !jobs.is_empty() {
        conn.execute(&RESTORED_FORGET, vec![items(jobs)?.into()]).await?;
    }
    Ok(())
}

/// Forgets what is over; gives how much.
pub(crate) async fn drop_over(conn: &mut Conn<'_>) -> Result<usize> {
    Ok(usize::try_from(conn.execute(&RESTORED_DROP, vec![]).await?).unwrap_or(usize::MAX))
}

/// Opens a step of a restored job that nobody has looked at since, as if it had been sent in the lost commits.
pub(crate) async fn may_have_been_sent(
    conn: &mut Conn<'_>,
    step: &Step,
    found: &Found,
    loss: Loss,
    now: Option<Time>,
) -> Result<()> {
    let Some(entry) = &found.entry else { return Ok(()) };
    let (job, name, generation) = (step.lease.job, step.name.as_str(), entry.generation);
    let args = vec![job.into(), name.into(), step.lease.token.as_str().into(), generation.into()];
    if conn.row(&RESTORED_OPEN, args).await?.is_none() {
        return Ok(());
    }
    // Sent by the last breath of the lineage before, under a lease like this one.
    let (quiet, check) = effect::schedule(entry, loss.since, loss.since.after(found.lease));
    let args = vec![
        job.into(),
        now.into(),
        name.into(),
        generation.into(),
        loss.from.into(),
        loss.since.into(),
        quiet.into(),
        check.into(),
    ];
    conn.execute(&RESTORED_SENT, args).await.map(drop)
}
