//! A queue as a whole: what limits it, what holds it back, how it stands.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::circuit::{Circuit, CircuitPolicy, CircuitState};
use crate::pace::Rate;
use crate::store::alerts;
use crate::store::queues::list;
use crate::store::queues::orders::{Order, Orders, What};
use crate::{Error, Onceward, Time, job};

/// What the configuration says of a queue; `None`: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct QueueSettings {
    /// How many of its jobs may run at once, of all workers together; at least 1.
    pub concurrency: Option<u32>,
    /// How many of its jobs may start in a span of time, of all workers together.
    pub rate: Option<Rate>,
    /// When it waits as a whole because its peer is down.
    pub circuit: Option<CircuitPolicy>,
}

/// A queue as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueueView {
    /// Its name.
    pub name: String,
    /// What limits it.
    #[serde(flatten)]
    pub settings: QueueSettings,
    /// Set while a person, or a lost login, holds it.
    pub paused: Option<Pause>,
    /// Set when its peer asked for quiet until then; may lie in the past.
    pub not_before: Option<Time>,
    /// Set when it has a circuit. In JSON this is `circuit_state`, and `circuit` its policy.
    #[serde(rename = "circuit_state")]
    pub circuit: Option<CircuitView>,
    /// How many jobs are where.
    pub figures: Figures,
    /// How long the oldest job that is due, and not held, has waited, in seconds; `None`: none is due.
    pub oldest_due: Option<u64>,
    /// When the first job that is not held is or was due; `None`: there is none.
    pub next_at: Option<Time>,
    /// When the first job that failed and is not held is or was tried again; `None`: none waits for another try.
    pub retry_at: Option<Time>,
}

/// Why and since when a queue is paused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pause {
    /// Since then.
    pub since: Time,
    /// Why: as the person said, or `auth_needed: …`.
    pub reason: String,
}

/// A circuit in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CircuitView {
    /// `closed`, `open`, or `half_open` while a job is probing.
    pub state: &'static str,
    /// When the outage was noticed; `None` while closed.
    pub since: Option<Time>,
    /// When the next probe may go; `None` while closed.
    pub until: Option<Time>,
}

impl From<Circuit> for CircuitView {
    fn from(circuit: Circuit) -> Self {
        match circuit.state {
            CircuitState::Closed { .. } => Self { state: "closed", since: None, until: None },
            CircuitState::Open { until, since, .. } => {
                Self { state: "open", since: Some(since), until: Some(until) }
            }
            CircuitState::HalfOpen { until, since, .. } => {
                Self { state: "half_open", since: Some(since), until: Some(until) }
            }
        }
    }
}

/// How many jobs of a queue are where. Kept by counting changes, never by counting jobs; finished jobs leave it when
/// retention drops them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Figures {
    /// Waiting for their time, held ones included.
    pub pending: u64,
    /// Leased by a worker.
    pub running: u64,
    /// Done.
    pub done: u64,
    /// Given up, waiting for a person.
    pub dead: u64,
    /// An effect of theirs may have happened.
    pub in_doubt: u64,
    /// Cancelled.
    pub cancelled: u64,
    /// Of those pending: waiting for a release.
    pub held: u64,
    /// Enqueues that found their dedup key taken, ever.
    pub skipped: u64,
    /// Attempts that ended, ever, by how: `done`, `failed`, `crashed`, `in_doubt`, `rate_limited`, `other`.
    pub attempts: BTreeMap<String, u64>,
}

impl Figures {
    pub(crate) fn from_counted(counted: &BTreeMap<String, i64>) -> Self {
        let figure = |what: &str| u64::try_from(counted.get(what).copied().unwrap_or(0)).unwrap_or(0);
        let attempts =
            counted.keys().filter_map(|what| what.strip_prefix("attempts_").map(|how| (how, what)));
        Self {
            pending: figure("pending"),
            running: figure("running"),
            done: figure("done"),
            dead: figure("dead"),
            in_doubt: figure("in_doubt"),
            cancelled: figure("cancelled"),
            held: 0,
            skipped: figure("skipped"),
            attempts: attempts.map(|(how, what)| (how.to_owned(), figure(what))).collect(),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.pending += other.pending;
        self.running += other.running;
        self.done += other.done;
        self.dead += other.dead;
        self.in_doubt += other.in_doubt;
        self.cancelled += other.cancelled;
        self.held += other.held;
        self.skipped += other.skipped;
        for (how, n) in &other.attempts {
            *self.attempts.entry(how.clone()).or_default() += n;
        }
    }
}

impl QueueView {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            settings: QueueSettings::default(),
            paused: None,
            not_before: None,
            circuit: None,
            figures: Figures::default(),
            oldest_due: None,
            next_at: None,
            retry_at: None,
        }
    }
}

impl Onceward {
    /// Sets what limits a queue, for all workers. What was learnt about it (pauses, its circuit) stays.
    pub async fn define_queue(&self, name: &str, settings: QueueSettings) -> Result<(), Error> {
        job::name("queue", name)?;
        if settings.concurrency == Some(0) {
            let text =
                format!("queue {name:?}: concurrency is 0, expected at least 1; to stop a queue, pause it");
            return Err(Error::invalid("bad_concurrency", text));
        }
        // Whether a policy fits the tries of jobs is for whoever knows their retry policy.
        if let Some(error) = settings.circuit.and_then(|policy| policy.validate(u32::MAX).err()) {
            return Err(Error::invalid("bad_circuit", format!("queue {name:?}: {error}")));
        }
        self.order(name, What::Define(settings)).await.map(drop)
    }

    /// Pauses a queue: nothing of it is claimed until it is resumed; what runs goes on. Says whether it was not
    /// paused before; an earlier pause keeps its reason.
    ///
    /// # Errors
    /// `NotFound` for a queue that was never defined and never had a job.
    pub async fn pause_queue(&self, name: &str, reason: &str) -> Result<bool, Error> {
        self.known_queue(name).await?;
        job::reason(reason)?;
        self.order(name, What::Pause { reason: reason.to_owned() }).await
    }

    /// Lets a queue go on: lifts its pause and the wait that its peer asked for, and lets an open circuit probe at
    /// once. Says whether any of these held it.
    ///
    /// # Errors
    /// `NotFound` for a queue that was never defined and never had a job.
    pub async fn resume_queue(&self, name: &str) -> Result<bool, Error> {
        self.known_queue(name).await?;
        self.order(name, What::Resume).await
    }

    /// All queues that were defined or had a job, by name.
    pub async fn queues(&self) -> Result<Vec<QueueView>, Error> {
        let now = self.db().clock().test_time();
        Ok(list::list(&mut self.db().reader().await?.conn(), now).await?)
    }

    /// How many jobs of these queues are due and not held, each queue counted up to `most`: whether those who bring more
    /// should wait.
    pub async fn backlog(&self, queues: &[&str], most: usize) -> Result<u64, Error> {
        let now = self.db().clock().test_time();
        Ok(alerts::backlog(&mut self.db().reader().await?.conn(), queues, most, now).await?)
    }

    async fn order(&self, queue: &str, what: What) -> Result<bool, Error> {
        let order = Order { queue: queue.to_owned(), what };
        Ok(self.db().fold::<Orders>(vec![order]).await?.contains(&true))
    }

    /// A pause of a name that was mistyped must not look like a pause.
    async fn known_queue(&self, name: &str) -> Result<(), Error> {
        job::name("queue", name)?;
        if list::is_known(&mut self.db().reader().await?.conn(), name).await? {
            return Ok(());
        }
        Err(Error::NotFound(format!("there is no queue {name:?}: it was never defined and never had a job")))
    }
}
