//! The common case: done, with nothing to show and nothing to decide. It costs a third of the general one.

use std::collections::{BTreeMap, HashMap, HashSet};

use onceward_db::{Conn, Engine, Error, ErrorKind, Result, Sql, Time, sql};

use super::{DEDUP_SETTLE, DedupItem, Ended, Settled};
use crate::lease::Lease;
use crate::settle::{Ending, Signal};
use crate::store::counters::Deltas;
use crate::store::leases::NONE;
use crate::store::queues::{self, Signals};
use crate::store::{chosen, items};
use crate::{Done, JobId, State};

const SETTLE_DONE: Sql = sql!("settle_done");
const SETTLE_DONE_MARK: Sql = sql!("settle_done_mark");

/// Unless an effect is open or someone cancelled the job, which the statements check, there is nothing to decide.
pub(super) fn is_plain(ending: &Ending) -> bool {
    matches!(ending, Ending::Returned(Ok(Done::Nothing)))
}

/// Settles those that it can; the others are not in the answer.
pub(super) async fn settle<'a>(
    conn: &mut Conn<'_>,
    plain: &[&'a Ended],
    now: Option<Time>,
) -> Result<HashMap<&'a Lease, Settled>> {
    let mut claims: BTreeMap<&str, Vec<&'a Ended>> = BTreeMap::new();
    for one in plain {
        claims.entry(&one.lease.token).or_default().push(one);
    }
    let mut done = Vec::with_capacity(plain.len());
    for (token, ended) in claims {
        let hit = write(conn, token, &ended, now).await?;
        done.extend(ended.into_iter().filter(|one| hit.contains(&one.lease.job)));
    }
    follow_up(conn, &done, now).await?;
    Ok(done.into_iter().map(|one| (&one.lease, Settled::To(State::Done))).collect())
}

async fn write(
    conn: &mut Conn<'_>,
    token: &str,
    ended: &[&Ended],
    now: Option<Time>,
) -> Result<HashSet<JobId>> {
    let jobs: Vec<JobId> = ended.iter().map(|one| one.lease.job).collect();
    let args = vec![items(&jobs)?.into(), now.into(), token.into()];
    let Some(row) = conn.row(&chosen(SETTLE_DONE), args).await? else { return Ok(HashSet::new()) };
    let ids = row.text("ids")?;
    if ids == NONE {
        return Ok(HashSet::new());
    }
    let settled = serde_json::from_str(&ids)
        .map_err(|e| Error::new(ErrorKind::Decode, format!("{}: {e}", SETTLE_DONE.name)))?;
    // A finished job that stays where it is could not be aggregated by the statement that writes it.
    if conn.engine() == Engine::Sqlite {
        conn.execute(&chosen(SETTLE_DONE_MARK), vec![ids.into(), now.into(), token.into()]).await?;
    }
    Ok(settled)
}

/// Figures, dedup keys and circuits follow the jobs, in the same transaction.
async fn follow_up(conn: &mut Conn<'_>, done: &[&Ended], now: Option<Time>) -> Result<()> {
    let keys: Vec<DedupItem<'_>> = done.iter().filter_map(|one| DedupItem::done(one)).collect();
    if !keys.is_empty() {
        conn.execute(&DEDUP_SETTLE, vec![items(&keys)?.into(), now.into()]).await?;
    }
    let mut queues: BTreeMap<&str, usize> = BTreeMap::new();
    for one in done {
        *queues.entry(&one.queue).or_default() += 1;
    }
    let mut deltas = Deltas::default();
    for (queue, jobs) in &queues {
        deltas.many_moved(queue, State::Running, State::Done, *jobs);
        deltas.add(queue, queues::figure("done"), i64::try_from(*jobs).unwrap_or(i64::MAX));
    }
    deltas.write(conn).await?;
    if queues.is_empty() {
        return Ok(());
    }
    let circuits = queues::facts(conn, queues.keys().copied(), now).await?;
    let succeeded = queues.keys().filter(|queue| circuits.contains_key(**queue));
    let signals: BTreeMap<&str, Signals> = succeeded.map(|queue| (*queue, vec![Signal::Success])).collect();
    queues::apply(conn, signals, now).await
}
