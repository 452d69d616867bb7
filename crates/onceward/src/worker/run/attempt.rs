//! One attempt: run the handler, settle what it says.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use onceward_db::{ErrorKind, Pending};
use tokio::sync::{mpsc, watch};

use crate::context::Attempt;
use crate::heartbeat::{Heartbeat, Phase};
use crate::lease::Claimed;
use crate::registry::Registry;
use crate::retry::RetryPolicy;
use crate::settle::Ending;
use crate::store::settle::{Ended, Settle, Settled};
use crate::{Cause, Done, Failure, Onceward, Outcome, State};

/// First wait before a settling that the store refused is tried again.
const STORE_GAP: Duration = Duration::from_millis(100);
const STORE_GAP_MAX: Duration = Duration::from_secs(2);

/// What the loop hears of an attempt.
#[derive(Debug)]
pub(super) enum Ran {
    /// The handler is through, and its settling has a place in the next turn.
    Finished { queue: String, lone: bool },
    /// What became of the job; `None` when another worker has the say.
    Settled(Option<State>),
}

/// What all attempts of a worker share.
pub(super) struct Shared {
    pub once: Onceward,
    pub registry: Registry,
    pub heartbeat: Heartbeat,
    pub ended: mpsc::UnboundedSender<Ran>,
    pub longest: Duration,
}

/// One attempt.
pub(super) struct AttemptRun {
    pub shared: Arc<Shared>,
    pub told: watch::Receiver<Phase>,
    /// For a job that brings no policy of its own.
    pub policy: RetryPolicy,
}

impl AttemptRun {
    pub(super) async fn run(self, job: Claimed) {
        let job = Arc::new(job);
        let Shared { once, heartbeat, ended: loop_, .. } = &*self.shared;
        let ended = self.handle(job.clone()).await.map(|outcome| self.ended(&job, outcome));
        // The settling takes its place before the slot is free, so that both share a turn with the next claim.
        let pending = match &ended {
            Some(ended) => once.db().submit::<Settle>(vec![ended.clone()]).await.ok(),
            None => None,
        };
        // The loop may be gone already; then nobody counts.
        drop(loop_.send(Ran::Finished { queue: job.queue.clone(), lone: job.lone }));
        let state = match ended {
            Some(ended) => self.settle(ended, pending).await,
            None => None,
        };
        heartbeat.remove(&job.lease);
        drop(loop_.send(Ran::Settled(state)));
    }

    fn ended(&self, job: &Claimed, outcome: Outcome) -> Ended {
        let unit = if outcome.is_ok() { 0.5 } else { unit() };
        Ended { unit, ..Ended::new(job, Ending::Returned(outcome), self.policy) }
    }

    /// `None` when the lease was lost: then nothing here counts.
    async fn handle(&self, job: Arc<Claimed>) -> Option<Outcome> {
        let Shared { once, registry, longest, .. } = &*self.shared;
        let attempt = Arc::new(Attempt::new(once.clone(), job, self.told.clone()));
        let handler = AssertUnwindSafe(registry.run(attempt)).catch_unwind();
        let mut told = self.told.clone();
        tokio::select! {
            biased;
            outcome = tokio::time::timeout(*longest, handler) => Some(match outcome {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(panic)) => Err(Failure::transient(Cause::new("panicked", panic_text(&*panic)))),
                Err(_) => Err(Failure::transient(Cause::new("timed_out", "the attempt took longer than is allowed"))),
            }),
            phase = over(&mut told) => (phase == Phase::HandBack).then_some(Ok(Done::Interrupted)),
        }
    }

    /// Tries until it is written or the lease is gone. Settling twice gets the same answer twice.
    async fn settle(&self, mut ended: Ended, mut pending: Option<Pending<Settled>>) -> Option<State> {
        let mut gap = STORE_GAP;
        loop {
            let answer = match pending.take() {
                Some(pending) => pending.answers().await,
                None => self.shared.once.db().fold::<Settle>(vec![ended.clone()]).await,
            };
            let error = match answer.map(|answers| answers.first().copied()) {
                Ok(Some(Settled::To(state))) => return Some(state),
                Ok(_) => {
                    tracing::warn!(
                        job = ended.lease.job,
                        "settled too late: the lease was lost; nothing was changed"
                    );
                    return None;
                }
                Err(error) => error,
            };
            tracing::error!(job = ended.lease.job, %error, "an outcome could not be written; tried again");
            if *self.told.borrow() == Phase::Lost {
                return None;
            }
            if matches!(error.kind(), ErrorKind::Constraint | ErrorKind::Decode) {
                ended.ending = plain(&ended.ending);
            }
            tokio::time::sleep(gap).await;
            gap = (gap * 2).min(STORE_GAP_MAX);
        }
    }
}

async fn over(told: &mut watch::Receiver<Phase>) -> Phase {
    if let Ok(phase) = told.wait_for(|phase| *phase >= Phase::HandBack).await {
        return *phase;
    }
    std::future::pending().await
}

/// The same ending without what the store might choke on: recording an outcome cannot fail.
fn plain(ending: &Ending) -> Ending {
    Ending::Returned(match ending {
        Ending::Returned(Ok(Done::Receipt(receipt))) => {
            Ok(Done::Receipt(crate::Receipt { detail: serde_json::Value::Null, ..receipt.clone() }))
        }
        Ending::Returned(Err(failure)) => {
            let cause =
                Cause::new(failure.cause().code.clone(), "the text of this error could not be stored");
            Err(Failure::transient(cause))
        }
        Ending::Returned(Ok(done)) => Ok(done.clone()),
        Ending::Expired => Ok(Done::Interrupted),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}

/// The random part of a wait, 0 to 1.
fn unit() -> f64 {
    let mut bytes = [0_u8; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_ne_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    }
}
