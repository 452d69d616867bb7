//! Housekeeping: expired leases, due schedules, figures, retention. Any number of processes keep one store; each duty
//! is done by one of them at a time, and all of them keep going whatever fails.

pub(crate) mod duty;
mod guard;
mod retention;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use self::duty::Duty;
use self::guard::{Guard, Look};
pub(crate) use self::retention::prepare;
use crate::store::counters::{FOLD_LIMIT, FoldDeltas};
use crate::store::duties::{self, Lost, Reap, Take};
use crate::store::leases::{REAP_LIMIT, owners};
use crate::store::schedules::{Fire, Fired};
use crate::store::workers::{Beat, Forget, Leave, Sign};
use crate::trouble::Trouble;
use crate::{Engine, Error, Onceward, State, Time};

/// How often to look whether a duty is due.
const ROUND: Duration = Duration::from_secs(1);
/// How often a process gives a sign of life.
const BEAT: Duration = Duration::from_secs(10);
/// How long the end of a worker waits for the store to take its sign of life back.
const LEAVE: Duration = Duration::from_secs(5);
/// A process that was not seen for this long is forgotten.
const UNSEEN: Duration = Duration::from_mins(10);
/// How many turns one round spends on leases or figures.
const TURNS: usize = 100;

/// What one round of housekeeping did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Kept {
    /// Jobs whose lease was taken back and that wait again.
    pub reaped: u64,
    /// Of those taken back: crashed too often, and dead now.
    pub dead: u64,
    /// Of those taken back: with an effect open, and in doubt now.
    pub in_doubt: u64,
    /// Jobs that schedules enqueued.
    pub fired: u64,
    /// Times of schedules that nobody was there for and that are left out for good.
    pub left_out: u64,
    /// Discarded jobs that are cancelled for good now.
    pub discarded: u64,
    /// Finished jobs that were old enough to be dropped one by one.
    pub dropped: u64,
    /// Days of the history that were dropped as a whole (PostgreSQL).
    pub dropped_days: u64,
    /// Days of the history that were prepared (PostgreSQL).
    pub prepared_days: u64,
}

/// Keeps house, watches, and gives signs of life for `queues`, until told to stop; then it takes the sign back.
pub(crate) async fn keep(
    once: Onceward,
    queues: Arc<[String]>,
    lease: Duration,
    retention: Duration,
    watch: impl Future<Output = ()>,
    mut stop: watch::Receiver<bool>,
) {
    // Two lines, so that a long retention does not hold up a crashed job.
    let mut quick = Keeper::new(once.clone(), lease, retention);
    let mut slow = Keeper::new(once.clone(), lease, retention);
    let rounds = async {
        tokio::join!(quick.repeat(Duty::QUICK), slow.repeat(Duty::SLOW), beat(&once, &queues), watch)
    };
    // Each write is a small transaction of its own, so the rounds can be left at any point.
    tokio::select! {
        _ = rounds => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
    leave(&once, &queues).await;
}

/// Does all that is due, once.
pub(crate) async fn keep_once(once: &Onceward, lease: Duration, retention: Duration) -> Result<Kept, Error> {
    let (mut keeper, mut kept) = (Keeper::new(once.clone(), lease, retention), Kept::default());
    keeper.take_over(&mut kept).await?;
    let quick = keeper.round(Duty::QUICK, &mut kept).await;
    let slow = keeper.round(Duty::SLOW, &mut kept).await;
    quick.and(slow).map(|()| kept)
}

/// Without it the worker is only thought alive for some seconds more.
async fn leave(once: &Onceward, queues: &[String]) {
    let left = timeout(LEAVE, once.db().fold::<Leave>(vec![sign(once, queues)])).await;
    if !matches!(left, Ok(Ok(_))) {
        tracing::debug!("the sign of life was not taken back; it ends by itself");
    }
}

fn sign(once: &Onceward, queues: &[String]) -> Sign {
    Sign { boot: once.db().boot().id().to_owned(), queues: queues.to_vec() }
}

async fn beat(once: &Onceward, queues: &[String]) {
    let mut ticks = interval(BEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = once.db().fold::<Beat>(vec![sign(once, queues)]).await {
            tracing::warn!(%error, "a sign of life was not written; the next one takes its place");
        }
    }
}

/// One line of housekeeping.
struct Keeper {
    once: Onceward,
    lease: Duration,
    retention: Duration,
    started: Instant,
    guard: Guard,
    asking: Trouble,
    performing: HashMap<Duty, Trouble>,
    /// Schedules that were reported as unreadable already.
    told: HashSet<String>,
}

/// What is to be done in a round.
struct Round {
    duties: Vec<Duty>,
    /// The database's time.
    at: Time,
    lost: Lost,
}

impl Keeper {
    fn new(once: Onceward, lease: Duration, retention: Duration) -> Self {
        let (started, guard) = (Instant::now(), Guard::default());
        let (asking, performing, told) = (Trouble::default(), HashMap::new(), HashSet::new());
        Self { once, lease, retention, started, guard, asking, performing, told }
    }

    async fn repeat(&mut self, duties: &[Duty]) {
        let mut ticks = interval(ROUND);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // Logged already, and the next round is the next try.
            drop(self.round(duties, &mut Kept::default()).await);
        }
    }

    /// Does what is due of these duties, each whatever happens to the others. A failure is logged, and what failed is
    /// due again after its period; the first error is given.
    async fn round(&mut self, duties: &[Duty], kept: &mut Kept) -> Result<(), Error> {
        let round = self.take(duties).await.inspect_err(|error| {
            if self.asking.is_news() {
                tracing::error!(%error, "housekeeping cannot ask the store; tried again");
            }
        })?;
        self.asking.over("housekeeping");
        let mut outcome = Ok(());
        for duty in round.duties.iter().copied() {
            let done = self.perform(duty, &round, kept).await;
            let trouble = self.performing.entry(duty).or_default();
            match done {
                Ok(()) => trouble.over(duty.name()),
                Err(error) => {
                    if trouble.is_news() {
                        tracing::error!(duty = duty.name(), %error, "housekeeping failed; tried again");
                    }
                    outcome = outcome.and(Err(error));
                }
            }
        }
        outcome
    }

    /// Takes the duties that are due and have something to do, so that an idle store is not written to.
    async fn take(&mut self, duties: &[Duty]) -> Result<Round, Error> {
        let now = self.once.db().clock().test_time();
        let before = self.started.elapsed();
        let mut reader = self.once.db().reader().await?;
        let (due, at) = duties::look(&mut reader.conn(), duties, now).await?;
        let at = at.unwrap_or_else(|| self.once.now());
        let look = Look { database: at, before, after: self.started.elapsed() };
        // A test's clock jumps as it likes.
        if now.is_none() {
            self.guard = self.guard.seen(look, self.lease);
        }
        let by_time = self.guard.trusts_time();
        if due.is_empty() {
            return Ok(Round { duties: due, at, lost: Lost { gone: Vec::new(), by_time } });
        }
        let chores = duties::chores(&mut reader.conn(), now).await?;
        let lost = Lost { gone: self.gone(&mut reader.conn(), &due).await?, by_time };
        drop(reader);
        let due: Vec<Duty> = due.into_iter().filter(|duty| has_work(*duty, &chores, &lost)).collect();
        let taken = self.once.db().fold::<Take>(due.clone()).await?;
        let duties = due.into_iter().zip(taken).filter_map(|(duty, ours)| ours.then_some(duty));
        Ok(Round { duties: duties.collect(), at, lost })
    }

    /// Owners of leases that are certainly gone; only the host of a SQLite file can tell.
    async fn gone(&self, conn: &mut onceward_db::Conn<'_>, due: &[Duty]) -> Result<Vec<String>, Error> {
        if self.once.engine() != Engine::Sqlite || !due.contains(&Duty::Reap) {
            return Ok(Vec::new());
        }
        let owners = owners(conn).await?;
        Ok(owners.into_iter().filter(|owner| self.once.db().is_gone(owner)).collect())
    }

    async fn perform(&mut self, duty: Duty, round: &Round, kept: &mut Kept) -> Result<(), Error> {
        match duty {
            Duty::Reap => self.reap(&round.lost, kept).await,
            Duty::FoldCounters => self.fold_counters().await,
            Duty::Schedules => self.fire(kept).await,
            Duty::Discard => retention::discard(&self.once, kept).await,
            Duty::Workers => self.forget().await,
            Duty::Retention => retention::retain(&self.once, round.at.before(self.retention), kept).await,
            Duty::Partitions => {
                kept.prepared_days += prepare(&self.once).await?;
                Ok(())
            }
        }
    }

    /// Takes back at once what processes left that are certainly gone, whenever the duty is due: who runs until nothing is
    /// left must not miss it.
    async fn take_over(&self, kept: &mut Kept) -> Result<(), Error> {
        let gone = self.gone(&mut self.once.db().reader().await?.conn(), &[Duty::Reap]).await?;
        if gone.is_empty() { Ok(()) } else { self.reap(&Lost { gone, by_time: false }, kept).await }
    }

    async fn reap(&self, lost: &Lost, kept: &mut Kept) -> Result<(), Error> {
        let most = usize::try_from(REAP_LIMIT).unwrap_or(usize::MAX);
        for _ in 0..TURNS {
            let states = self.once.db().fold::<Reap>(vec![lost.clone()]).await?.concat();
            for state in &states {
                match state {
                    State::Dead => kept.dead += 1,
                    State::InDoubt => kept.in_doubt += 1,
                    _ => kept.reaped += 1,
                }
            }
            if states.len() < most {
                break;
            }
        }
        if !lost.gone.is_empty() {
            let left = owners(&mut self.once.db().reader().await?.conn()).await?;
            for boot in lost.gone.iter().filter(|boot| !left.contains(boot)) {
                self.once.db().forget(boot);
            }
        }
        Ok(())
    }

    async fn fold_counters(&self) -> Result<(), Error> {
        for _ in 0..TURNS {
            let folded = self.once.db().fold::<FoldDeltas>(vec![()]).await?;
            if folded.iter().sum::<usize>() < FOLD_LIMIT {
                break;
            }
        }
        Ok(())
    }

    async fn fire(&mut self, kept: &mut Kept) -> Result<(), Error> {
        for Fired { jobs, left_out, behind, unreadable } in self.once.db().fold::<Fire>(vec![()]).await? {
            kept.fired += jobs;
            for (schedule, count) in left_out {
                kept.left_out += count;
                tracing::warn!(schedule, count, "due while nobody was running, and left out for good");
            }
            for schedule in behind {
                tracing::warn!(schedule, "more missed fires than one round makes up for; it goes on");
            }
            for (schedule, error) in unreadable {
                if self.told.insert(schedule.clone()) {
                    tracing::error!(schedule, error, "this process cannot fire it");
                }
            }
        }
        Ok(())
    }

    async fn forget(&self) -> Result<(), Error> {
        let boots = self.once.db().fold::<Forget>(vec![UNSEEN]).await?.concat();
        // Asked for first: who is gone now takes no lease any more.
        let gone = self.once.db().gone();
        let owners = owners(&mut self.once.db().reader().await?.conn()).await?;
        for boot in boots.iter().chain(&gone).filter(|boot| !owners.contains(boot)) {
            self.once.db().forget(boot);
        }
        Ok(())
    }
}

/// Duties that look for their work themselves always have some.
fn has_work(duty: Duty, chores: &[Duty], lost: &Lost) -> bool {
    match duty {
        Duty::Reap => !lost.gone.is_empty() || (lost.by_time && chores.contains(&duty)),
        Duty::FoldCounters | Duty::Schedules | Duty::Discard => chores.contains(&duty),
        Duty::Workers | Duty::Retention | Duty::Partitions => true,
    }
}

#[cfg(test)]
mod tests;
