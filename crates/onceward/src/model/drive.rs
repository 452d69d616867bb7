//! Does each command to both sides.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::sync::Arc;
use std::time::Duration;

use proptest::test_runner::TestCaseError;

use super::command::{Command, End};
use super::endings::Ending;
use super::enqueues::later;
use super::rows::JobRow;
use super::state::{KIND, LEASE, Model};
use super::store::Store;
use crate::retry::RetryPolicy;
use crate::settle::Ending as Real;
use crate::store::counters::FoldDeltas;
use crate::store::duties::{Lost, Reap};
use crate::store::leases::{Claim, Extend, Keep, Known, Want};
use crate::store::settle::{Ended, Settle, Settled};
use crate::{Cause, Claimed, Done, Failure, JobId, Lease, Onceward, Outcome, Receipt, Time};

pub(super) type Verdict = Result<(), TestCaseError>;

pub(super) const QUEUE: &str = "default";
/// Noon; what the machine's clock says does not matter.
const START: Time = Time::from_micros(1_796_126_400_000_000);

/// Both sides, and what stands between them: workers, callers, a slow reaper.
pub(super) struct World<'a> {
    store: &'a Store,
    pub(super) model: Model,
    pub(super) hands: Vec<Hand>,
    /// A key that a caller looked at, and whether it was free.
    pub(super) looked: Option<(u8, bool)>,
    /// What a slow reaper saw.
    pub(super) seen_expired: Vec<Ended>,
    /// The jobs as they were after the last step.
    pub(super) seen: BTreeMap<JobId, JobRow>,
    claims: u32,
}

/// A worker's hand on a job; it may be there for longer than the lease.
pub(super) struct Hand {
    worker: u8,
    pub(super) job: Claimed,
    settled: bool,
}

impl<'a> World<'a> {
    pub(super) async fn walk(store: &'a Store, commands: Vec<Command>) -> Verdict {
        stored(store.empty().await)?;
        let mut world = Self {
            store,
            model: Model::new(START),
            hands: Vec::new(),
            looked: None,
            seen_expired: Vec::new(),
            seen: BTreeMap::new(),
            claims: 0,
        };
        store.once.set_clock(START);
        for command in &commands {
            world.step(command).await?;
            world.check().await?;
        }
        Ok(())
    }

    pub(super) fn once(&self) -> &'a Onceward {
        &self.store.once
    }

    async fn step(&mut self, command: &Command) -> Verdict {
        match command {
            Command::Enqueue(ask) => self.enqueue(ask).await,
            Command::LookAtKey(key) => {
                self.look_at_key(*key);
                Ok(())
            }
            Command::Claim { worker, most, lone } => self.claim(*worker, *most, *lone).await,
            Command::Extend { hand } => self.extend(*hand).await,
            Command::Wait(seconds) => {
                self.wait(*seconds);
                Ok(())
            }
            Command::Send { hand, step, class, fate, blurred } => {
                let Some(at) = self.hand(*hand, false) else { return Ok(()) };
                self.send(at, &format!("step-{step}"), *class, *fate, *blurred).await
            }
            Command::Answer { request, heard } => self.answer(*request, *heard).await,
            Command::Settle { hand, end } => self.settle(self.hand(*hand, false), *end).await,
            Command::SettleAgain { hand, end } => self.settle(self.hand(*hand, true), *end).await,
            Command::Reap => self.reap(None).await,
            Command::SlowReaperLooks => self.slow_reaper_looks().await,
            Command::SlowReaperTakes => self.slow_reaper_takes().await,
            Command::Kill { worker, noticed } => self.kill(*worker, *noticed).await,
            Command::Person { job, does } => {
                let ids = self.model.candidates(*does);
                let Some(at) = pick(ids.len(), *job) else { return Ok(()) };
                self.person(ids[at], *does).await
            }
            Command::ReviveAll => self.revive_all().await,
            Command::CarryOutDiscards => self.carry_out_discards().await,
            Command::FoldFigures => stored(self.once().db().fold::<FoldDeltas>(vec![()]).await).map(drop),
            // There is no queue before its first job.
            Command::ResumeQueue if self.model.jobs.is_empty() => Ok(()),
            Command::ResumeQueue => {
                (self.model.paused, self.model.not_before) = (false, None);
                stored(self.once().resume_queue(QUEUE).await).map(drop)
            }
        }
    }

    /// The newest hands first.
    fn hand(&self, number: usize, settled: bool) -> Option<usize> {
        let fit: Vec<usize> =
            (0..self.hands.len()).rev().filter(|at| self.hands[*at].settled == settled).collect();
        pick(fit.len(), number).map(|at| fit[at])
    }

    async fn claim(&mut self, worker: u8, most: u32, lone: bool) -> Verdict {
        self.claims += 1;
        let token = format!("claim-{}", self.claims);
        let want = Want {
            queue: QUEUE.to_owned(),
            most,
            kinds: vec![Known { kind: KIND.to_owned(), version: 1 }].into(),
            owner: owner(worker),
            token: token.clone(),
            lease: i64::try_from(LEASE.as_micros()).unwrap_or(i64::MAX),
            lone,
        };
        let mut claimed = stored(self.once().db().fold::<Claim>(vec![want]).await)?;
        let mut jobs = claimed.pop().map(|claimed| claimed.jobs).unwrap_or_default();
        jobs.sort_by_key(|job| job.lease.job);
        let real: Vec<_> = jobs.iter().map(|job| (job.lease.job, job.purpose)).collect();
        agree("claim", &self.model.claim(most, lone, &token, &owner(worker)), &real)?;
        self.hands.extend(jobs.into_iter().map(|job| Hand { worker, job, settled: false }));
        Ok(())
    }

    async fn extend(&mut self, number: usize) -> Verdict {
        let Some(at) = self.hand(number, false) else { return Ok(()) };
        let Lease { job: id, token } = self.hands[at].job.lease.clone();
        let lease = i64::try_from(LEASE.as_micros()).unwrap_or(i64::MAX);
        let kept = stored(self.once().db().fold::<Extend>(vec![Keep { id, token, lease }]).await)?;
        agree("extend", &vec![self.model.extend(&self.hands[at].job.lease)], &kept)
    }

    fn wait(&mut self, seconds: u64) {
        self.model.now = self.model.now.after(Duration::from_secs(seconds));
        self.model.platform.advance(self.model.now);
        self.once().set_clock(self.model.now);
    }

    async fn settle(&mut self, hand: Option<usize>, end: End) -> Verdict {
        let Some(at) = hand else { return Ok(()) };
        let job = &self.hands[at].job;
        let ended = Ended::new(job, Real::Returned(outcome(end, self.model.now)), RetryPolicy::GENERIC);
        let real = stored(self.once().db().fold::<Settle>(vec![Arc::new(ended)]).await)?;
        let expected = self.model.settle(&job.lease, Ending::Returned(end));
        agree("settle", &vec![expected.map_or(Settled::LeaseLost, Settled::To)], &real)?;
        self.model.platform.abandon(&job.lease);
        self.hands[at].settled = true;
        Ok(())
    }

    async fn reap(&mut self, gone: Option<String>) -> Verdict {
        let lost = Lost { gone: gone.iter().cloned().collect(), by_time: gone.is_none() };
        let mut real = stored(self.once().db().fold::<Reap>(vec![lost]).await)?.concat();
        let leases = match gone {
            Some(owner) => self.model.leases(|row| row.owner.as_ref() == Some(&owner)),
            None => self.model.expired(),
        };
        let mut expected: Vec<_> = self.model.take_back(&leases).into_iter().flatten().collect();
        real.sort_unstable();
        expected.sort_unstable();
        agree("reap", &expected, &real)
    }

    async fn kill(&mut self, worker: u8, noticed: bool) -> Verdict {
        if noticed {
            self.reap(Some(owner(worker))).await?;
        }
        let killed = self.hands.iter().filter(|hand| hand.worker == worker);
        killed.for_each(|hand| self.model.platform.abandon(&hand.job.lease));
        self.hands.retain(|hand| hand.worker != worker);
        Ok(())
    }
}

fn owner(worker: u8) -> String {
    format!("worker-{worker}")
}

fn pick(count: usize, number: usize) -> Option<usize> {
    (count > 0).then(|| number % count)
}

fn outcome(end: End, now: Time) -> Outcome {
    let cause = Cause::new("walk", "as the walk has it");
    match end {
        End::Receipt => Ok(Done::Receipt(Receipt::default())),
        End::Nothing => Ok(Done::Nothing),
        End::Snooze => Ok(Done::Snooze(later(now))),
        End::Interrupted => Ok(Done::Interrupted),
        End::NotCommitted => Ok(Done::InTransaction),
        End::Transient => Err(Failure::transient(cause)),
        End::RateLimited => Err(Failure::RateLimited { until: later(now), cause }),
        End::AuthNeeded => Err(Failure::AuthNeeded { cause }),
        End::Permanent => Err(Failure::permanent(cause)),
        End::InDoubt => Err(Failure::InDoubt { cause }),
    }
}

pub(super) fn broken(text: String) -> TestCaseError {
    TestCaseError::fail(text)
}

pub(super) fn stored<T>(result: Result<T, impl Display>) -> Result<T, TestCaseError> {
    result.map_err(|error| broken(format!("the store failed: {error}")))
}

pub(super) fn agree<T: PartialEq + Debug>(what: &str, model: &T, store: &T) -> Verdict {
    if model == store {
        return Ok(());
    }
    Err(broken(format!("{what}:\n  model {model:?}\n  store {store:?}")))
}
