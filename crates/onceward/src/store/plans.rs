//! What people and the configuration say of schedules.

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Sql, Time, rank, sql};

use super::items;
use super::schedules::{fire_now, view};
use crate::JobId;
use crate::schedule::next_after;
use crate::scheduler::{Schedule, ScheduleView, Times};

const CLOCK: Sql = sql!("clock");
const SCHEDULE_GET: Sql = sql!("schedule_get");
const SCHEDULE_PUT: Sql = sql!("schedule_put");
const SCHEDULE_PAUSE: Sql = sql!("schedule_pause");
const SCHEDULE_RESUME: Sql = sql!("schedule_resume");
const SCHEDULE_REMOVE: Sql = sql!("schedule_remove");
const SCHEDULE_PRUNE: Sql = sql!("schedule_prune");

/// What is to be done with one schedule.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Put(Box<Schedule>, Times),
    /// All that an owner has: what it has no more goes.
    Own(String, Vec<(Schedule, Times)>),
    Pause(String),
    Resume(String),
    RunNow(String),
    Remove(String),
}

/// What it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Planned {
    /// It was changed.
    Changed,
    /// It was like that already.
    Same,
    /// There is no such schedule.
    Missing,
    /// Its job was enqueued.
    Ran(JobId),
    /// These were removed.
    Pruned(Vec<String>),
}

/// Follows plans.
pub(crate) struct Plans;

impl Fold for Plans {
    type Item = Plan;
    type Answer = Planned;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, plans: &[Plan], now: Option<Time>) -> Result<Vec<Planned>> {
        let mut out = Vec::with_capacity(plans.len());
        for plan in plans {
            out.push(follow(conn, plan, now).await?);
        }
        Ok(out)
    }
}

async fn follow(conn: &mut Conn<'_>, plan: &Plan, now: Option<Time>) -> Result<Planned> {
    let name = match plan {
        Plan::Put(schedule, times) => return put(conn, schedule, times, None, now).await,
        Plan::Own(owner, schedules) => return own(conn, owner, schedules, now).await,
        Plan::Pause(name) | Plan::Resume(name) | Plan::RunNow(name) | Plan::Remove(name) => name.as_str(),
    };
    let row = conn.row(&SCHEDULE_GET, vec![name.into(), now.into()]).await?;
    let Some(row) = row else { return Ok(Planned::Missing) };
    let (found, at) = (view(&row)?, row.time("now")?);
    let changed = match plan {
        Plan::RunNow(_) => return Ok(Planned::Ran(fire_now(conn, &found.schedule, now).await?)),
        Plan::Pause(_) => conn.execute(&SCHEDULE_PAUSE, vec![name.into(), now.into()]).await?,
        Plan::Resume(_) => resume(conn, &found, at).await?,
        _ => conn.execute(&SCHEDULE_REMOVE, vec![name.into()]).await?,
    };
    Ok(if changed > 0 { Planned::Changed } else { Planned::Same })
}

async fn own(
    conn: &mut Conn<'_>,
    owner: &str,
    schedules: &[(Schedule, Times)],
    now: Option<Time>,
) -> Result<Planned> {
    for (schedule, times) in schedules {
        put(conn, schedule, times, Some(owner), now).await?;
    }
    let names: Vec<&str> = schedules.iter().map(|(schedule, _)| schedule.name.as_str()).collect();
    let gone = conn.rows(&SCHEDULE_PRUNE, vec![owner.into(), items(&names)?.into()]).await?;
    Ok(Planned::Pruned(gone.iter().map(|row| row.text("name")).collect::<Result<_>>()?))
}

async fn put(
    conn: &mut Conn<'_>,
    schedule: &Schedule,
    times: &Times,
    owner: Option<&str>,
    now: Option<Time>,
) -> Result<Planned> {
    let row = conn.row(&CLOCK, vec![now.into()]).await?;
    let row = row.ok_or_else(|| Error::new(ErrorKind::Other, "the database has no time"))?;
    let next = next_after(&times.cron, &times.zone, row.time("now")?);
    let missed = serde_json::to_value(schedule.missed).ok();
    let args = vec![
        schedule.name.as_str().into(),
        schedule.cron.as_str().into(),
        schedule.timezone.as_str().into(),
        schedule.queue.as_str().into(),
        schedule.kind.as_str().into(),
        i64::from(schedule.version).into(),
        schedule.payload.as_str().into(),
        missed.as_ref().and_then(|word| word.as_str()).into(),
        next.into(),
        owner.into(),
    ];
    conn.execute(&SCHEDULE_PUT, args).await?;
    Ok(Planned::Changed)
}

/// What came due during the pause was not wanted then: it goes on with its next time.
async fn resume(conn: &mut Conn<'_>, found: &ScheduleView, at: Time) -> Result<u64> {
    let times = Times::of(&found.schedule).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))?;
    let next = next_after(&times.cron, &times.zone, at);
    conn.execute(&SCHEDULE_RESUME, vec![found.schedule.name.as_str().into(), next.into()]).await
}
