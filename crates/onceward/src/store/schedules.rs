//! Schedules: kept, and fired by claim-and-insert in one transaction.

use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Row, Sql, Time, rank, sql};

use super::enqueue::{Entered, Entry, enqueue};
use super::{events, unsigned};
use crate::schedule::{Due, due};
use crate::scheduler::{Schedule, ScheduleView, Times};
use crate::{Dedup, Enqueued, JobId, NewJob};

const SCHEDULE_LIST: Sql = sql!("schedule_list");
const SCHEDULES_DUE: Sql = sql!("schedules_due");
const SCHEDULE_FIRED: Sql = sql!("schedule_fired");

/// How many schedules one round fires.
const ROUND_LIMIT: i64 = 100;
/// How many missed fires of one schedule a round makes up for.
pub(crate) const FIRE_LIMIT: usize = 100;
/// For how long a fire's key keeps a second one out; the next time is written with the job, so this is a second fence.
const FIRE_KEY: Duration = Duration::from_hours(7 * 24);

/// All schedules, by name.
pub(crate) async fn list(conn: &mut Conn<'_>) -> Result<Vec<ScheduleView>> {
    conn.rows(&SCHEDULE_LIST, vec![]).await?.iter().map(view).collect()
}

pub(super) fn view(row: &Row) -> Result<ScheduleView> {
    let missed = row.text("missed")?;
    Ok(ScheduleView {
        schedule: Schedule {
            name: row.text("name")?,
            cron: row.text("cron")?,
            timezone: row.text("timezone")?,
            queue: row.text("queue")?,
            kind: row.text("kind")?,
            version: unsigned(row.int("version")?),
            payload: row.text("payload")?,
            missed: serde_json::from_value(missed.into())
                .map_err(|e| Error::new(ErrorKind::Decode, format!("missed: {e}")))?,
        },
        owner: row.opt_text("owner")?,
        paused_at: row.opt_time("paused_at")?,
        next_fire_at: row.opt_time("next_fire_at")?,
        last_fire_at: row.opt_time("last_fire_at")?,
    })
}

/// What one round of firing came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fired {
    /// Jobs enqueued.
    pub jobs: u64,
    /// Fires that were due while nobody was there and are left out for good, by schedule.
    pub left_out: Vec<(String, u64)>,
    /// Schedules with more missed fires than one round makes up for.
    pub behind: Vec<String>,
    /// Schedules that this process cannot fire, and why.
    pub unreadable: Vec<(String, String)>,
}

/// Fires what is due.
pub(crate) struct Fire;

impl Fold for Fire {
    type Item = ();
    type Answer = Fired;
    const RANK: u8 = rank::KEEP;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, callers: &[()], now: Option<Time>) -> Result<Vec<Fired>> {
        let mut out = vec![Fired::default(); callers.len()];
        if let Some(first) = out.first_mut() {
            *first = fire_due(conn, now).await?;
        }
        Ok(out)
    }
}

async fn fire_due(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Fired> {
    let mut fired = Fired::default();
    for row in conn.rows(&SCHEDULES_DUE, vec![now.into(), ROUND_LIMIT.into()]).await? {
        let (view, at) = (view(&row)?, row.time("now")?);
        let Some(next) = view.next_fire_at else { continue };
        match Times::of(&view.schedule) {
            Ok(times) => {
                let missed = view.schedule.missed;
                let due = due(next, at, missed, &times.cron, &times.zone, FIRE_LIMIT);
                fire(conn, &view.schedule, &due, &mut fired, now).await?;
                if due.next.is_some_and(|next| next <= at) {
                    fired.behind.push(view.schedule.name);
                }
            }
            Err(error) => fired.unreadable.push((view.schedule.name, error.to_string())),
        }
    }
    Ok(fired)
}

async fn fire(
    conn: &mut Conn<'_>,
    schedule: &Schedule,
    due: &Due,
    fired: &mut Fired,
    now: Option<Time>,
) -> Result<()> {
    let entry = |at: &Time| {
        let key = format!("schedule:{}:{at}", schedule.name);
        Entry::new(job(schedule).dedup(key, Dedup::For(FIRE_KEY)).standing_for(*at)).map_err(|e| unfit(&e))
    };
    let entries: Vec<Entry> = due.fires.iter().map(entry).collect::<Result<_>>()?;
    if !entries.is_empty() {
        let made = enqueue(conn, &entries, now).await?;
        let new = made.iter().filter(|entered| matches!(entered, Entered::As(Enqueued::New(_))));
        fired.jobs += u64::try_from(new.count()).unwrap_or(u64::MAX);
    }
    let last = due.fires.last().copied();
    let args = vec![schedule.name.as_str().into(), due.next.into(), last.into()];
    conn.execute(&SCHEDULE_FIRED, args).await?;
    if due.left_out > 0 {
        let detail = format!("schedule {}: {} left out", schedule.name, due.left_out);
        events::record(conn, &schedule.queue, "missed", Some(&detail), now).await?;
        fired.left_out.push((schedule.name.clone(), due.left_out));
    }
    Ok(())
}

fn job(schedule: &Schedule) -> NewJob {
    let Schedule { queue, kind, payload, version, .. } = schedule;
    NewJob::untyped(queue, kind, payload).version(*version)
}

/// Enqueues a schedule's job outside of its times.
pub(super) async fn fire_now(conn: &mut Conn<'_>, schedule: &Schedule, now: Option<Time>) -> Result<JobId> {
    let entry = Entry::new(job(schedule)).map_err(|e| unfit(&e))?;
    match enqueue(conn, &[entry], now).await?.pop() {
        Some(Entered::As(enqueued)) => Ok(enqueued.id()),
        _ => Err(Error::new(ErrorKind::Other, "a job without a key was not enqueued")),
    }
}

/// Checked when the schedule was registered, so only a row changed by other hands gets here.
fn unfit(error: &crate::Error) -> Error {
    Error::new(ErrorKind::Decode, format!("the job of a schedule: {error}"))
}
