//! The ledger's rows. Each write shares a group commit and ranks with settling.

use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Row, Sql, Time, rank, sql};

use super::lineage::{self, Loss};
use super::{from_json, unsigned};
use crate::Receipt;
use crate::effect::{self, EffectState, Entry, Terms};
use crate::lease::Lease;

const EFFECT_GET: Sql = sql!("effect_get");
const EFFECT_PREPARE: Sql = sql!("effect_prepare");
const EFFECT_OPEN: Sql = sql!("effect_open");
const EFFECT_SENDING: Sql = sql!("effect_sending");
const EFFECT_ANSWER: Sql = sql!("effect_answer");
const EFFECT_FOUND: Sql = sql!("effect_found");
const EFFECT_LOOKED: Sql = sql!("effect_looked");
const EFFECT_WAIT: Sql = sql!("effect_wait");
const EFFECT_GONE: Sql = sql!("effect_gone");
const EFFECT_CLOSE: Sql = sql!("effect_close");

/// The room between the end of a request's deadline and the end of the lease, in microseconds.
const LEASE_MARGIN: i64 = 1_000_000;

/// One step of a job, under a lease.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub lease: Lease,
    pub name: String,
}

/// A write about one step.
#[derive(Debug, Clone)]
pub(crate) enum Write {
    /// Freeze the request, or find what was frozen before.
    Prepare { step: Step, key: String, request: String, hash: String, terms: Terms, closes: bool },
    /// Make the intent durable.
    Begin { step: Step, entry: Box<Entry> },
    /// Write down what a send came to.
    Answer {
        step: Step,
        /// Which send of the step it was, from 1.
        send: u32,
        state: EffectState,
        check_at: Option<Time>,
        receipt: Receipt,
        response: Option<String>,
    },
    /// Write down that a look found it.
    Found { step: Step, receipt: Receipt },
    /// Write down that a look did not find it.
    Looked { step: Step, absent: bool, check_at: Option<Time> },
    /// Write down that nothing can be said of an open effect before then; `None`: by nobody but a person.
    Wait { step: Step, until: Option<Time> },
    /// Write down that an open effect certainly did not happen: it is prepared again, and what was seen is forgotten.
    Gone { step: Step },
}

/// What a [`Write`] gives.
#[derive(Debug, Clone)]
pub(crate) enum Written {
    /// The step as the ledger has it now.
    Entry(Box<Entry>),
    /// The intent is durable; the send must start and end while this much time is left, which is until then.
    Begun {
        left: Duration,
        leased_until: Time,
    },
    Done,
    /// The lease was lost, the job was cancelled, or the row says otherwise: nothing was changed.
    Refused,
}

/// Writes to the ledger.
pub(crate) struct Ledger;

impl Fold for Ledger {
    type Item = Write;
    type Answer = Written;
    const RANK: u8 = rank::SETTLE;

    async fn run(conn: &mut Conn<'_>, writes: &[Write], now: Option<Time>) -> Result<Vec<Written>> {
        let mut out = Vec::with_capacity(writes.len());
        for write in writes {
            out.push(one(conn, write, now).await?);
        }
        Ok(out)
    }
}

async fn one(conn: &mut Conn<'_>, write: &Write, now: Option<Time>) -> Result<Written> {
    match write {
        Write::Prepare { .. } => prepare(conn, write, now).await,
        Write::Begin { step, entry } => begin(conn, step, entry, now).await,
        Write::Gone { step } => gone(conn, step, now).await,
        Write::Answer { .. } => answer(conn, write, now).await,
        Write::Found { step, receipt } => found(conn, step, receipt, now).await,
        Write::Wait { step, until } => {
            let Lease { job, token } = &step.lease;
            let args = vec![(*job).into(), step.name.as_str().into(), token.as_str().into(), (*until).into()];
            Ok(hit(conn.row(&EFFECT_WAIT, args).await?.is_some()))
        }
        Write::Looked { step, absent, check_at } => {
            let args = vec![
                step.lease.job.into(),
                now.into(),
                step.name.as_str().into(),
                step.lease.token.as_str().into(),
                i64::from(*absent).into(),
                (*check_at).into(),
            ];
            Ok(hit(conn.row(&EFFECT_LOOKED, args).await?.is_some()))
        }
    }
}

fn hit(hit: bool) -> Written {
    if hit { Written::Done } else { Written::Refused }
}

async fn prepare(conn: &mut Conn<'_>, write: &Write, now: Option<Time>) -> Result<Written> {
    let Write::Prepare { step, key, request, hash, terms, closes } = write else {
        return Ok(Written::Refused);
    };
    let Some(found) = get(conn, step, now).await? else { return Ok(Written::Refused) };
    // A refused step did not happen: with other bytes it is a new request, with a key of its own.
    let generation = match &found.entry {
        Some(entry) if entry.state == EffectState::Refused && entry.request_hash != *hash => {
            entry.generation + 1
        }
        Some(_) => return known(conn, step, found, now).await,
        None => 1,
    };
    let key = if generation > 1 { format!("{key}-{generation}") } else { key.clone() };
    let args = vec![
        step.lease.job.into(),
        now.into(),
        step.name.as_str().into(),
        step.lease.token.as_str().into(),
        generation.into(),
        json(terms)?.into(),
        key.into(),
        request.as_str().into(),
        hash.as_str().into(),
        (*closes).into(),
    ];
    conn.execute(&EFFECT_PREPARE, args).await?;
    match get(conn, step, now).await? {
        Some(found) => known(conn, step, Found { seen_since: false, ..found }, now).await,
        None => Ok(Written::Refused),
    }
}

/// The step as it is now. One of a restored job may have been sent in the commits that were lost.
async fn known(conn: &mut Conn<'_>, step: &Step, mut found: Found, now: Option<Time>) -> Result<Written> {
    let accepted = found.entry.as_ref().is_some_and(|entry| entry.state == EffectState::Accepted);
    if let Some(loss) = found.loss.filter(|_| !found.seen_since && !accepted) {
        lineage::may_have_been_sent(conn, step, &found, loss, now).await?;
        let Some(opened) = get(conn, step, now).await? else { return Ok(Written::Refused) };
        found = opened;
    }
    Ok(found.entry.map_or(Written::Refused, |entry| Written::Entry(Box::new(entry))))
}

/// A step under a lease that holds.
pub(crate) struct Found {
    /// `None`: it was never prepared.
    pub entry: Option<Entry>,
    /// Its job is from before this loss.
    pub loss: Option<Loss>,
    /// Something was written about it since the loss.
    pub seen_since: bool,
    /// How long the lease is.
    pub lease: Duration,
}

/// `None`: the lease was lost.
async fn get(conn: &mut Conn<'_>, step: &Step, now: Option<Time>) -> Result<Option<Found>> {
    let (name, token) = (step.name.as_str(), step.lease.token.as_str());
    let clocks = super::micros_of(lineage::CLOCKS);
    let args = vec![step.lease.job.into(), now.into(), name.into(), token.into(), clocks.into()];
    conn.row(&EFFECT_GET, args).await?.as_ref().map(under_lease).transpose()
}

fn under_lease(row: &Row) -> Result<Found> {
    let loss = row.opt_time("since")?.zip(row.opt_time("lost_from")?);
    let leased = row.opt_time("leased_until")?.zip(row.opt_time("claimed_at")?);
    Ok(Found {
        entry: row.opt_int("generation")?.map(|_| entry(row)).transpose()?,
        loss: loss.map(|(since, from)| Loss { since, from }),
        seen_since: row.flag("seen_since")?,
        lease: leased.map_or(Duration::ZERO, |(until, at)| until.since(at)),
    })
}

async fn begin(conn: &mut Conn<'_>, step: &Step, entry: &Entry, now: Option<Time>) -> Result<Written> {
    let id = |extra: Vec<onceward_db::Value>| {
        let mut args = vec![
            step.lease.job.into(),
            now.into(),
            step.name.as_str().into(),
            step.lease.token.as_str().into(),
            entry.generation.into(),
        ];
        args.extend(extra);
        args
    };
    let needed = super::micros_of(entry.terms.timeout).saturating_add(LEASE_MARGIN);
    let Some(row) = conn.row(&EFFECT_OPEN, id(vec![needed.into()])).await? else {
        return Ok(Written::Refused);
    };
    let (leased_until, at) = (row.time("leased_until")?, row.time("now")?);
    let (quiet, check) = effect::schedule(entry, at, leased_until);
    if conn.row(&EFFECT_SENDING, id(vec![quiet.into(), check.into()])).await?.is_none() {
        return Err(Error::new(ErrorKind::Other, "an accepted effect was about to be sent again"));
    }
    Ok(Written::Begun { left: leased_until.since(at), leased_until })
}

async fn answer(conn: &mut Conn<'_>, write: &Write, now: Option<Time>) -> Result<Written> {
    let Write::Answer { step, send, state, check_at, receipt, response } = write else {
        return Ok(Written::Refused);
    };
    let args = vec![
        step.lease.job.into(),
        now.into(),
        step.name.as_str().into(),
        step.lease.token.as_str().into(),
        state.as_str().into(),
        (*check_at).into(),
        receipt.id.clone().into(),
        receipt.url.clone().into(),
        response.clone().into(),
        i64::from(*send).into(),
    ];
    let written = conn.row(&EFFECT_ANSWER, args).await?.is_some();
    if written && *state != EffectState::Unknown {
        close(conn, step, now).await?;
    }
    Ok(hit(written))
}

async fn found(conn: &mut Conn<'_>, step: &Step, receipt: &Receipt, now: Option<Time>) -> Result<Written> {
    let args = vec![
        step.lease.job.into(),
        now.into(),
        step.name.as_str().into(),
        step.lease.token.as_str().into(),
        receipt.id.clone().into(),
        receipt.url.clone().into(),
        json(receipt)?.into(),
    ];
    let written = conn.row(&EFFECT_FOUND, args).await?.is_some();
    if written {
        close(conn, step, now).await?;
    }
    Ok(hit(written))
}

async fn gone(conn: &mut Conn<'_>, step: &Step, now: Option<Time>) -> Result<Written> {
    let args =
        vec![step.lease.job.into(), now.into(), step.name.as_str().into(), step.lease.token.as_str().into()];
    let written = conn.row(&EFFECT_GONE, args).await?.is_some();
    if written {
        close(conn, step, now).await?;
    }
    Ok(hit(written))
}

async fn close(conn: &mut Conn<'_>, step: &Step, now: Option<Time>) -> Result<()> {
    conn.row(&EFFECT_CLOSE, vec![step.lease.job.into(), now.into()]).await.map(drop)
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))
}

fn entry(row: &Row) -> Result<Entry> {
    let stored: Option<Receipt> = from_json("response", row.opt_text("response")?).unwrap_or_default();
    Ok(Entry {
        generation: row.int("generation")?,
        terms: from_json("class", Some(row.text("class")?))?
            .ok_or_else(|| Error::new(ErrorKind::Decode, "class is empty"))?,
        key: row.text("key")?,
        request: row.text("request")?,
        request_hash: row.text("request_hash")?,
        state: EffectState::read(&row.text("state")?)?,
        sends: unsigned(row.int("sends")?),
        looks: unsigned(row.int("looks")?),
        absent: unsigned(row.int("absent")?),
        first_sent_at: row.opt_time("first_sent_at")?,
        quiet_until: row.opt_time("quiet_until")?,
        receipt: Receipt {
            id: row.opt_text("remote_id")?,
            url: row.opt_text("remote_url")?,
            detail: stored.map(|receipt| receipt.detail).unwrap_or_default(),
        },
        stop: row.flag("stop")?,
        lost: row.flag("lost")?,
        now: row.time("now")?,
    })
}
