//! What rules of alerts look at, what they have told, and the next message: taken and enqueued in one transaction.

use std::collections::HashMap;
use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Room, Row, Sql, Time, rank, sql};

use super::enqueue::{Entered, Entry, enqueue};
use super::{from_json, items, micros_of, queues, relays};
use crate::alert::{
    AlertMessage, AlertRule, DUE_LIMIT, Due, Facts, Pile, PileOf, Told, UNSEEN, YOUNG, waits_since,
};
use crate::{Enqueued, Job, JobError, JobId, NewJob, QueueView};

const CLOCK: Sql = sql!("clock");
const ALERT_PILES: Sql = sql!("alert_piles");
const ALERT_CRASHES: Sql = sql!("alert_crashes");
const ALERT_WORKERS: Sql = sql!("alert_workers");
const ALERT_DUE: Sql = sql!("alert_due");
const ALERT_MISSED: Sql = sql!("alert_missed");
const ALERT_RULES: Sql = sql!("alert_rules");
const ALERT_TAKE: Sql = sql!("alert_take");
const ALERT_JOB: Sql = sql!("alert_job");

/// Crashing jobs and missed schedules that are looked at.
const SOME: i64 = 100;
/// How long a missed schedule is worth a message.
const RECENT: Duration = Duration::from_hours(24);

/// How everything stands. Cheap while little is wrong.
pub(crate) async fn facts(conn: &mut Conn<'_>, disk: Option<Room>, now: Option<Time>) -> Result<Facts> {
    let clock = conn.row(&CLOCK, vec![now.into()]).await?;
    let at = clock.ok_or_else(|| Error::new(ErrorKind::Other, "the database has no time"))?.time("now")?;
    let queues = queues::list::list(conn, now).await?;
    let due = due(conn, &queues, at, now).await?;
    Ok(Facts {
        now: at,
        piles: piles(conn).await?,
        crashes: crashes(conn).await?,
        workers: workers(conn, now).await?,
        left_out: left_out(conn, now).await?,
        relays: relays::list(conn).await?,
        disk,
        due,
        queues,
    })
}

async fn piles(conn: &mut Conn<'_>) -> Result<Vec<Pile>> {
    let pile = |row: &Row| {
        Ok(Pile {
            of: match row.text("what")?.as_str() {
                "dead" => PileOf::Dead,
                "parked" => PileOf::Parked,
                _ => PileOf::Held,
            },
            queue: row.text("queue")?,
            code: row.opt_text("code")?,
            count: counted(row.int("n")?),
            first: row.time("first_at")?,
            last: row.time("last_at")?,
            newest: row.int("newest")?,
            error: JobError::stored(row.opt_text("sample")?),
        })
    };
    conn.rows(&ALERT_PILES, vec![AlertMessage::KIND.into()]).await?.iter().map(pile).collect()
}

async fn crashes(conn: &mut Conn<'_>) -> Result<Vec<(JobId, String, u64, Time)>> {
    let rows = conn.rows(&ALERT_CRASHES, vec![AlertMessage::KIND.into(), SOME.into()]).await?;
    let crash =
        |row: &Row| Ok((row.int("id")?, row.text("queue")?, counted(row.int("crashes")?), row.time("at")?));
    rows.iter().map(crash).collect()
}

async fn workers(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Vec<(Vec<String>, Time)>> {
    let args = vec![micros_of(UNSEEN).into(), now.into(), micros_of(YOUNG).into()];
    let worker = |row: &Row| {
        Ok((from_json("queues", row.opt_text("queues")?)?.unwrap_or_default(), row.time("seen_at")?))
    };
    conn.rows(&ALERT_WORKERS, args).await?.iter().map(worker).collect()
}

async fn left_out(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Vec<(String, Time, String)>> {
    let args = vec![micros_of(RECENT).into(), now.into(), SOME.into()];
    let missed =
        |row: &Row| Ok((row.text("queue")?, row.time("at")?, row.opt_text("detail")?.unwrap_or_default()));
    conn.rows(&ALERT_MISSED, args).await?.iter().map(missed).collect()
}

/// What waits in queues that nothing holds back: no pause, no open circuit, no wait that the peer asked for.
async fn due(conn: &mut Conn<'_>, queues: &[QueueView], at: Time, now: Option<Time>) -> Result<Vec<Due>> {
    let is_free = |queue: &&QueueView| {
        queue.oldest_due.is_some()
            && queue.paused.is_none()
            && queue.circuit.is_none_or(|circuit| circuit.since.is_none())
            && queue.not_before.is_none_or(|until| until <= at)
    };
    let free: HashMap<&str, &QueueView> =
        queues.iter().filter(is_free).map(|queue| (queue.name.as_str(), queue)).collect();
    if free.is_empty() {
        return Ok(Vec::new());
    }
    let names = items(&free.keys().collect::<Vec<_>>())?;
    let most = i64::try_from(DUE_LIMIT).unwrap_or(i64::MAX);
    let args = vec![names.into(), now.into(), AlertMessage::KIND.into(), most.into()];
    let mut found = Vec::new();
    for row in conn.rows(&ALERT_DUE, args).await? {
        let (queue, count) = (row.text("name")?, counted(row.int("n")?));
        let not_before = free.get(queue.as_str()).and_then(|queue| queue.not_before);
        if let Some(first) = row.opt_time("first_at")? {
            let since = waits_since(first, row.opt_time("free_at")?, not_before);
            found.push(Due { queue, since, count });
        }
    }
    Ok(found)
}

/// How many jobs of these queues are due and not held, each queue counted up to a limit.
pub(crate) async fn backlog(
    conn: &mut Conn<'_>,
    queues: &[&str],
    most: usize,
    now: Option<Time>,
) -> Result<u64> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let args = vec![items(queues)?.into(), now.into(), "".into(), most.into()];
    let rows = conn.rows(&ALERT_DUE, args).await?;
    rows.iter().try_fold(0, |sum, row| Ok(sum + counted(row.int("n")?)))
}

fn counted(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// What a rule has told, and whether its last message has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Teller {
    pub number: i64,
    pub told: Vec<Told>,
    pub told_at: Option<Time>,
    pub job: Option<JobId>,
    pub on_its_way: bool,
}

impl Teller {
    /// Not while its last message is on its way: what could not be delivered would only pile up.
    pub(crate) fn may_speak(&self, rule: &AlertRule, now: Time) -> bool {
        !self.on_its_way && self.told_at.is_none_or(|at| now.since(at) >= rule.every || at > now)
    }
}

/// What each of these rules has told, in their order.
pub(crate) async fn tellers(conn: &mut Conn<'_>, rules: &[AlertRule]) -> Result<Vec<Teller>> {
    let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    let rows = conn.rows(&ALERT_RULES, vec![items(&names)?.into()]).await?;
    let teller = |row: &Row| {
        let teller = Teller {
            number: row.int("number")?,
            told: from_json("told", row.opt_text("told")?)?.unwrap_or_default(),
            told_at: row.opt_time("told_at")?,
            job: row.opt_int("job_id")?,
            on_its_way: row.flag("on_its_way")?,
        };
        Ok((row.text("name")?, teller))
    };
    let mut known: HashMap<String, Teller> = rows.iter().map(teller).collect::<Result<_>>()?;
    Ok(names.iter().map(|name| known.remove(*name).unwrap_or_default()).collect())
}

/// A rule's next message.
#[derive(Debug, Clone)]
pub(crate) struct Tell {
    pub rule: String,
    /// The number of the last one, as it was seen.
    pub seen: i64,
    pub told: Vec<Told>,
    pub message: AlertMessage,
    pub job: NewJob,
}

impl Fold for Tell {
    type Item = Self;
    type Answer = Option<JobId>;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, tells: &[Self], now: Option<Time>) -> Result<Vec<Option<JobId>>> {
        let mut out = Vec::with_capacity(tells.len());
        for it in tells {
            out.push(tell(conn, it, now).await?);
        }
        Ok(out)
    }
}

/// The job, or nothing when another process was first.
async fn tell(conn: &mut Conn<'_>, it: &Tell, now: Option<Time>) -> Result<Option<JobId>> {
    let args = vec![it.rule.as_str().into(), now.into(), it.seen.into(), items(&it.told)?.into()];
    if conn.row(&ALERT_TAKE, args).await?.is_none() {
        return Ok(None);
    }
    let entry =
        Entry::new(it.job.clone()).map_err(|e| Error::new(ErrorKind::Decode, format!("an alert: {e}")))?;
    let job = match enqueue(conn, &[entry], now).await?.pop() {
        Some(Entered::As(enqueued @ Enqueued::New(_))) => Some(enqueued.id()),
        _ => None,
    };
    conn.execute(&ALERT_JOB, vec![it.rule.as_str().into(), job.into()]).await?;
    Ok(job)
}
