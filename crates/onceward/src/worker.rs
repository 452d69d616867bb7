//! Claims jobs, runs them, settles them; stops gently.

mod builder;
mod run;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

pub use self::builder::WorkerBuilder;
use crate::registry::Registry;
use crate::retry::RetryPolicy;
use crate::{AlertRule, Error, Onceward, State, alert, keeper};

/// Runs jobs of some queues. Any number of workers, in any number of processes, may serve one queue.
///
/// ```
/// use onceward::{Context, Done, Job, Onceward, Outcome, Run, Worker};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Welcome { user: u64 }
/// impl Job for Welcome { const KIND: &'static str = "email.welcome"; const QUEUE: &'static str = "mail"; }
/// impl Run for Welcome {
///     type App = ();
///     async fn run(self, _ctx: &Context<()>) -> Outcome { Ok(Done::Nothing) }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let once = onceward::testing::store().await?;
/// once.enqueue(Welcome { user: 7 }).await?;
/// let worker = Worker::builder(&once).register::<Welcome>(()).queue("mail", 20).build()?;
/// let report = worker.run_until_idle().await?;
/// assert_eq!(report.done, 1);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Worker {
    once: Onceward,
    registry: Registry,
    queues: Vec<QueuePlan>,
    alerts: Vec<AlertRule>,
    settings: Settings,
}

/// What a worker takes from one queue.
#[derive(Debug, Clone)]
struct QueuePlan {
    name: String,
    /// Jobs at once, in this process.
    concurrency: usize,
    /// For jobs that bring none of their own.
    retry: RetryPolicy,
}

/// How a worker behaves.
#[derive(Debug, Clone, Copy)]
struct Settings {
    /// How long a job stays ours without a heartbeat.
    lease: Duration,
    /// How long a stop waits for running jobs.
    grace: Duration,
    /// How often to look without being woken: polling is the truth.
    poll: Duration,
    /// How long one attempt may run.
    longest: Duration,
    /// Whether this worker also does the housekeeping.
    keeper: bool,
    retention: Duration,
}

/// What a worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Attempts that ended in `done`.
    pub done: u64,
    /// Attempts that ended in `pending`: failed, snoozed, interrupted.
    pub again: u64,
    /// Attempts that ended in `dead`.
    pub dead: u64,
    /// Attempts that ended in `in_doubt`.
    pub in_doubt: u64,
    /// Attempts that ended in `cancelled`.
    pub cancelled: u64,
    /// Attempts whose lease was lost, so that another worker has the say.
    pub lost: u64,
}

impl Report {
    fn count(&mut self, state: Option<State>) {
        let figure = match state {
            Some(State::Done) => &mut self.done,
            Some(State::Dead) => &mut self.dead,
            Some(State::InDoubt) => &mut self.in_doubt,
            Some(State::Cancelled) => &mut self.cancelled,
            Some(State::Pending | State::Running) => &mut self.again,
            None => &mut self.lost,
        };
        *figure += 1;
    }

    fn add(&mut self, other: Self) {
        let Self { done, again, dead, in_doubt, cancelled, lost } = other;
        self.done += done;
        self.again += again;
        self.dead += dead;
        self.in_doubt += in_doubt;
        self.cancelled += cancelled;
        self.lost += lost;
    }
}

impl Worker {
    /// A worker still to be told what it can run.
    pub fn builder(once: &Onceward) -> WorkerBuilder {
        WorkerBuilder::new(once.clone())
    }

    /// Runs until `shutdown` is ready, then finishes or hands back what runs, within the grace. Stop it by that: dropped
    /// half-way, it drops its handlers, and their jobs come back like those of a crash, when their leases run out.
    ///
    /// # Errors
    /// When the store's tables are missing at the start; and `Stuck` when a handler blocks its thread past its time:
    /// then end the process, since nothing else stops such a thread. A store that fails meanwhile is tried again.
    pub async fn run_until(&self, shutdown: impl Future<Output = ()>) -> Result<Report, Error> {
        self.once.require_migrated().await?;
        let (stop, stopping) = watch::channel(false);
        let keeper = self.keep(&stopping);
        let report = until(shutdown, &stop, run::Running::new(self, stopping, false).run()).await;
        stop.send_replace(true);
        if let Some(keeper) = keeper {
            // It ends by itself, within seconds; one that panicked has ended too.
            drop(keeper.await);
        }
        report
    }

    /// Runs until nothing is due in its queues and nothing runs here.
    pub async fn run_until_idle(&self) -> Result<Report, Error> {
        self.run_until_idle_or(std::future::pending()).await
    }

    /// [`Worker::run_until_idle`], unless `shutdown` is ready before: then it stops as [`Worker::run_until`] does.
    pub async fn run_until_idle_or(&self, shutdown: impl Future<Output = ()>) -> Result<Report, Error> {
        self.once.require_migrated().await?;
        keeper::keep_once(&self.once, self.settings.lease, self.settings.retention).await?;
        let (stop, stopping) = watch::channel(false);
        until(shutdown, &stop, self.run_and_tell(stopping)).await
    }

    /// What went wrong is told before it ends.
    async fn run_and_tell(&self, stopping: watch::Receiver<bool>) -> Result<Report, Error> {
        let mut report = run::Running::new(self, stopping.clone(), true).run().await?;
        if !*stopping.borrow() && !self.once.alert(&self.alerts).await?.is_empty() {
            report.add(run::Running::new(self, stopping, true).run().await?);
        }
        Ok(report)
    }

    fn keep(&self, stopping: &watch::Receiver<bool>) -> Option<tokio::task::JoinHandle<()>> {
        let Settings { lease, retention, keeper, .. } = self.settings;
        let queues: Arc<[String]> = self.queues.iter().map(|plan| plan.name.clone()).collect();
        let (once, rules) = (self.once.clone(), self.alerts.clone());
        let watch = async move { alert::watch(&once, &rules).await };
        keeper.then(|| {
            tokio::spawn(keeper::keep(self.once.clone(), queues, lease, retention, watch, stopping.clone()))
        })
    }
}

/// Runs, and tells it to stop once `shutdown` is ready.
async fn until(
    shutdown: impl Future<Output = ()>,
    stop: &watch::Sender<bool>,
    run: impl Future<Output = Result<Report, Error>>,
) -> Result<Report, Error> {
    tokio::pin!(run, shutdown);
    tokio::select! {
        report = &mut run => report,
        () = &mut shutdown => {
            stop.send_replace(true);
            run.await
        }
    }
}
