//! What people do to jobs: locked, decided by a pure function, written in one transaction.

use std::collections::HashMap;
use std::marker::PhantomData;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Sql, Time, rank, sql};
use serde::Serialize;

use super::standing::{Past, Standing, find};
use crate::store::counters::Deltas;
use crate::store::settle::error_json;
use crate::store::{doubt, items, lineage, micros};
use crate::{JobId, Left, State, payload};

const JOB_CHANGE: Sql = sql!("job_change");
const DEDUP_FOLLOW: Sql = sql!("dedup_follow");

/// Something that a person does to a job.
pub(crate) trait Verb: Send + Sync + 'static {
    /// What it gives where it was done.
    type Good: Send + 'static;
    /// The states it acts on.
    const FROM: &'static [State];
    /// Whether it must know the job's ledger and the holder of its dedup key.
    const WHOLE: bool = false;
    /// Whether another time is a person's word: who gives it now may have done so in commits that were lost.
    const A_PERSON_MOVES: bool = true;

    /// Decides. Pure: changes `job`, or says why not; then the changes are forgotten.
    fn decide(&self, job: &mut Standing) -> std::result::Result<Self::Good, Left>;

    /// Whether the decision is only shown, not written.
    fn dry_run(&self) -> bool {
        false
    }
}

/// Does a verb to jobs.
pub(crate) struct Change<V>(PhantomData<V>);

impl<V: Verb> Fold for Change<V> {
    type Item = (JobId, V);
    type Answer = std::result::Result<V::Good, Left>;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, items: &[(JobId, V)], now: Option<Time>) -> Result<Vec<Self::Answer>> {
        change(conn, items, now).await
    }
}

/// Does a verb to jobs; several to one job follow each other.
pub(crate) async fn change<V: Verb>(
    conn: &mut Conn<'_>,
    asked: &[(JobId, V)],
    now: Option<Time>,
) -> Result<Vec<std::result::Result<V::Good, Left>>> {
    let ids: Vec<JobId> = asked.iter().map(|(id, _)| *id).collect();
    let found = find(conn, &ids, V::WHOLE, now).await?;
    let mut after = found.standing.clone();
    let mut answers = Vec::with_capacity(asked.len());
    for (id, verb) in asked {
        answers.push(match (after.get_mut(id), found.ended.get(id)) {
            (Some(job), _) => one(verb, job),
            (None, Some(state)) => Err(Left::state(*id, *V::FROM.first().unwrap_or(&State::Pending), *state)),
            (None, None) => Err(Left::not_found(*id)),
        });
    }
    write::<V>(conn, &found.standing, &after, now).await?;
    Ok(answers)
}

fn one<V: Verb>(verb: &V, job: &mut Standing) -> std::result::Result<V::Good, Left> {
    let mut trial = job.clone();
    let answer = verb.decide(&mut trial);
    if answer.is_ok() && !verb.dry_run() {
        *job = trial;
    }
    answer
}

async fn write<V: Verb>(
    conn: &mut Conn<'_>,
    before: &HashMap<JobId, Standing>,
    after: &HashMap<JobId, Standing>,
    now: Option<Time>,
) -> Result<()> {
    let pairs = after.iter().filter_map(|(id, job)| before.get(id).map(|was| (was, job)));
    let changed: Vec<(&Standing, &Standing)> = pairs.filter(|(was, job)| was != job).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let steps = changed.iter().flat_map(|(was, job)| was.steps.iter().zip(&job.steps));
    let steps: Vec<_> = steps.filter(|(was, step)| was != step).collect();
    doubt::write(conn, &steps, now).await?;
    let rows: Vec<Item<'_>> = changed.iter().map(|(was, job)| item(was, job)).collect();
    let hit = conn.rows(&JOB_CHANGE, vec![items(&rows)?.into()]).await?;
    if hit.len() != rows.len() {
        return Err(Error::new(ErrorKind::Busy, "a job changed while a person decided about it"));
    }
    follow_up::<V>(conn, &changed, now).await
}

/// Dedup keys, figures, and notes of what may have been sent in lost commits follow the jobs.
async fn follow_up<V: Verb>(
    conn: &mut Conn<'_>,
    changed: &[(&Standing, &Standing)],
    now: Option<Time>,
) -> Result<()> {
    let keys = changed.iter().filter(|(was, job)| was.state != job.state || job.payload.is_some());
    let keys: Vec<DedupItem<'_>> = keys.filter_map(|(_, job)| key(job)).collect();
    if !keys.is_empty() {
        conn.execute(&DEDUP_FOLLOW, vec![items(&keys)?.into(), now.into()]).await?;
    }
    let moved = |(was, job): &&(&Standing, &Standing)| {
        V::A_PERSON_MOVES
            && was.state == State::Pending
            && job.state == State::Pending
            && was.run_at != job.run_at
    };
    lineage::moved(conn, &ids(changed.iter().filter(moved))).await?;
    lineage::forget(conn, &ids(changed.iter().filter(|(_, job)| job.past == Past::AnsweredFor))).await?;
    let mut deltas = Deltas::default();
    for (was, job) in changed {
        deltas.moved(&job.queue, was.state, job.state);
    }
    deltas.write(conn).await
}

fn ids<'a>(changed: impl Iterator<Item = &'a (&'a Standing, &'a Standing)>) -> Vec<JobId> {
    changed.map(|(_, job)| job.id).collect()
}

#[derive(Serialize)]
struct Item<'a> {
    id: JobId,
    was: &'static str,
    state: &'static str,
    payload: Option<&'a str>,
    held_reason: Option<&'a str>,
    run_at: i64,
    tries: u32,
    crashes: u32,
    lone: u8,
    open: i64,
    stop: u8,
    checks: u32,
    check_at: Option<i64>,
    waiting_since: Option<i64>,
    discard_at: Option<i64>,
    finished_at: Option<i64>,
    url: Option<&'a str>,
    result: Option<String>,
    error_class: Option<&'static str>,
    error_code: Option<&'a str>,
    error: Option<String>,
}

fn item<'a>(was: &Standing, job: &'a Standing) -> Item<'a> {
    Item {
        id: job.id,
        was: was.state.as_str(),
        state: job.state.as_str(),
        payload: job.payload.as_deref(),
        held_reason: job.held_reason.as_deref(),
        run_at: job.run_at.micros(),
        tries: job.tries,
        crashes: job.crashes,
        lone: u8::from(job.lone),
        open: job.open,
        stop: u8::from(job.stop),
        checks: job.checks,
        check_at: micros(job.check_at),
        waiting_since: micros(job.waiting_since),
        discard_at: micros(job.discard_at),
        finished_at: micros(job.finished_at),
        url: job.url.as_deref(),
        // Receipts and causes always serialize: texts and numbers only.
        result: job.result.as_ref().and_then(|receipt| serde_json::to_string(receipt).ok()),
        error_class: job.error.as_ref().map(|_| "permanent"),
        error_code: job.error.as_ref().map(|cause| cause.code.as_ref()),
        error: job
            .error
            .as_ref()
            .and_then(|cause| error_json("permanent", cause))
            .map(|json| json.get().to_owned()),
    }
}

#[derive(Serialize)]
struct DedupItem<'a> {
    scope: &'a str,
    key: &'a str,
    id: JobId,
    state: &'static str,
    url: Option<&'a str>,
    payload_hash: Option<String>,
}

fn key(job: &Standing) -> Option<DedupItem<'_>> {
    let (scope, key) = job.dedup.as_ref()?;
    let payload_hash = job.payload.as_deref().and_then(|json| payload::hash(&job.kind, json).ok());
    Some(DedupItem {
        scope,
        key,
        id: job.id,
        state: job.state.as_str(),
        url: job.url.as_deref(),
        payload_hash,
    })
}
