//! What people may change of a job.

use std::collections::HashMap;

use onceward_db::{Conn, Result, Row, Sql, Time, sql};
use serde::Serialize;

use crate::store::doubt::{self, Step};
use crate::store::{items, state, unsigned};
use crate::{Cause, JobId, Receipt, State};

const JOB_LOCK: Sql = sql!("job_lock");
const JOB_ENDED: Sql = sql!("job_ended");
const DEDUP_LOCK: Sql = sql!("dedup_lock");

/// What is known of a job's past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// All of it.
    Known,
    /// It is from before the store lost its last commits, and may have been sent in them.
    MaybeSent,
    /// To be written: a person answers for that.
    AnsweredFor,
}

/// A job that is not over, under its lock.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standing {
    pub id: JobId,
    pub queue: String,
    pub kind: String,
    pub state: State,
    pub held_reason: Option<String>,
    pub run_at: Time,
    pub tries: u32,
    pub crashes: u32,
    pub lone: bool,
    /// Effects that are sending or unknown.
    pub open: i64,
    pub stop: bool,
    pub checks: u32,
    pub check_at: Option<Time>,
    pub waiting_since: Option<Time>,
    pub discard_at: Option<Time>,
    pub finished_at: Option<Time>,
    pub url: Option<String>,
    /// Scope and hash of its dedup key.
    pub dedup: Option<(String, String)>,
    pub past: Past,
    pub now: Time,
    /// Who has its dedup key; known to verbs that ask for the whole job.
    pub holder: Option<JobId>,
    /// Its ledger; known to verbs that ask for the whole job.
    pub steps: Vec<Step>,
    /// To be written: another payload.
    pub payload: Option<String>,
    /// To be written: what proves that it is done.
    pub result: Option<Receipt>,
    /// To be written: why it is dead.
    pub error: Option<Cause>,
}

impl Standing {
    /// Waits again, until then.
    pub(crate) fn pend(&mut self, at: Time) {
        self.state = State::Pending;
        self.run_at = at;
        (self.check_at, self.waiting_since) = (None, None);
        (self.discard_at, self.finished_at) = (None, None);
        self.checks = 0;
    }

    /// Is over, or dead.
    pub(crate) fn end(&mut self, state: State) {
        self.state = state;
        (self.check_at, self.discard_at) = (None, None);
        self.finished_at = Some(self.now);
        // One that is dead is held again when it is revived.
        self.held_reason = self.held_reason.take().filter(|_| state == State::Dead);
    }

    /// Is looked at again now, with a budget of looks of its own.
    pub(crate) fn look_now(&mut self) {
        self.state = State::InDoubt;
        (self.discard_at, self.finished_at) = (None, None);
        self.checks = 0;
        let (stop, now) = (self.stop, self.now);
        let mut can = false;
        for step in self.steps.iter_mut().filter(|step| step.can_look(stop, now)) {
            can = true;
            (step.view.looks, step.view.check_at) = (0, Some(now));
        }
        self.check_at = if can { Some(now) } else { self.check_at.map(|at| at.min(now)) };
    }

    pub(crate) fn open_steps(&mut self) -> impl Iterator<Item = &mut Step> {
        self.steps.iter_mut().filter(|step| step.is_open())
    }

    /// Until when nobody can say that its open effects did not happen; `None`: that time is over.
    pub(crate) fn quiet_until(&self) -> Option<Time> {
        let open = self.steps.iter().filter(|step| step.is_open());
        open.filter_map(|step| step.view.quiet_until).max().filter(|until| self.now < *until)
    }
}

/// Jobs under their locks, and how those ended that are over.
pub(super) struct Found {
    pub standing: HashMap<JobId, Standing>,
    pub ended: HashMap<JobId, State>,
}

#[derive(Serialize)]
struct DedupItem<'a> {
    scope: &'a str,
    key: &'a str,
}

/// Locks the named jobs. `whole`: with their ledgers and the holders of their dedup keys.
pub(super) async fn find(
    conn: &mut Conn<'_>,
    ids: &[JobId],
    whole: bool,
    now: Option<Time>,
) -> Result<Found> {
    let rows = conn.rows(&JOB_LOCK, vec![items(ids)?.into(), now.into()]).await?;
    let mut standing: HashMap<JobId, Standing> =
        rows.iter().map(|row| read(row).map(|job| (job.id, job))).collect::<Result<_>>()?;
    let over: Vec<JobId> = ids.iter().copied().filter(|id| !standing.contains_key(id)).collect();
    let ended = if over.is_empty() { HashMap::new() } else { ended(conn, &over).await? };
    if whole {
        ledgers(conn, &mut standing).await?;
        holders(conn, &mut standing).await?;
    }
    Ok(Found { standing, ended })
}

async fn ended(conn: &mut Conn<'_>, ids: &[JobId]) -> Result<HashMap<JobId, State>> {
    let rows = conn.rows(&JOB_ENDED, vec![items(ids)?.into()]).await?;
    rows.iter().map(|row| Ok((row.int("id")?, state(row)?))).collect()
}

async fn ledgers(conn: &mut Conn<'_>, standing: &mut HashMap<JobId, Standing>) -> Result<()> {
    let ids: Vec<JobId> = standing.keys().copied().collect();
    for step in doubt::effects(conn, &ids, false).await? {
        if let Some(job) = standing.get_mut(&step.job) {
            job.steps.push(step);
        }
    }
    Ok(())
}

async fn holders(conn: &mut Conn<'_>, standing: &mut HashMap<JobId, Standing>) -> Result<()> {
    let keys: Vec<DedupItem<'_>> = standing
        .values()
        .filter_map(|job| job.dedup.as_ref())
        .map(|(scope, key)| DedupItem { scope, key })
        .collect();
    if keys.is_empty() {
        return Ok(());
    }
    let mut holder = HashMap::new();
    for row in conn.rows(&DEDUP_LOCK, vec![items(&keys)?.into()]).await? {
        holder.insert((row.text("scope")?, row.text("key")?), row.int("job_id")?);
    }
    for job in standing.values_mut() {
        job.holder = job.dedup.as_ref().and_then(|key| holder.get(key).copied());
    }
    Ok(())
}

fn read(row: &Row) -> Result<Standing> {
    Ok(Standing {
        id: row.int("id")?,
        queue: row.text("queue")?,
        kind: row.text("kind")?,
        state: state(row)?,
        held_reason: row.opt_text("held_reason")?,
        run_at: row.time("run_at")?,
        tries: unsigned(row.int("tries")?),
        crashes: unsigned(row.int("crashes")?),
        lone: row.flag("lone")?,
        open: row.int("open")?,
        stop: row.flag("stop")?,
        checks: unsigned(row.int("checks")?),
        check_at: row.opt_time("check_at")?,
        waiting_since: row.opt_time("waiting_since")?,
        discard_at: row.opt_time("discard_at")?,
        finished_at: row.opt_time("finished_at")?,
        url: row.opt_text("url")?,
        dedup: row.opt_text("dedup_scope")?.zip(row.opt_text("dedup_key")?),
        past: if row.flag("restored")? { Past::MaybeSent } else { Past::Known },
        now: row.time("now")?,
        holder: None,
        steps: Vec::new(),
        payload: None,
        result: None,
        error: None,
    })
}
