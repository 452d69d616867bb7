//! Leases: taking them, keeping them, and taking them back from workers that are gone.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Row, Sql, Time, Value, rank, sql};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::counters::Deltas;
use super::queues::{self, limits::Wait};
use super::settle::{Ended, Settled, settle_all};
use super::{items, unsigned};
use crate::lease::{Claimed, Lease, Purpose};
use crate::retry::RetryPolicy;
use crate::settle::Ending;
use crate::{JobId, State};

const CLAIM_PICK: Sql = sql!("claim_pick");
const CLAIM_PICK_LONE: Sql = sql!("claim_pick_lone");
const CLAIM_PICK_DOUBT: Sql = sql!("claim_pick_doubt");
const CLAIM_PICK_LONE_DOUBT: Sql = sql!("claim_pick_lone_doubt");
const CLAIM: Sql = sql!("claim");
const EXTEND: Sql = sql!("extend");
const REAP_DUE: Sql = sql!("reap_due");
const LEASE_OWNERS: Sql = sql!("lease_owners");
const DUE: Sql = sql!("due");
const LEASE_HOLDS: Sql = sql!("lease_holds");

/// How many expired leases one reaping settles.
pub(crate) const REAP_LIMIT: i64 = 500;

/// A kind that a worker can run, up to a version of its payload.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub kind: String,
    pub version: u32,
}

/// The kinds as statements take them: an object of newest versions by kind.
fn versions(kinds: &[Known]) -> Result<String> {
    let newest: BTreeMap<&str, u32> =
        kinds.iter().map(|known| (known.kind.as_str(), known.version)).collect();
    serde_json::to_string(&newest).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))
}

/// What a worker asks of one queue.
#[derive(Debug, Clone)]
pub(crate) struct Want {
    pub queue: String,
    pub most: u32,
    pub kinds: std::sync::Arc<[Known]>,
    pub owner: String,
    pub token: String,
    /// Microseconds.
    pub lease: i64,
    /// Only a job that must run alone, since this process is idle; else only jobs that need not.
    pub lone: bool,
}

/// What a claim gave.
#[derive(Debug)]
pub(crate) struct Taken {
    pub jobs: Vec<Claimed>,
    /// How long until the queue's pace has room again, where the clock decides it.
    pub wait: Option<Wait>,
}

/// Claims due jobs.
pub(crate) struct Claim;

impl Fold for Claim {
    type Item = Want;
    type Answer = Taken;
    const RANK: u8 = rank::CLAIM;

    async fn run(conn: &mut Conn<'_>, wants: &[Want], now: Option<Time>) -> Result<Vec<Taken>> {
        let mut out = Vec::with_capacity(wants.len());
        let mut deltas = Deltas::default();
        for want in wants {
            let taken = claim(conn, want, now).await?;
            let doubts = taken.jobs.iter().filter(|job| job.purpose == Purpose::Verify).count();
            deltas.many_moved(&want.queue, State::InDoubt, State::Running, doubts);
            deltas.many_moved(&want.queue, State::Pending, State::Running, taken.jobs.len() - doubts);
            out.push(taken);
        }
        deltas.write(conn).await?;
        Ok(out)
    }
}

/// Doubts first: to find out costs the queue's pace nothing and frees people.
async fn claim(conn: &mut Conn<'_>, want: &Want, now: Option<Time>) -> Result<Taken> {
    let room = queues::room(conn, &want.queue, want.most, now).await?;
    let looks = room.looks(want.most);
    let mut jobs = Vec::new();
    if looks > 0 {
        let pick = if want.lone { &CLAIM_PICK_LONE_DOUBT } else { &CLAIM_PICK_DOUBT };
        jobs = take(conn, pick, Purpose::Verify, want, looks, now).await?;
    }
    let looked = unsigned(i64::try_from(jobs.len()).unwrap_or(i64::MAX));
    let starts = room.starts(room.after_looks(conn, want.most, looked).await?);
    if starts > 0 {
        let pick = if want.lone { &CLAIM_PICK_LONE } else { &CLAIM_PICK };
        let mut fresh = take(conn, pick, Purpose::Run, want, starts, now).await?;
        let probes = room.took(conn, fresh.len()).await?;
        for job in &mut fresh {
            job.probe = probes;
        }
        jobs.extend(fresh);
    }
    Ok(Taken { jobs, wait: room.wait() })
}

/// Picks and leases, in the transaction of the caller's turn.
async fn take(
    conn: &mut Conn<'_>,
    pick: &Sql,
    purpose: Purpose,
    want: &Want,
    most: u32,
    now: Option<Time>,
) -> Result<Vec<Claimed>> {
    let args: Vec<Value> =
        vec![want.queue.as_str().into(), now.into(), i64::from(most).into(), versions(&want.kinds)?.into()];
    let Some(row) = conn.row(pick, args).await? else { return Ok(Vec::new()) };
    let ids = row.text("ids")?;
    if ids == NONE {
        return Ok(Vec::new());
    }
    let jobs = picked(&row, &ids, want, purpose)?;
    let args: Vec<Value> = vec![
        row.text("places")?.into(),
        now.into(),
        want.token.as_str().into(),
        want.owner.as_str().into(),
        purpose.as_str().into(),
        want.lease.into(),
    ];
    let leased = conn.execute(&CLAIM, args).await?;
    if leased == jobs.len() as u64 {
        return Ok(jobs);
    }
    let text =
        format!("{leased} of {} jobs were where they had been picked; the turn is run again", jobs.len());
    Err(Error::new(ErrorKind::Busy, text))
}

/// An empty JSON array.
const NONE: &str = "[]";
/// Between the payloads: a control character, which JSON never holds as it is (RFC 8259, section 7).
const BETWEEN_TEXTS: char = '\u{1e}';

/// The documents of a pick, column by column: the jobs as they were before their claim.
fn picked(row: &Row, ids: &str, want: &Want, purpose: Purpose) -> Result<Vec<Claimed>> {
    // From before the lease is written, so that it is never thought longer than it is.
    let now = row.time("now")?;
    let ids: Vec<JobId> = column("ids", ids)?;
    let mut kinds = cells::<String>(row, "kinds")?;
    let mut versions = cells::<u32>(row, "versions")?;
    let payloads = row.text("payloads")?;
    let mut payloads = texts(&payloads, ids.len())?;
    let mut attempts = cells::<u32>(row, "attempts")?;
    let mut claim_nos = cells::<i64>(row, "claim_nos")?;
    let mut created_ats = cells::<i64>(row, "created_ats")?;
    let mut scopes = cells::<Option<String>>(row, "scopes")?;
    let mut keys = cells::<Option<String>>(row, "keys")?;
    let claimed = |job: JobId| {
        Some(Claimed {
            lease: Lease { job, token: want.token.clone() },
            queue: want.queue.clone(),
            kind: kinds.next()?,
            version: versions.next()?,
            payload: payloads.next()?.to_owned(),
            attempt: attempts.next()?.saturating_add(1),
            claim_no: claim_nos.next()?.saturating_add(1),
            purpose,
            claimed_at: now,
            leased_until: Time::from_micros(now.micros().saturating_add(want.lease)),
            lone: want.lone,
            probe: false,
            created_at: Time::from_micros(created_ats.next()?),
            dedup: scopes.next()?.zip(keys.next()?),
        })
    };
    let jobs: Option<Vec<Claimed>> = ids.into_iter().map(claimed).collect();
    jobs.ok_or_else(|| Error::new(ErrorKind::Decode, "the columns of a pick are not of one length"))
}

/// So many payloads. One too many, and each after it would be its neighbour's.
fn texts(joined: &str, count: usize) -> Result<std::str::Split<'_, char>> {
    let texts = joined.split(BETWEEN_TEXTS);
    if texts.clone().count() == count {
        return Ok(texts);
    }
    Err(Error::new(
        ErrorKind::Decode,
        "a payload holds a raw U+001E, so it is no JSON: some program wrote it past the queue",
    ))
}

fn cells<T: DeserializeOwned>(row: &Row, name: &str) -> Result<std::vec::IntoIter<T>> {
    Ok(column::<T>(name, &row.text(name)?)?.into_iter())
}

fn column<T: DeserializeOwned>(name: &str, json: &str) -> Result<Vec<T>> {
    serde_json::from_str(json).map_err(|e| Error::new(ErrorKind::Decode, format!("{name}: {e}")))
}

/// A lease to be kept for `lease` more microseconds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Keep {
    pub id: JobId,
    pub token: String,
    pub lease: i64,
}

/// Extends leases; the answer says which are still held.
pub(crate) struct Extend;

impl Fold for Extend {
    type Item = Keep;
    type Answer = bool;
    const RANK: u8 = rank::EXTEND;

    async fn run(conn: &mut Conn<'_>, keeps: &[Keep], now: Option<Time>) -> Result<Vec<bool>> {
        let rows = conn.rows(&EXTEND, vec![items(keeps)?.into(), now.into()]).await?;
        let held: std::collections::HashSet<(JobId, String)> =
            rows.iter().map(|row| Ok((row.int("id")?, row.text("token")?))).collect::<Result<_>>()?;
        Ok(keeps.iter().map(|keep| held.contains(&(keep.id, keep.token.clone()))).collect())
    }
}

/// Takes back leases whose owner is in `gone`, and, if `by_time`, those that ran out. Gives how many jobs went where.
pub(crate) async fn reap(
    conn: &mut Conn<'_>,
    gone: &[String],
    by_time: bool,
    now: Option<Time>,
) -> Result<Vec<State>> {
    let ended = expired(conn, gone, by_time, now).await?;
    let settled = settle_all(conn, &ended.iter().collect::<Vec<_>>(), now).await?;
    Ok(settled
        .into_iter()
        .filter_map(|one| if let Settled::To(state) = one { Some(state) } else { None })
        .collect())
}

/// What there is to take back. Each names the token that was seen, so that a lease taken meanwhile is left alone.
pub(crate) async fn expired(
    conn: &mut Conn<'_>,
    gone: &[String],
    by_time: bool,
    now: Option<Time>,
) -> Result<Vec<Ended>> {
    let args = vec![items(gone)?.into(), now.into(), REAP_LIMIT.into(), by_time.into()];
    let rows = conn.rows(&REAP_DUE, args).await?;
    let ended = |row: &Row| {
        Ok(Ended {
            lease: Lease { job: row.int("id")?, token: row.text("token")? },
            queue: row.text("queue")?,
            ending: Ending::Expired,
            unit: 0.5,
            policy: RetryPolicy::GENERIC,
            dedup: None,
        })
    };
    rows.iter().map(ended).collect()
}

/// Whoever holds leases now.
pub(crate) async fn owners(conn: &mut Conn<'_>) -> Result<Vec<String>> {
    conn.rows(&LEASE_OWNERS, vec![]).await?.iter().map(|row| row.text("owner")).collect()
}

/// What a queue has for a worker.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Due {
    /// A job that may run beside others.
    pub any: bool,
    /// A job that must run alone.
    pub lone: bool,
    /// How long until the next job's time.
    pub wait: Option<Duration>,
}

pub(crate) async fn due(conn: &mut Conn<'_>, queue: &str, kinds: &[Known], now: Option<Time>) -> Result<Due> {
    let row = conn.row(&DUE, vec![queue.into(), now.into(), versions(kinds)?.into()]).await?;
    let Some(row) = row else { return Ok(Due::default()) };
    let at = row.time("now")?;
    let wait = row.opt_time("next_at")?.map(|next| next.since(at));
    // Whatever runs is waited for before a lone job, so one that could not start is none that is due.
    let lone = row.flag("lone")? && queues::is_open(conn, queue, now).await?;
    Ok(Due { any: row.flag("due")?, lone, wait })
}

/// Whether a lease is held and has not run out, by the database's clock.
pub(crate) async fn holds(conn: &mut Conn<'_>, lease: &Lease, now: Option<Time>) -> Result<bool> {
    let row = conn.row(&LEASE_HOLDS, vec![lease.job.into(), now.into(), lease.token.as_str().into()]).await?;
    Ok(row.map(|row| row.int("n")).transpose()? == Some(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_that_is_no_json_never_becomes_its_neighbours() {
        assert_eq!(texts("1\u{1e}{}\u{1e}[2]", 3).unwrap().collect::<Vec<_>>(), ["1", "{}", "[2]"]);
        for count in [1, 2] {
            assert_eq!(texts("1\u{1e}2\u{1e}3", count).unwrap_err().kind(), ErrorKind::Decode);
        }
    }
}
