//! The outbox's rows: written by applications, handed over by relays.

use std::time::Duration;

use onceward_db::{Conn, Database, Error, Fold, Result, Row, Sql, Time, rank, sql};
use serde::Serialize;

use super::{from_json, items, micros, micros_of, unsigned};
use crate::Cause;
use crate::outbox::{Lag, Message, NewRow, RefusedRow, TargetView};

const OUTBOX_INSERT: Sql = sql!("outbox_insert");
const OUTBOX_CLAIM: Sql = sql!("outbox_claim");
const OUTBOX_SENT: Sql = sql!("outbox_sent");
const OUTBOX_KEPT: Sql = sql!("outbox_kept");
const OUTBOX_TARGET_PUT: Sql = sql!("outbox_target_put");
const OUTBOX_TARGETS: Sql = sql!("outbox_targets");
const OUTBOX_LAG: Sql = sql!("outbox_lag");
const OUTBOX_REFUSED: Sql = sql!("outbox_refused");
const OUTBOX_AGAIN: Sql = sql!("outbox_again");
const OUTBOX_REPLAY: Sql = sql!("outbox_replay");
const OUTBOX_SKIP: Sql = sql!("outbox_skip");
const OUTBOX_DROP: Sql = sql!("outbox_drop");
const OUTBOX_REPLAYABLE: Sql = sql!("outbox_replayable");
const OUTBOX_OWNERS: Sql = sql!("outbox_owners");
const OUTBOX_BACK: Sql = sql!("outbox_back");

#[derive(Serialize)]
struct RowItem<'a> {
    message_id: Option<&'a str>,
    queue: &'a str,
    kind: &'a str,
    version: u32,
    payload: &'a str,
    dedup_key: Option<&'a str>,
    dedup_for: Option<u64>,
    ordering_key: Option<&'a str>,
    headers: Option<String>,
    run_at: Option<i64>,
}

/// Inserts rows; nothing else, so that it fits into anybody's transaction.
pub(crate) async fn insert(conn: &mut Conn<'_>, rows: &[NewRow], now: Option<Time>) -> Result<()> {
    let rows: Vec<RowItem<'_>> = rows.iter().map(RowItem::from).collect();
    conn.execute(&OUTBOX_INSERT, vec![items(&rows)?.into(), now.into()]).await.map(drop)
}

impl<'a> From<&'a NewRow> for RowItem<'a> {
    fn from(row: &'a NewRow) -> Self {
        Self {
            message_id: row.message_id.as_deref(),
            queue: &row.queue,
            kind: &row.kind,
            version: row.version,
            payload: &row.payload,
            dedup_key: row.dedup_key.as_deref(),
            dedup_for: row.dedup_for.map(|time| time.as_secs()),
            ordering_key: row.ordering_key.as_deref(),
            // A map of texts always serializes.
            headers: (!row.headers.is_empty())
                .then(|| serde_json::to_string(&row.headers).unwrap_or_default()),
            run_at: micros(row.run_at),
        }
    }
}

/// Adds rows in a transaction of its own.
pub(crate) struct Insert;

impl Fold for Insert {
    type Item = NewRow;
    type Answer = ();
    const RANK: u8 = rank::ENQUEUE;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, rows: &[NewRow], now: Option<Time>) -> Result<Vec<()>> {
        insert(conn, rows, now).await?;
        Ok(vec![(); rows.len()])
    }
}

/// What a relay asks for.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub token: String,
    pub limit: usize,
    /// For how long nobody else claims what this claim got.
    pub lease: Duration,
}

/// A row as it was claimed.
#[derive(Debug, Clone)]
pub(crate) struct Claimed {
    pub message: Message,
    /// What of it cannot be read as it stands; in the message it is only made up for.
    pub wrong: Option<String>,
}

pub(crate) struct Claim;

impl Fold for Claim {
    type Item = Ask;
    type Answer = Vec<Claimed>;
    const RANK: u8 = rank::CLAIM;

    async fn run(conn: &mut Conn<'_>, asks: &[Ask], now: Option<Time>) -> Result<Vec<Vec<Claimed>>> {
        let mut out = Vec::with_capacity(asks.len());
        for ask in asks {
            let limit = i64::try_from(ask.limit).unwrap_or(i64::MAX);
            let args = vec![limit.into(), now.into(), ask.token.as_str().into(), micros_of(ask.lease).into()];
            let rows = conn.rows(&OUTBOX_CLAIM, args).await?;
            let mut claimed = rows.iter().map(claimed).collect::<Result<Vec<_>>>()?;
            claimed.sort_unstable_by_key(|row| row.message.id);
            out.push(claimed);
        }
        Ok(out)
    }
}

/// Whatever an application wrote, its row can be claimed: one that cannot be read must not hold up the others.
fn claimed(row: &Row) -> Result<Claimed> {
    let mut wrong = Vec::new();
    let mut text = |column: &'static str| {
        Ok::<_, Error>(row.opt_written(column)?.map(|written| {
            written.unwrap_or_else(|lossy| {
                wrong.push(format!("{column} is no UTF-8"));
                lossy
            })
        }))
    };
    let (message_id, queue, kind) = (text("message_id")?, text("queue")?, text("kind")?);
    let (payload, dedup_key) = (text("payload")?, text("dedup_key")?);
    let (ordering_key, headers) = (text("ordering_key")?, text("headers")?);
    let version = u32::try_from(row.int("version")?);
    let dedup_for = row.opt_int("dedup_for")?.map(u64::try_from).transpose();
    wrong.extend(version.is_err().then(|| "version is no number from 0 to 4294967295".to_owned()));
    wrong.extend(dedup_for.is_err().then(|| "dedup_for is less than nothing".to_owned()));
    let message = Message {
        id: row.int("id")?,
        message_id: message_id.unwrap_or_default(),
        queue: queue.unwrap_or_default(),
        kind: kind.unwrap_or_default(),
        version: version.unwrap_or_default(),
        payload: payload.unwrap_or_default(),
        dedup_key,
        dedup_for: dedup_for.unwrap_or_default().map(Duration::from_secs),
        ordering_key,
        headers,
        run_at: row.opt_time("run_at")?,
        created_at: row.time("created_at")?,
        tries: unsigned(row.int("tries")?),
    };
    Ok(Claimed { message, wrong: (!wrong.is_empty()).then(|| wrong.join("; ")) })
}

/// How a claim ended, all of it written together.
#[derive(Debug, Clone)]
pub(crate) struct Ending {
    pub token: String,
    pub target: String,
    pub sent: Vec<i64>,
    pub kept: Vec<Kept>,
    /// The target as a whole was away, or some row failed.
    pub failed: Option<Cause>,
}

/// A row that was not handed over.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Kept {
    pub id: i64,
    /// `refused` or `waiting`.
    pub state: &'static str,
    pub error: Option<String>,
    pub tried: u8,
    /// Microseconds until it is tried again.
    pub pause: i64,
}

pub(crate) struct End;

impl Fold for End {
    type Item = Ending;
    /// How many rows the claim still held.
    type Answer = usize;
    const RANK: u8 = rank::SETTLE;

    async fn run(conn: &mut Conn<'_>, endings: &[Ending], now: Option<Time>) -> Result<Vec<usize>> {
        let mut out = Vec::with_capacity(endings.len());
        for ending in endings {
            out.push(end(conn, ending, now).await?);
        }
        Ok(out)
    }
}

async fn end(conn: &mut Conn<'_>, ending: &Ending, now: Option<Time>) -> Result<usize> {
    let token = || ending.token.as_str().into();
    let mut held = 0;
    if !ending.sent.is_empty() {
        held += conn.rows(&OUTBOX_SENT, vec![items(&ending.sent)?.into(), now.into(), token()]).await?.len();
    }
    if !ending.kept.is_empty() {
        held += conn.rows(&OUTBOX_KEPT, vec![items(&ending.kept)?.into(), now.into(), token()]).await?.len();
    }
    let error = ending.failed.as_ref().map(to_json).transpose()?;
    conn.execute(&OUTBOX_TARGET_PUT, vec![ending.target.as_str().into(), now.into(), error.into()]).await?;
    Ok(held)
}

fn to_json(cause: &Cause) -> Result<String> {
    serde_json::to_string(cause).map_err(|e| Error::new(onceward_db::ErrorKind::Decode, e.to_string()))
}

/// What a person, or housekeeping, asks of rows by the hundred.
#[derive(Debug, Clone)]
pub(crate) enum Order {
    /// Hand these refused rows over again.
    Again { ids: Vec<i64> },
    /// Hand all over again that were sent in this time, at most so many.
    Replay { since: Time, before: Time, limit: usize },
    /// Give these refused rows up.
    Skip { ids: Vec<i64> },
    /// Forget what was handed over before this time, at most so many.
    Drop { before: Time, limit: usize },
    /// Take back what these owners had claimed, who are gone.
    Back { gone: Vec<String> },
}

pub(crate) struct Orders;

impl Fold for Orders {
    type Item = Order;
    /// The rows that were changed.
    type Answer = Vec<i64>;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, orders: &[Order], now: Option<Time>) -> Result<Vec<Vec<i64>>> {
        let mut out = Vec::with_capacity(orders.len());
        for order in orders {
            let rows = match order {
                Order::Again { ids } => conn.rows(&OUTBOX_AGAIN, vec![items(ids)?.into()]).await?,
                Order::Back { gone } => conn.rows(&OUTBOX_BACK, vec![items(gone)?.into()]).await?,
                Order::Replay { since, before, limit } => {
                    let args = vec![(*since).into(), (*before).into(), count(*limit).into()];
                    conn.rows(&OUTBOX_REPLAY, args).await?
                }
                Order::Skip { ids } => conn.rows(&OUTBOX_SKIP, vec![items(ids)?.into(), now.into()]).await?,
                Order::Drop { before, limit } => {
                    conn.rows(&OUTBOX_DROP, vec![(*before).into(), count(*limit).into()]).await?
                }
            };
            out.push(rows.iter().map(|row| row.int("id")).collect::<Result<_>>()?);
        }
        Ok(out)
    }
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(crate) async fn lag(db: &Database) -> Result<Lag> {
    let args = vec![db.clock().test_time().into()];
    let row = db.reader().await?.conn().row(&OUTBOX_LAG, args).await?;
    let row = row.ok_or_else(|| Error::new(onceward_db::ErrorKind::Other, "no answer"))?;
    let number = |column| Ok::<_, Error>(u64::try_from(row.int(column)?).unwrap_or_default());
    let now = row.time("now")?;
    let oldest_at = row.opt_time("oldest_at")?;
    let oldest_age = oldest_at.map(|at| now.since(at).as_secs());
    Ok(Lag {
        waiting: number("waiting")?,
        refused: number("refused")?,
        oldest_at,
        oldest_age,
        refused_at: row.opt_time("refused_at")?,
        held_back: number("held_back")?,
        claimed: number("claimed")?,
        claimed_until: row.opt_time("claimed_until")?,
    })
}

/// How many rows a replay would change.
pub(crate) async fn replayable(db: &Database, since: Time, before: Time) -> Result<u64> {
    let args = vec![since.into(), before.into()];
    let row = db.reader().await?.conn().row(&OUTBOX_REPLAYABLE, args).await?;
    row.map_or(Ok(0), |row| Ok(u64::try_from(row.int("count")?).unwrap_or_default()))
}

/// The boot ids of the processes that have rows in hand.
pub(crate) async fn owners(db: &Database) -> Result<Vec<String>> {
    let rows = db.reader().await?.conn().rows(&OUTBOX_OWNERS, vec![]).await?;
    rows.iter().map(|row| row.text("owner")).collect()
}

pub(crate) async fn targets(db: &Database) -> Result<Vec<TargetView>> {
    let rows = db.reader().await?.conn().rows(&OUTBOX_TARGETS, vec![]).await?;
    let view = |row: &Row| {
        Ok(TargetView {
            name: row.text("name")?,
            sent_at: row.opt_time("sent_at")?,
            failed_at: row.opt_time("failed_at")?,
            error: from_json("error", row.opt_text("error")?)?,
        })
    };
    rows.iter().map(view).collect()
}

pub(crate) async fn refused(db: &Database, limit: usize) -> Result<Vec<RefusedRow>> {
    let rows = db.reader().await?.conn().rows(&OUTBOX_REFUSED, vec![count(limit).into()]).await?;
    let view = |row: &Row| {
        Ok(RefusedRow {
            id: row.int("id")?,
            message_id: shown(row, "message_id")?.unwrap_or_default(),
            queue: shown(row, "queue")?.unwrap_or_default(),
            kind: shown(row, "kind")?.unwrap_or_default(),
            ordering_key: shown(row, "ordering_key")?,
            created_at: row.time("created_at")?,
            error: from_json("error", row.opt_text("error")?)?,
        })
    };
    rows.iter().map(view).collect()
}

/// An application's text, as far as it can be read.
fn shown(row: &Row, column: &str) -> Result<Option<String>> {
    Ok(row.opt_written(column)?.map(|written| written.unwrap_or_else(std::convert::identity)))
}
