//! What a worker is told before it starts.

use std::future::Future;
use std::time::Duration;

use super::{QueuePlan, Settings, Worker};
use crate::registry::Registry;
use crate::retry::RetryPolicy;
use crate::{AlertRule, Context, Error, Onceward, Outcome, Run, alert, job};

/// The shortest lease: a heartbeat must fit into it three times, behind the slowest write seen.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);

/// A worker in the making. Made by [`Worker::builder`].
#[derive(Debug)]
pub struct WorkerBuilder {
    once: Onceward,
    registry: Registry,
    queues: Vec<QueuePlan>,
    alerts: Vec<AlertRule>,
    settings: Settings,
}

impl WorkerBuilder {
    pub(super) fn new(once: Onceward) -> Self {
        let settings = Settings {
            lease: Duration::from_mins(1),
            grace: Duration::from_secs(25),
            poll: Duration::from_secs(1),
            longest: Duration::from_hours(1),
            keeper: true,
            retention: Duration::from_hours(24 * 90),
        };
        Self { once, registry: Registry::default(), queues: Vec::new(), alerts: Vec::new(), settings }
    }

    /// Runs jobs of this type, with `app` at hand.
    #[must_use]
    pub fn register<J: Run>(mut self, app: J::App) -> Self {
        self.registry.register::<J>(app);
        self
    }

    /// Runs jobs of a kind that has no type here, up to this version of its payload.
    #[must_use]
    pub fn register_fn<A, F, Fut>(mut self, kind: &str, version: u32, app: A, handler: F) -> Self
    where
        A: Clone + Send + Sync + 'static,
        F: Fn(Context<A>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        self.registry.register_fn(kind, version, app, handler);
        self
    }

    /// Serves a queue, so many jobs at once in this process.
    #[must_use]
    pub fn queue(self, name: &str, concurrency: usize) -> Self {
        self.queue_with(name, concurrency, RetryPolicy::GENERIC)
    }

    /// Serves a queue, with a retry policy for jobs that bring none of their own.
    #[must_use]
    pub fn queue_with(mut self, name: &str, concurrency: usize, retry: RetryPolicy) -> Self {
        self.queues.push(QueuePlan { name: name.to_owned(), concurrency, retry });
        self
    }

    /// How long a job stays ours without a heartbeat (1 min): after a crash it runs elsewhere after that.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = lease;
        self
    }

    /// How long a stop lets running jobs finish (25 s).
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// How often to look without being woken (1 s).
    #[must_use]
    pub fn poll(mut self, poll: Duration) -> Self {
        self.settings.poll = poll;
        self
    }

    /// How long one attempt may run (1 h); after that its lease is let go.
    #[must_use]
    pub fn longest(mut self, longest: Duration) -> Self {
        self.settings.longest = longest;
        self
    }

    /// How long finished jobs are kept (90 days). Dedup keys stay.
    #[must_use]
    pub fn retention(mut self, retention: Duration) -> Self {
        self.settings.retention = retention;
        self
    }

    /// Looks whether these rules have something to tell: every few seconds, or at the end of a run until idle. Of many
    /// workers that were given a rule, one tells. The messages are jobs of the rule's queue.
    #[must_use]
    pub fn alerts(mut self, rules: Vec<AlertRule>) -> Self {
        self.alerts = rules;
        self
    }

    /// Leaves the housekeeping, alerts included, to other workers.
    #[must_use]
    pub fn without_keeper(mut self) -> Self {
        self.settings.keeper = false;
        self
    }

    /// The worker.
    ///
    /// # Errors
    /// `Invalid` for a bad queue name, a queue or an alert named twice, no concurrency, or a lease under one second.
    pub fn build(self) -> Result<Worker, Error> {
        let Self { once, registry, queues, alerts, settings } = self;
        alert::check(&alerts)?;
        if settings.lease < SHORTEST_LEASE {
            return Err(Error::invalid(
                "lease_too_short",
                "a lease is at least 1s, so that heartbeats fit into it",
            ));
        }
        for (at, plan) in queues.iter().enumerate() {
            job::name("queue", &plan.name)?;
            if plan.concurrency == 0 {
                return Err(Error::invalid(
                    "no_concurrency",
                    format!("queue {:?}: concurrency is at least 1", plan.name),
                ));
            }
            if queues[..at].iter().any(|other| other.name == plan.name) {
                return Err(Error::invalid("queue_twice", format!("queue {:?} is named twice", plan.name)));
            }
        }
        Ok(Worker { once, registry, queues, alerts, settings })
    }
}
