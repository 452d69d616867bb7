//! Jobs as people see them. Reads only.

mod change;
mod standing;

use std::collections::HashMap;

use onceward_db::{Conn, Result, Row, Sql, Value, sql};

use super::{from_json, items, unsigned};
use crate::{Attempt, Filter, JobError, JobId, JobView, State};

pub(crate) use self::change::{Change, Verb, change};
pub(crate) use self::standing::{Past, Standing};

const JOB_PICK: Sql = sql!("job_pick");
const JOB_PICK_OPEN: Sql = sql!("job_pick_open");
const JOB_PICK_IDS: Sql = sql!("job_pick_ids");
const JOB_ROWS: Sql = sql!("job_rows");
const ATTEMPT_LIST: Sql = sql!("attempt_list");

/// How many attempts are shown of one job.
const ATTEMPT_LIMIT: i64 = 1000;

/// Which way to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// For looking. The only one for jobs that are finished.
    NewestFirst,
    /// For doing.
    OldestFirst,
}

/// The ids of at most `limit` jobs that match, beyond `after`.
pub(crate) async fn pick(
    conn: &mut Conn<'_>,
    filter: &Filter,
    limit: usize,
    after: Option<JobId>,
    order: Order,
) -> Result<Vec<JobId>> {
    let states = filter.wanted();
    let sign: i64 = if order == Order::NewestFirst { -1 } else { 1 };
    let mut args = arguments(filter, &states, limit, after)?;
    let sql = if let Some(ids) = &filter.ids {
        args.extend([sign.into(), items(ids)?.into()]);
        JOB_PICK_IDS
    } else if !states.is_empty() && states.iter().all(|state| !is_over(*state)) {
        args.push(sign.into());
        JOB_PICK_OPEN
    } else {
        JOB_PICK
    };
    conn.rows(&sql, args).await?.iter().map(|row| row.int("id")).collect()
}

fn is_over(state: State) -> bool {
    matches!(state, State::Done | State::Cancelled)
}

fn arguments(filter: &Filter, states: &[State], limit: usize, after: Option<JobId>) -> Result<Vec<Value>> {
    let states = if states.is_empty() { None } else { Some(items(states)?) };
    Ok(vec![
        states.into(),
        filter.queue.as_deref().into(),
        filter.kind.as_deref().into(),
        filter.error.as_deref().into(),
        filter.since.into(),
        filter.search.as_deref().into(),
        filter.held.map(i64::from).into(),
        filter.held_reason.as_deref().into(),
        after.into(),
        i64::try_from(limit).unwrap_or(i64::MAX).into(),
        filter.discarded.map(i64::from).into(),
    ])
}

/// The named jobs in the order of `ids`; one that is not there is left out.
pub(crate) async fn rows(conn: &mut Conn<'_>, ids: &[JobId]) -> Result<Vec<JobView>> {
    let rows = conn.rows(&JOB_ROWS, vec![items(ids)?.into()]).await?;
    let mut found: HashMap<JobId, JobView> =
        rows.iter().map(|row| view(row).map(|job| (job.id, job))).collect::<Result<_>>()?;
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

fn view(row: &Row) -> Result<JobView> {
    Ok(JobView {
        id: row.int("id")?,
        queue: row.text("queue")?,
        kind: row.text("kind")?,
        version: unsigned(row.int("version")?),
        payload: row.text("payload")?,
        state: super::state(row)?,
        held_reason: row.opt_text("held_reason")?,
        run_at: row.time("run_at")?,
        created_at: row.time("created_at")?,
        attempt_count: unsigned(row.int("attempts")?),
        tries: unsigned(row.int("tries")?),
        crashes: unsigned(row.int("crashes")?),
        open: unsigned(row.int("open")?),
        stop: row.flag("stop")?,
        restored: row.flag("restored")?,
        check_at: row.opt_time("check_at")?,
        url: row.opt_text("url")?,
        result: from_json("result", row.opt_text("result")?)?,
        error: JobError::stored(row.opt_text("last_error")?),
        discard_at: row.opt_time("discard_at")?,
        finished_at: row.opt_time("finished_at")?,
        leased_until: row.opt_time("leased_until")?,
        worker: row.opt_text("lease_owner")?,
    })
}

/// The newest attempts of a job, the first of them first.
pub(crate) async fn attempts(conn: &mut Conn<'_>, id: JobId) -> Result<Vec<Attempt>> {
    let rows = conn.rows(&ATTEMPT_LIST, vec![id.into(), ATTEMPT_LIMIT.into()]).await?;
    let attempt = |row: &Row| {
        Ok(Attempt {
            number: unsigned(row.int("number")?),
            purpose: row.text("purpose")?,
            worker: row.opt_text("worker")?,
            started_at: row.opt_time("started_at")?,
            finished_at: row.time("finished_at")?,
            outcome: row.text("outcome")?,
            error: JobError::stored(row.opt_text("error")?),
        })
    };
    rows.iter().map(attempt).collect()
}
