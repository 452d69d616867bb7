//! One attempt: run the handler, say what came of it.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;

use super::Heard;
use crate::context::Attempt;
use crate::heartbeat::{Heartbeat, Phase, Told};
use crate::lease::Claimed;
use crate::registry::Registry;
use crate::retry::RetryPolicy;
use crate::settle::Ending;
use crate::store::settle::Ended;
use crate::trouble::Trouble;
use crate::{Cause, Done, Failure, Onceward, Outcome};

/// What all attempts of a worker share.
pub(super) struct Shared {
    pub once: Onceward,
    pub registry: Registry,
    pub heartbeat: Heartbeat,
    pub told: mpsc::UnboundedSender<Heard>,
    pub longest: Duration,
    pub asking: Trouble,
    pub claiming: Trouble,
    pub settling: Trouble,
}

/// One attempt.
pub(super) struct AttemptRun {
    pub shared: Arc<Shared>,
    pub told: Arc<Told>,
    /// For a job that brings no policy of its own.
    pub policy: RetryPolicy,
}

impl AttemptRun {
    pub(super) async fn run(self, job: Claimed) {
        let job = Arc::new(job);
        let heard = if let Some(outcome) = self.handle(job.clone()).await {
            Heard::Finished { lone: job.lone, ended: Arc::new(self.ended(job, outcome)) }
        } else {
            self.shared.heartbeat.remove(&job.lease);
            Heard::Lost { lone: job.lone, queue: job.queue.clone() }
        };
        // The loop may be gone already; then the lease runs out.
        drop(self.shared.told.send(heard));
    }

    fn ended(&self, job: Arc<Claimed>, outcome: Outcome) -> Ended {
        let unit = if outcome.is_ok() { 0.5 } else { unit() };
        let ending = Ending::Returned(outcome);
        // A handler that has let go of its job leaves nothing to be copied.
        match Arc::try_unwrap(job) {
            Ok(Claimed { lease, queue, dedup, .. }) => {
                Ended { lease, queue, ending, unit, policy: self.policy, dedup }
            }
            Err(job) => Ended { unit, ..Ended::new(&job, ending, self.policy) },
        }
    }

    /// `None` when the lease was lost: then nothing here counts. A handler may panic before it gives its future, in it, or
    /// when that is dropped; all of it is a failed try.
    async fn handle(&self, job: Arc<Claimed>) -> Option<Outcome> {
        let handled = AssertUnwindSafe(self.handle_in_time(job)).catch_unwind().await;
        handled.unwrap_or_else(|panic| {
            Some(Err(Failure::transient(Cause::new("panicked", panic_text(&*panic)))))
        })
    }

    async fn handle_in_time(&self, job: Arc<Claimed>) -> Option<Outcome> {
        let Shared { once, registry, longest, .. } = &*self.shared;
        let attempt = Arc::new(Attempt::new(once.clone(), job, self.told.clone()));
        tokio::select! {
            biased;
            outcome = tokio::time::timeout(*longest, registry.run(attempt)) => Some(outcome.unwrap_or_else(|_| {
                Err(Failure::transient(Cause::new("timed_out", "the attempt took longer than is allowed")))
            })),
            phase = self.told.at_least(Phase::HandBack) => (phase == Phase::HandBack).then_some(Ok(Done::Interrupted)),
        }
    }
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
