//! Callers that enqueue, and a reaper that is slow.

use std::sync::Arc;

use onceward_db::{Conn, ErrorKind, Fold, Time, rank};

use super::command::{Ask, Door, Mode};
use super::drive::{QUEUE, Verdict, World, agree, stored};
use super::endings::POLICY;
use super::enqueues::{Took, later};
use super::state::{KIND, body, key_name};
use crate::store::leases::expired;
use crate::store::settle::{Ended, Settle, Settled};
use crate::{Dedup, Enqueued, Error, NewJob, Onceward, planted};

impl World<'_> {
    pub(super) async fn enqueue(&mut self, ask: &Ask) -> Verdict {
        let job = new_job(ask, self.model.now);
        let (result, commits) = match ask.door {
            Door::Enqueue => (self.once().enqueue(job).await, true),
            Door::InTransaction { commits } => {
                let saw =
                    self.looked.take().filter(|(key, _)| ask.key.is_some_and(|(asked, _)| asked == *key));
                planted::expose(saw.is_some_and(|(_, free)| free));
                let entered = in_transaction(self.once(), job, commits).await;
                planted::expose(false);
                (stored(entered)?, commits)
            }
        };
        let real = took(result)?;
        if !commits {
            return Ok(());
        }
        let fresh = if let Took::New(id) = real { id } else { 0 };
        agree("ids grow", &true, &(fresh == 0 || self.seen.keys().all(|id| *id < fresh)))?;
        agree("enqueue", &self.model.enqueue(ask, fresh), &real)
    }

    /// What a caller sees before its transaction, it must not rely on.
    pub(super) fn look_at_key(&mut self, key: u8) {
        let now = self.model.now;
        let held = self.model.keys.get(&key).is_some_and(|held| held.expires_at.is_none_or(|at| at > now));
        self.looked = Some((key, !held));
    }

    pub(super) async fn slow_reaper_looks(&mut self) -> Verdict {
        let found = stored(self.once().db().fold::<LookExpired>(vec![()]).await)?.concat();
        let mut real: Vec<_> = found.iter().map(|ended| ended.lease.job).collect();
        real.sort_unstable();
        agree("expired", &self.model.expired().iter().map(|lease| lease.job).collect(), &real)?;
        self.seen_expired = found;
        Ok(())
    }

    pub(super) async fn slow_reaper_takes(&mut self) -> Verdict {
        let found = std::mem::take(&mut self.seen_expired);
        let leases: Vec<_> = found.iter().map(|ended| ended.lease.clone()).collect();
        planted::expose(true);
        let settled = self.once().db().fold::<Settle>(found.into_iter().map(Arc::new).collect()).await;
        planted::expose(false);
        let real = stored(settled)?;
        let expected = self.model.take_back(&leases).into_iter();
        agree(
            "take back",
            &expected.map(|state| state.map_or(Settled::LeaseLost, Settled::To)).collect(),
            &real,
        )
    }
}

fn new_job(ask: &Ask, now: Time) -> NewJob {
    let mut job = NewJob::untyped(QUEUE, KIND, body(ask.payload)).retry(POLICY);
    if let Some((key, mode)) = ask.key {
        job = job.dedup(
            key_name(key),
            match mode {
                Mode::Forever => Dedup::Forever,
                Mode::UntilSettled => Dedup::UntilSettled,
                Mode::ForAnHour => Dedup::For(std::time::Duration::from_hours(1)),
            },
        );
    }
    job = if ask.update { job.update() } else { job };
    job = if ask.held { job.hold("approval") } else { job };
    if ask.later { job.run_at(later(now)) } else { job }
}

fn took(result: Result<Enqueued, Error>) -> Result<Took, proptest::test_runner::TestCaseError> {
    Ok(match result {
        Ok(Enqueued::New(id)) => Took::New(id),
        Ok(Enqueued::Updated(id)) => Took::Updated(id),
        Ok(Enqueued::Skipped { existing, state, changed, .. }) => Took::Skipped { existing, state, changed },
        Err(Error::DedupConflict { existing }) => Took::Conflict(existing),
        Err(error) => return stored(Err(error)),
    })
}

/// A caller's own transaction, which it commits or rolls back.
async fn in_transaction(
    once: &Onceward,
    job: NewJob,
    commits: bool,
) -> onceward_db::Result<Result<Enqueued, Error>> {
    let said = std::sync::Arc::new(std::sync::Mutex::new(None));
    let caller = Caller { once: once.clone(), job, commits, said: said.clone() };
    match once.db().fold::<Transaction>(vec![caller]).await {
        Err(error) if commits => return Err(error),
        _ => {}
    }
    let said = said.lock().ok().and_then(|mut said| said.take());
    said.ok_or_else(|| onceward_db::Error::new(ErrorKind::Other, "the caller was not called"))
}

#[derive(Clone)]
struct Caller {
    once: Onceward,
    job: NewJob,
    commits: bool,
    said: std::sync::Arc<std::sync::Mutex<Option<Result<Enqueued, Error>>>>,
}

struct Transaction;

impl Fold for Transaction {
    type Item = Caller;
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(
        conn: &mut Conn<'_>,
        callers: &[Caller],
        _now: Option<Time>,
    ) -> onceward_db::Result<Vec<()>> {
        for caller in callers {
            let entered = caller.once.enqueue_in(conn.reborrow(), caller.job.clone()).await;
            if let Ok(mut said) = caller.said.lock() {
                *said = Some(entered);
            }
            if !caller.commits {
                return Err(onceward_db::Error::new(ErrorKind::Other, "the caller rolls back"));
            }
        }
        Ok(vec![(); callers.len()])
    }
}

/// A look at expired leases that commits nothing.
struct LookExpired;

impl Fold for LookExpired {
    type Item = ();
    type Answer = Vec<Ended>;
    const RANK: u8 = rank::KEEP;

    async fn run(
        conn: &mut Conn<'_>,
        _callers: &[()],
        now: Option<Time>,
    ) -> onceward_db::Result<Vec<Vec<Ended>>> {
        Ok(vec![expired(conn, &[], true, now).await?])
    }
}
