//! New jobs. Only inserts, so that it fits into anybody's transaction.

mod edit;
mod messages;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Sql, Time, rank, sql};
use serde::Serialize;
use serde_json::value::RawValue;

use super::counters::Deltas;
use super::lineage::{self, Stands};
use super::settle::error_json;
use super::{chosen, items, micros, micros_of};
use crate::job::{Dedup, Enqueued, JobId, NewJob, OnChange, State};
use crate::payload;

const JOB_IDS: Sql = sql!("job_ids");
const DEDUP_TAKE: Sql = sql!("dedup_take");
const DEDUP_HOLDER: Sql = sql!("dedup_holder");
const DEDUP_PAYLOAD: Sql = sql!("dedup_payload");
const JOB_INSERT: Sql = sql!("job_insert");
const JOB_BURY: Sql = sql!("job_bury");

/// Dedup keys that the application gives.
pub(crate) const SCOPE_JOB: &str = "job";
/// Messages of outboxes and brokers.
const SCOPE_MESSAGE: &str = "message";

/// A job that has passed every check.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    job: NewJob,
    payload: String,
    hash: Option<String>,
    key: Option<String>,
    message: Option<MessageKey>,
}

/// The message that an entry is made from.
#[derive(Debug, Clone)]
struct MessageKey {
    key: String,
    hash: String,
    horizon: Duration,
}

/// What became of an [`Entry`]; a conflict is an answer here, since it must not end the caller's transaction.
#[derive(Debug, Clone)]
pub(crate) enum Entered {
    As(Enqueued),
    /// Its dedup key has a job with another payload.
    Conflict {
        existing: JobId,
    },
    /// Its message has the id of another one.
    OtherMessage {
        existing: JobId,
    },
    /// One before it of its ordering key was not made.
    Behind,
}

impl Entered {
    /// The job of somebody else that stands in its way.
    fn existing(&self) -> Option<JobId> {
        match self {
            Self::As(Enqueued::Skipped { existing, .. })
            | Self::Conflict { existing }
            | Self::OtherMessage { existing } => Some(*existing),
            Self::As(Enqueued::New(_) | Enqueued::Updated(_)) | Self::Behind => None,
        }
    }
}

impl Entry {
    pub(crate) fn new(job: NewJob) -> std::result::Result<Self, crate::Error> {
        let payload = job.checked()?.to_owned();
        let hash = job.dedup.as_ref().map(|_| payload::hash(&job.kind, &payload)).transpose()?;
        let key = job.dedup.as_ref().map(|(key, _)| payload::key_hash(key));
        let message = job.message.as_ref().map(|it| MessageKey {
            key: payload::key_hash(&it.id),
            hash: it
                .hash
                .clone()
                .unwrap_or_else(|| payload::message_hash(&job.queue, &job.kind, payload.as_bytes())),
            horizon: it.horizon,
        });
        Ok(Self { job, payload, hash, key, message })
    }

    /// What is dead from the start is settled, so a key that counts until then counts for nobody after it.
    fn keeps_nobody_out(&self) -> bool {
        self.job.dead.is_some() && matches!(self.job.dedup, Some((_, Dedup::UntilSettled)))
    }
}

/// Enqueues entries, each once per dedup key.
pub(crate) struct Enqueue;

impl Fold for Enqueue {
    type Item = Entry;
    type Answer = Entered;
    const RANK: u8 = rank::ENQUEUE;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, entries: &[Entry], now: Option<Time>) -> Result<Vec<Entered>> {
        enqueue(conn, entries, now).await
    }
}

/// Who has a key after it was taken.
struct Holder {
    job: JobId,
    hash: String,
}

pub(crate) async fn enqueue(
    conn: &mut Conn<'_>,
    entries: &[Entry],
    now: Option<Time>,
) -> Result<Vec<Entered>> {
    let mut answers: Vec<Option<Entered>> = vec![None; entries.len()];
    loop {
        let open: Vec<usize> = (0..entries.len()).filter(|at| answers[*at].is_none()).collect();
        if open.is_empty() {
            return Ok(answers.into_iter().flatten().collect());
        }
        let some: Vec<&Entry> = open.iter().map(|at| &entries[*at]).collect();
        for (at, answer) in open.into_iter().zip(round(conn, &some, now).await?) {
            answers[at] = answer;
        }
    }
}

/// An answer for each, the first at least. None for what shares its message with one that was not made after all: it may
/// be made itself.
async fn round(conn: &mut Conn<'_>, entries: &[&Entry], now: Option<Time>) -> Result<Vec<Option<Entered>>> {
    let ids = fresh_ids(conn, entries.len()).await?;
    let mut answers = messages::known(conn, entries, &ids, now).await?;
    messages::hold_back(entries, &ids, &mut answers);
    let wanted = keys_wanted(entries, &ids, &answers);
    let holders = take_keys(conn, wanted, now).await?;
    let held = |entry: &Entry| entry.key.as_ref().and_then(|key| holders.get(key));
    let places: HashMap<JobId, usize> = ids.iter().copied().zip(0..).collect();
    let (mut fresh, mut stands, mut deltas) = (Vec::new(), Vec::new(), Deltas::default());
    for (at, ((entry, id), answer)) in entries.iter().zip(&ids).zip(&mut answers).enumerate() {
        let of = held(entry).map_or(Some(at), |holder| places.get(&holder.job).copied());
        let made = of.is_some_and(|of| of == at || entry.keeps_nobody_out() && at < of);
        if answer.is_none() && made {
            fresh.push(JobItem::new(*id, entry));
            stands.extend(entry.job.stands_for.map(|at| Stands { id: *id, at: at.micros() }));
            *answer = Some(Entered::As(Enqueued::New(*id)));
        }
    }
    insert(conn, &fresh, now, &mut deltas).await?;
    lineage::add(conn, &stands).await?;
    for (entry, answer) in entries.iter().zip(&mut answers) {
        if let (None, Some(holder)) = (&answer, held(entry)) {
            *answer = Some(again(conn, entry, holder, &mut deltas).await?);
        }
    }
    deltas.write(conn).await?;
    let unmade = messages::let_go(conn, entries, &ids, &answers).await?;
    let holds = |it: &Entered| it.existing().is_none_or(|id| !unmade.contains(&id));
    Ok(answers.into_iter().map(|answer| answer.filter(holds)).collect())
}

/// Each dedup key for the first that keeps others out by it; where none does, for the last.
fn keys_wanted<'a>(entries: &[&'a Entry], ids: &[JobId], answers: &[Option<Entered>]) -> Vec<KeyItem<'a>> {
    let open = entries.iter().zip(ids).zip(answers).filter(|(_, answer)| answer.is_none());
    let (passing, keeping): (Vec<_>, Vec<_>) =
        open.map(|(it, _)| it).partition(|(entry, _)| entry.keeps_nobody_out());
    keeping
        .into_iter()
        .chain(passing.into_iter().rev())
        .filter_map(|(entry, id)| KeyItem::of_job(*id, entry))
        .collect()
}

/// What became of the job that has a key.
async fn ended(conn: &mut Conn<'_>, scope: &'static str, key: &str) -> Result<(State, Option<String>)> {
    let row = conn.row(&DEDUP_HOLDER, vec![scope.into(), key.into()]).await?;
    let row = row.ok_or_else(|| Error::new(ErrorKind::Other, "a dedup key vanished"))?;
    Ok((super::state(&row)?, row.opt_text("url")?))
}

async fn fresh_ids(conn: &mut Conn<'_>, count: usize) -> Result<Vec<JobId>> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut ids = Vec::new();
    for range in conn.rows(&JOB_IDS, vec![count.into()]).await? {
        let first = range.int("id")?;
        ids.extend(first..first + range.int("n")?);
    }
    Ok(ids)
}

/// Takes each key for the first that names it; two of one call share it like any two others.
async fn take_keys(
    conn: &mut Conn<'_>,
    mut keys: Vec<KeyItem<'_>>,
    now: Option<Time>,
) -> Result<HashMap<String, Holder>> {
    let mut named = HashSet::new();
    keys.retain(|item| named.insert(item.key));
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = conn.rows(&chosen(DEDUP_TAKE), vec![items(&keys)?.into(), now.into()]).await?;
    let holder = |row: &onceward_db::Row| {
        Ok((row.text("key")?, Holder { job: row.int("job_id")?, hash: row.text("payload_hash")? }))
    };
    rows.iter().map(holder).collect()
}

async fn insert(
    conn: &mut Conn<'_>,
    fresh: &[JobItem<'_>],
    now: Option<Time>,
    deltas: &mut Deltas,
) -> Result<()> {
    if !fresh.is_empty() {
        conn.execute(&JOB_INSERT, vec![items(fresh)?.into(), now.into()]).await?;
    }
    let dead: Vec<Grave> = fresh.iter().filter_map(Grave::of).collect();
    if !dead.is_empty() {
        conn.execute(&chosen(JOB_BURY), vec![items(&dead)?.into(), now.into()]).await?;
    }
    for item in fresh {
        let state = if item.error.is_some() { State::Dead } else { State::Pending };
        deltas.add(item.queue, state.as_str(), 1);
    }
    Ok(())
}

/// The key has a job already: change it in place if that is wanted and still possible, else leave it.
async fn again(conn: &mut Conn<'_>, entry: &Entry, holder: &Holder, deltas: &mut Deltas) -> Result<Entered> {
    let key = entry.key.as_deref().unwrap_or_default();
    let changed = entry.hash.as_deref() != Some(holder.hash.as_str());
    if changed && entry.job.on_change == OnChange::Conflict {
        return Ok(Entered::Conflict { existing: holder.job });
    }
    if changed && edit::update(conn, entry, holder.job).await? {
        let args = vec![SCOPE_JOB.into(), key.into(), entry.hash.clone().into()];
        conn.execute(&DEDUP_PAYLOAD, args).await?;
        return Ok(Entered::As(Enqueued::Updated(holder.job)));
    }
    deltas.add(&entry.job.queue, "skipped", 1);
    let (state, url) = ended(conn, SCOPE_JOB, key).await?;
    Ok(Entered::As(Enqueued::Skipped { existing: holder.job, state, changed, url }))
}

#[derive(Serialize)]
struct KeyItem<'a> {
    scope: &'static str,
    key: &'a str,
    id: JobId,
    payload_hash: &'a str,
    expires_in: Option<i64>,
    until_settled: u8,
}

impl<'a> KeyItem<'a> {
    fn of_message(id: JobId, entry: &'a Entry) -> Option<Self> {
        let message = entry.message.as_ref()?;
        Some(Self {
            scope: SCOPE_MESSAGE,
            key: &message.key,
            id,
            payload_hash: &message.hash,
            expires_in: Some(micros_of(message.horizon)),
            until_settled: 0,
        })
    }

    fn of_job(id: JobId, entry: &'a Entry) -> Option<Self> {
        let (_, held) = entry.job.dedup.as_ref()?;
        let expires_in = match held {
            Dedup::For(time) => Some(micros_of(*time)),
            Dedup::UntilSettled => entry.keeps_nobody_out().then_some(0),
            Dedup::Forever => None,
        };
        Some(Self {
            scope: SCOPE_JOB,
            key: entry.key.as_deref()?,
            id,
            payload_hash: entry.hash.as_deref()?,
            expires_in,
            until_settled: u8::from(*held == Dedup::UntilSettled),
        })
    }
}

#[derive(Serialize)]
struct JobItem<'a> {
    id: JobId,
    queue: &'a str,
    kind: &'a str,
    version: u32,
    payload: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip)]
    error: Option<&'a crate::Cause>,
}

/// Why a job is dead from the start.
#[derive(Serialize)]
struct Grave {
    id: JobId,
    error: Box<RawValue>,
}

impl Grave {
    fn of(item: &JobItem<'_>) -> Option<Self> {
        Some(Self { id: item.id, error: error_json("permanent", item.error?)? })
    }
}

impl<'a> JobItem<'a> {
    fn new(id: JobId, entry: &'a Entry) -> Self {
        let job = &entry.job;
        Self {
            id,
            queue: &job.queue,
            kind: &job.kind,
            version: job.version,
            payload: &entry.payload,
            held_reason: job.held.as_deref(),
            run_at: micros(job.run_at),
            delay: job.delay.map(micros_of),
            // A policy always serializes: numbers and durations only.
            policy: job.policy.and_then(|policy| serde_json::to_string(&policy).ok()),
            scope: entry.key.as_ref().map(|_| SCOPE_JOB),
            key: entry.key.as_deref(),
            error: job.dead.as_ref(),
        }
    }
}
