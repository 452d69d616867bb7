//! Writes what was decided about leased jobs, and what follows for their queues.

mod plain;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use onceward_db::{Conn, Fold, Result, Row, Sql, Time, rank, sql};
use serde::Serialize;
use serde_json::value::RawValue;

use super::counters::Deltas;
use super::queues::{self, Signals};
use super::{chosen, from_json, items, micros, unsigned};
use crate::lease::{Claimed, Facts, Lease, Purpose};
use crate::retry::RetryPolicy;
use crate::settle::{Ending, QueueFacts, Settlement, settle};
use crate::{JobId, State, payload};

const SETTLE: Sql = sql!("settle");
const SETTLE_FACTS: Sql = sql!("settle_facts");
const SETTLE_AGAIN: Sql = sql!("settle_again");
const ATTEMPT_INSERT: Sql = sql!("attempt_insert");
const DEDUP_SETTLE: Sql = sql!("dedup_settle");

/// How often a decision is made anew because its facts changed while it was written.
const ROUNDS: usize = 3;

/// An attempt that ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub lease: Lease,
    pub queue: String,
    pub ending: Ending,
    /// The random part of a wait, 0 to 1.
    pub unit: f64,
    /// For a job that brings no policy of its own.
    pub policy: RetryPolicy,
    /// Scope and hash of its dedup key, as the claim knew it.
    pub dedup: Option<(String, String)>,
}

impl Ended {
    pub(crate) fn new(job: &Claimed, ending: Ending, policy: RetryPolicy) -> Self {
        let (lease, queue, dedup) = (job.lease.clone(), job.queue.clone(), job.dedup.clone());
        Self { lease, queue, ending, unit: 0.5, policy, dedup }
    }

    /// Not a failure.
    pub(crate) fn is_fine(&self) -> bool {
        matches!(self.ending, Ending::Returned(Ok(_)))
    }
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    To(State),
    LeaseLost,
}

/// Settles attempts; each is fenced by its lease token.
pub(crate) struct Settle;

impl Fold for Settle {
    /// Shared, since whoever asks keeps it until it is written.
    type Item = Arc<Ended>;
    type Answer = Settled;
    const RANK: u8 = rank::SETTLE;

    async fn run(conn: &mut Conn<'_>, ended: &[Arc<Ended>], now: Option<Time>) -> Result<Vec<Settled>> {
        settle_all(conn, &ended.iter().map(|one| &**one).collect::<Vec<_>>(), now).await
    }
}

/// An attempt with the facts that its decision is made on.
struct Known<'a> {
    ended: &'a Ended,
    facts: Facts,
}

pub(crate) async fn settle_all(
    conn: &mut Conn<'_>,
    ended: &[&Ended],
    now: Option<Time>,
) -> Result<Vec<Settled>> {
    let done = plain::settle(conn, ended, now).await?;
    let rest = ended.iter().zip(&done).filter(|(_, done)| !**done).map(|(one, _)| *one).collect();
    let answers = settle_rest(conn, rest, now).await?;
    let answer = |(one, done): (&&Ended, bool)| {
        if done { Some(Settled::To(State::Done)) } else { answers.get(&one.lease).copied() }
    };
    Ok(ended.iter().zip(done).map(|pair| answer(pair).unwrap_or(Settled::LeaseLost)).collect())
}

/// Those about which something has to be decided.
async fn settle_rest<'a>(
    conn: &mut Conn<'_>,
    mut unknown: Vec<&'a Ended>,
    now: Option<Time>,
) -> Result<HashMap<&'a Lease, Settled>> {
    let mut answers = HashMap::new();
    for _ in 0..ROUNDS {
        if unknown.is_empty() {
            break;
        }
        let known = look(conn, &unknown, now).await?;
        let found: HashSet<&Lease> = known.iter().map(|k| &k.ended.lease).collect();
        let lost: Vec<&Ended> = unknown.into_iter().filter(|one| !found.contains(&one.lease)).collect();
        answers.extend(settled_before(conn, &lost).await?);
        let hit = write(conn, &known, now).await?;
        unknown = known.iter().map(|k| k.ended).filter(|one| !hit.contains_key(&one.lease)).collect();
        answers.extend(hit);
    }
    Ok(answers)
}

async fn look<'a>(conn: &mut Conn<'_>, ended: &[&'a Ended], now: Option<Time>) -> Result<Vec<Known<'a>>> {
    let fences: Vec<Fence<'_>> = ended.iter().map(|one| Fence::of(&one.lease)).collect();
    let rows = conn.rows(&chosen(SETTLE_FACTS), vec![items(&fences)?.into(), now.into()]).await?;
    let mut known = Vec::with_capacity(rows.len());
    for row in &rows {
        let (job, token) = (row.int("id")?, row.text("token")?);
        if let Some(one) = ended.iter().find(|one| one.lease.job == job && one.lease.token == token) {
            known.push(Known { ended: one, facts: facts(row)? });
        }
    }
    Ok(known)
}

fn facts(row: &Row) -> Result<Facts> {
    Ok(Facts {
        tries: unsigned(row.int("tries")?),
        crashes: unsigned(row.int("crashes")?),
        lone: row.flag("lone")?,
        purpose: if row.opt_text("purpose")?.as_deref() == Some("verify") {
            Purpose::Verify
        } else {
            Purpose::Run
        },
        open: row.int("open")?,
        stop: row.flag("stop")?,
        checks: unsigned(row.int("checks")?),
        look_at: row.opt_time("look_at")?,
        policy: from_json("policy", row.opt_text("policy")?)?,
        failed_at: row.opt_time("failed_at")?,
        waiting_since: row.opt_time("waiting_since")?,
        dedup: row.opt_text("dedup_scope")?.zip(row.opt_text("dedup_key")?),
        attempt: unsigned(row.int("attempts")?),
        claimed_at: row.opt_time("claimed_at")?,
        owner: row.opt_text("lease_owner")?,
        now: row.time("now")?,
    })
}

/// Decides and writes; gives the leases that were hit.
async fn write<'a>(
    conn: &mut Conn<'_>,
    known: &[Known<'a>],
    now: Option<Time>,
) -> Result<HashMap<&'a Lease, Settled>> {
    if known.is_empty() {
        return Ok(HashMap::new());
    }
    let names = known.iter().map(|k| k.ended.queue.as_str());
    let queues = queues::facts(conn, names, now).await?;
    let none = QueueFacts::default();
    let decided: Vec<Settlement> = known
        .iter()
        .map(|Known { ended, facts }| {
            let queue = queues.get(&ended.queue).unwrap_or(&none);
            let facts = Facts { policy: facts.policy.or(Some(ended.policy)), ..facts.clone() };
            settle(&facts, &ended.ending, queue, ended.unit)
        })
        .collect();
    let rows: Vec<Item<'_>> =
        known.iter().zip(&decided).map(|(k, settlement)| Item::new(k, settlement)).collect();
    let rows = conn.rows(&chosen(SETTLE), vec![items(&rows)?.into(), now.into()]).await?;
    let hit: HashSet<JobId> = rows.iter().map(|row| row.int("id")).collect::<Result<_>>()?;
    let written: Vec<_> =
        known.iter().zip(&decided).filter(|(k, _)| hit.contains(&k.ended.lease.job)).collect();
    follow_up(conn, &written, now).await?;
    Ok(written.iter().map(|(k, settlement)| (&k.ended.lease, Settled::To(settlement.state))).collect())
}

/// Attempts, figures, dedup keys and queues follow the jobs, in the same transaction.
async fn follow_up(
    conn: &mut Conn<'_>,
    written: &[(&Known<'_>, &Settlement)],
    now: Option<Time>,
) -> Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    // An attempt that ended in `done` stands in its job's row already.
    let failed = written.iter().filter(|(_, settlement)| settlement.state != State::Done);
    let attempts: Vec<AttemptItem<'_>> = failed.map(|(k, s)| AttemptItem::new(k, s)).collect();
    if !attempts.is_empty() {
        conn.execute(&ATTEMPT_INSERT, vec![items(&attempts)?.into(), now.into()]).await?;
    }
    let keys: Vec<DedupItem<'_>> = written.iter().filter_map(|(k, s)| DedupItem::new(k, s)).collect();
    if !keys.is_empty() {
        conn.execute(&DEDUP_SETTLE, vec![items(&keys)?.into(), now.into()]).await?;
    }
    let (mut deltas, mut signals) = (Deltas::default(), BTreeMap::<&str, Signals>::new());
    for (Known { ended, .. }, settlement) in written {
        deltas.moved(&ended.queue, State::Running, settlement.state);
        deltas.add(&ended.queue, queues::figure(settlement.outcome), 1);
        let said = settlement.signals();
        if !said.is_empty() {
            signals.entry(&ended.queue).or_default().extend(said);
        }
    }
    deltas.write(conn).await?;
    queues::apply(conn, signals, now).await
}

async fn settled_before<'a>(conn: &mut Conn<'_>, lost: &[&'a Ended]) -> Result<HashMap<&'a Lease, Settled>> {
    if lost.is_empty() {
        return Ok(HashMap::new());
    }
    let fences: Vec<Fence<'_>> = lost.iter().map(|one| Fence::of(&one.lease)).collect();
    let mut out = HashMap::new();
    for row in conn.rows(&SETTLE_AGAIN, vec![items(&fences)?.into()]).await? {
        let (job, token) = (row.int("id")?, row.text("token")?);
        let state = super::state(&row)?;
        if let Some(one) = lost.iter().find(|one| one.lease.job == job && one.lease.token == token) {
            out.insert(&one.lease, Settled::To(state));
        }
    }
    Ok(out)
}

#[derive(Serialize)]
struct Fence<'a> {
    id: i64,
    token: &'a str,
}

impl<'a> Fence<'a> {
    fn of(lease: &'a Lease) -> Self {
        Self { id: lease.job, token: &lease.token }
    }
}

#[derive(Serialize)]
struct Item<'a> {
    id: i64,
    token: &'a str,
    state: &'static str,
    run_at: Option<i64>,
    tries: u32,
    crashes: u32,
    lone: u8,
    checks: u32,
    check_at: Option<i64>,
    waiting_since: Option<i64>,
    failed: bool,
    expired: bool,
    error: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    url: Option<&'a str>,
    was_open: i64,
    was_stop: u8,
}

impl<'a> Item<'a> {
    fn new(known: &'a Known<'_>, settlement: &'a Settlement) -> Self {
        let Known { ended, facts } = known;
        Self {
            id: ended.lease.job,
            token: &ended.lease.token,
            state: settlement.state.as_str(),
            run_at: micros(settlement.run_at),
            tries: settlement.tries,
            crashes: settlement.crashes,
            lone: u8::from(settlement.lone),
            checks: settlement.checks,
            check_at: micros(settlement.check_at),
            waiting_since: micros(settlement.waiting_since),
            failed: settlement.failure.is_some(),
            expired: matches!(ended.ending, Ending::Expired),
            error: failed(settlement),
            result: result_json(settlement),
            url: settlement.receipt.as_ref().and_then(|receipt| receipt.url.as_deref()),
            was_open: facts.open,
            was_stop: u8::from(facts.stop),
        }
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    class: &'static str,
    #[serde(flatten)]
    cause: &'a crate::Cause,
}

/// An error as the store keeps it. It always serializes: texts and numbers only.
pub(in crate::store) fn error_json(class: &'static str, cause: &crate::Cause) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(&ErrorJson { class, cause }).ok()
}

fn failed(settlement: &Settlement) -> Option<Box<RawValue>> {
    let (class, cause) = settlement.failure.as_ref()?;
    error_json(class, cause)
}

/// A receipt that is too large keeps its id and address: acceptance is never undone by book-keeping.
fn result_json(settlement: &Settlement) -> Option<Box<RawValue>> {
    let receipt = settlement.receipt.as_ref()?;
    let json = serde_json::value::to_raw_value(receipt).ok()?;
    if json.get().len() <= payload::RESULT_LIMIT && !json.get().contains("\\u0000") {
        return Some(json);
    }
    let short = crate::Receipt {
        detail: serde_json::json!("left out: larger than 64 KiB, or U+0000 in it"),
        ..receipt.clone()
    };
    serde_json::value::to_raw_value(&short).ok()
}

#[derive(Serialize)]
struct AttemptItem<'a> {
    id: i64,
    number: u32,
    purpose: &'static str,
    worker: Option<&'a str>,
    started_at: Option<i64>,
    outcome: &'static str,
    error: Option<Box<RawValue>>,
}

impl<'a> AttemptItem<'a> {
    fn new(known: &'a Known<'_>, settlement: &Settlement) -> Self {
        let Known { ended, facts } = known;
        Self {
            id: ended.lease.job,
            number: facts.attempt,
            purpose: facts.purpose.as_str(),
            worker: facts.owner.as_deref(),
            started_at: micros(facts.claimed_at),
            outcome: settlement.outcome,
            error: failed(settlement),
        }
    }
}

#[derive(Serialize)]
struct DedupItem<'a> {
    scope: &'a str,
    key: &'a str,
    id: i64,
    state: &'static str,
    url: Option<&'a str>,
}

impl<'a> DedupItem<'a> {
    fn new(known: &'a Known<'_>, settlement: &'a Settlement) -> Option<Self> {
        let (scope, key) = known.facts.dedup.as_ref()?;
        let url = settlement.receipt.as_ref().and_then(|receipt| receipt.url.as_deref());
        Some(Self { scope, key, id: known.ended.lease.job, state: settlement.state.as_str(), url })
    }

    fn done(ended: &'a Ended) -> Option<Self> {
        let (scope, key) = ended.dedup.as_ref()?;
        Some(Self { scope, key, id: ended.lease.job, state: State::Done.as_str(), url: None })
    }
}
