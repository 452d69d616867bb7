//! The common case: done, with nothing to show and nothing to decide. It costs a third of the general one.

use std::collections::{BTreeMap, HashSet};

use onceward_db::{Conn, Engine, Error, ErrorKind, Result, Sql, Time, sql};

use super::{DEDUP_SETTLE, DedupItem, Ended};
use crate::settle::{Ending, Signal};
use crate::store::counters::Deltas;
use crate::store::queues::{self, Signals};
use crate::store::{chosen, items};
use crate::{Done, JobId, State};

const SETTLE_DONE: Sql = sql!("settle_done");
const SETTLE_DONE_MARK: Sql = sql!("settle_done_mark");

/// Unless an effect is open or someone cancelled the job, which the statements check, there is nothing to decide.
pub(super) fn is_plain(ending: &Ending) -> bool {
    matches!(ending, Ending::Returned(Ok(Done::Nothing)))
}

/// Settles those that it can, and says which these are.
pub(super) async fn settle(conn: &mut Conn<'_>, ended: &[&Ended], now: Option<Time>) -> Result<Vec<bool>> {
    let mut claims: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in ended.iter().enumerate().filter(|(_, one)| is_plain(&one.ending)) {
        claims.entry(&one.lease.token).or_default().push(at);
    }
    let mut done = vec![false; ended.len()];
    for (token, places) in claims {
        let jobs: Vec<JobId> = places.iter().map(|at| ended[*at].lease.job).collect();
        let mut hit = write(conn, token, &jobs, now).await?;
        for (at, job) in places.into_iter().zip(jobs) {
            done[at] = hit.take(job);
        }
    }
    let settled: Vec<&Ended> =
        ended.iter().zip(&done).filter(|(_, done)| **done).map(|(one, _)| *one).collect();
    follow_up(conn, &settled, now).await?;
    Ok(done)
}

/// Which of the jobs that were asked for.
enum Hit {
    All,
    Some(HashSet<JobId>),
}

impl Hit {
    /// Says so once: a job that is asked for twice in one turn is settled, and counted, once.
    fn take(&mut self, job: JobId) -> bool {
        match self {
            Self::All => true,
            Self::Some(jobs) => jobs.remove(&job),
        }
    }
}

async fn write(conn: &mut Conn<'_>, token: &str, jobs: &[JobId], now: Option<Time>) -> Result<Hit> {
    let args = vec![items(jobs)?.into(), now.into(), token.into()];
    let Some(row) = conn.row(&chosen(SETTLE_DONE), args).await? else { return Ok(Hit::Some(HashSet::new())) };
    let ids = row.text("ids")?;
    let settled: Vec<JobId> = serde_json::from_str(&ids)
        .map_err(|e| Error::new(ErrorKind::Decode, format!("{}: {e}", SETTLE_DONE.name)))?;
    // A finished job that stays where it is could not be aggregated by the statement that writes it.
    if conn.engine() == Engine::Sqlite && !settled.is_empty() {
        conn.execute(&chosen(SETTLE_DONE_MARK), vec![ids.into(), now.into(), token.into()]).await?;
    }
    // Each job is hit once, so as many as were asked for are the same ones.
    Ok(if settled.len() == jobs.len() { Hit::All } else { Hit::Some(settled.into_iter().collect()) })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::retry::RetryPolicy;
    use crate::settle::Ending;
    use crate::store::counters::figures;
    use crate::store::leases::{Claim, Known, Want};
    use crate::store::settle::{Ended, Settle, Settled};
    use crate::{Done, NewJob, State, testing};

    #[tokio::test]
    async fn a_job_that_is_settled_twice_in_one_turn_counts_once() -> Result<(), Box<dyn std::error::Error>> {
        let once = testing::store().await?;
        once.enqueue(NewJob::untyped("mail", "welcome", "{}")).await?;
        let want = Want {
            queue: "mail".to_owned(),
            most: 1,
            kinds: [Known { kind: "welcome".to_owned(), version: 1 }].into(),
            owner: "w".to_owned(),
            token: "t".to_owned(),
            lease: 60_000_000,
            lone: false,
        };
        let taken = once.db().fold::<Claim>(vec![want]).await?.pop().ok_or("no answer")?;
        let job = taken.jobs.first().ok_or("nothing claimed")?;
        let ended = Arc::new(Ended::new(job, Ending::Returned(Ok(Done::Nothing)), RetryPolicy::GENERIC));
        let settled = once.db().fold::<Settle>(vec![ended.clone(), ended]).await?;
        assert_eq!(settled, [Settled::To(State::Done); 2]);
        let figures = figures(&mut once.db().reader().await?.conn()).await?;
        assert_eq!(figures["mail"]["done"], 1);
        assert_eq!(figures["mail"]["running"], 0);
        Ok(())
    }
}
