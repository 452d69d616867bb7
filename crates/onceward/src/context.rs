//! What a handler is given: the job, its application, and the way to change the world once.

use std::sync::Arc;

use onceward_db::Conn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::effect::Effect;
use crate::heartbeat::{Phase, Told};
use crate::lease::{Claimed, Lease};
use crate::retry::RetryPolicy;
use crate::settle::Ending;
use crate::store::leases;
use crate::store::queues::limits::Further;
use crate::store::settle::{Ended, Settled, settle_all};
use crate::{Done, EffectView, Error, Onceward, Receipt, State, Time};

/// One attempt at one job, in the hands of its handler.
#[derive(Debug)]
pub struct Context<A> {
    attempt: Arc<Attempt>,
    app: A,
}

/// The part of a context that does not depend on the application.
#[derive(Debug)]
pub(crate) struct Attempt {
    once: Onceward,
    job: Arc<Claimed>,
    told: Arc<Told>,
}

impl Attempt {
    pub(crate) fn new(once: Onceward, job: Arc<Claimed>, told: Arc<Told>) -> Self {
        Self { once, job, told }
    }

    pub(crate) fn once(&self) -> &Onceward {
        &self.once
    }

    pub(crate) fn lease(&self) -> &Lease {
        &self.job.lease
    }

    pub(crate) fn now(&self) -> Time {
        self.once.now()
    }

    pub(crate) fn leased_until(&self) -> Time {
        self.job.leased_until
    }

    pub(crate) fn job(&self) -> &Claimed {
        &self.job
    }

    /// Made from the job and the step, so that it is the same however often the step is prepared.
    pub(crate) fn effect_key(&self, step: &str) -> String {
        let seed = format!("{}\0{}\0{}\0{step}", self.job.kind, self.job.lease.job, self.job.created_at);
        hex::encode(&Sha256::digest(seed.as_bytes())[..16])
    }
}

impl<A> Context<A> {
    pub(crate) fn new(attempt: Arc<Attempt>, app: A) -> Self {
        Self { attempt, app }
    }

    /// What the worker was given for this kind of job.
    pub fn app(&self) -> &A {
        &self.app
    }

    /// The job as it was claimed.
    pub fn job(&self) -> &Claimed {
        &self.attempt.job
    }

    /// The queue, to enqueue follow-up jobs.
    pub fn once(&self) -> &Onceward {
        &self.attempt.once
    }

    /// Whether the worker is stopping, or lost the lease: return [`Done::Interrupted`] soon.
    pub fn stopping(&self) -> bool {
        self.attempt.told.phase() > Phase::Run
    }

    /// Waits until [`Context::stopping`].
    pub async fn stopped(&self) {
        self.attempt.told.at_least(Phase::Stop).await;
    }

    /// A step that changes the world. Its request is frozen when it is first prepared, and its intent is durable before
    /// the first byte leaves; see [`Effect`].
    ///
    /// `step` names it within the job: `charge`, `part:3`. The request holds no credentials.
    pub fn effect<R: Serialize + DeserializeOwned>(&self, step: &str, request: R) -> Effect<'_, R> {
        Effect::new(&self.attempt, step, request)
    }

    /// The job's steps as the ledger has them, each in its newest generation: what an earlier attempt froze.
    pub async fn steps(&self) -> Result<Vec<EffectView>, Error> {
        let steps = self.attempt.once.effects(self.attempt.job.lease.job).await?;
        let is_newest = |at: usize| steps.get(at + 1).is_none_or(|next| next.step != steps[at].step);
        let newest: Vec<bool> = (0..steps.len()).map(is_newest).collect();
        Ok(steps.into_iter().zip(newest).filter_map(|(step, newest)| newest.then_some(step)).collect())
    }

    /// Asks for one more request's share of the queue's rate: a claim has room for one request of its job, and a thread
    /// sends several. `Some`: not now; return [`Done::Snooze`] with that time.
    pub async fn further(&self) -> Result<Option<Time>, Error> {
        let queue = self.attempt.job.queue.clone();
        Ok(self.attempt.once.db().fold::<Further>(vec![queue]).await?.pop().flatten())
    }

    /// Settles the job as done inside the handler's own transaction: exactly once, if the effect is in that database.
    ///
    /// Return what it gives after the commit. If the transaction does not commit, the job is not done.
    ///
    /// # Errors
    /// `LeaseLost` when the lease has run out or an effect is open, `WrongStore` when the connection leads elsewhere: roll
    /// back.
    pub async fn complete_in<'c>(&self, tx: impl Into<Conn<'c>>) -> Result<Done, Error> {
        self.complete_in_with(tx, None).await
    }

    /// [`Context::complete_in`] with a receipt.
    pub async fn complete_in_with<'c>(
        &self,
        tx: impl Into<Conn<'c>>,
        receipt: Option<Receipt>,
    ) -> Result<Done, Error> {
        let attempt = &self.attempt;
        let mut conn = attempt.once.adopt(tx).await?;
        let clock = attempt.once.db().clock().test_time();
        if !leases::holds(&mut conn, &attempt.job.lease, clock).await? {
            return Err(Error::LeaseLost);
        }
        let done = receipt.map_or(Done::Nothing, Done::Receipt);
        let ended = Ended::new(&attempt.job, Ending::Returned(Ok(done)), RetryPolicy::GENERIC);
        match settle_all(&mut conn, &[&ended], clock).await?.first() {
            Some(Settled::To(State::Done)) => Ok(Done::InTransaction),
            _ => Err(Error::LeaseLost),
        }
    }
}
