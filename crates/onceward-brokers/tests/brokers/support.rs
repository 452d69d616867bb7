//! A store and an outbox for one test, and jobs that write down that they ran.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use onceward::testing::TestStore;
use onceward::{
    Context, Done, Filter, Job, JobView, NewRow, Outbox, Outcome, Relay, Relayed, Run, State, Target, Worker,
};
use onceward_brokers::{Intake, Rules, Source, Taken};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub(crate) type Failed = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Verdict<T = ()> = Result<T, Failed>;

/// A job that writes down that it ran.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) n: u64,
}

impl Job for Record {
    const KIND: &'static str = "record";
    const QUEUE: &'static str = "records";
}

impl Run for Record {
    type App = Diary;

    async fn run(self, ctx: &Context<Diary>) -> Outcome {
        ctx.app().0.lock().unwrap().push(self.n);
        Ok(Done::Nothing)
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Diary(Arc<Mutex<Vec<u64>>>);

/// An application's outbox.
pub(crate) struct Rows {
    pub(crate) outbox: Outbox,
    _folder: TempDir,
}

impl Rows {
    pub(crate) async fn new() -> Verdict<Self> {
        let folder = tempfile::tempdir()?;
        let url = format!("sqlite://{}/app.db", folder.path().display());
        Ok(Self { outbox: Outbox::open(&url).await?, _folder: folder })
    }

    pub(crate) async fn write(&self, row: impl Into<NewRow>) -> Verdict {
        self.outbox.enqueue(row).await?;
        Ok(())
    }

    /// Hands over until all are there.
    pub(crate) async fn relay_all(&self, to: Arc<dyn Target>) -> Verdict<u64> {
        let relay = Relay::new(self.outbox.clone(), to);
        let mut sent = 0;
        until("all are sent", Duration::from_secs(1000), async || {
            sent += relay.run_until_idle().await?.sent;
            Ok(self.outbox.lag().await?.waiting == 0)
        })
        .await?;
        Ok(sent)
    }

    pub(crate) async fn relay(&self, to: Arc<dyn Target>) -> Verdict<Relayed> {
        Ok(Relay::new(self.outbox.clone(), to).run_until_idle().await?)
    }
}

pub(crate) fn rules() -> Rules {
    Rules::new(Record::QUEUE, Some(Record::KIND.to_owned()))
}

/// All that waits in the source, until nothing is there any more.
pub(crate) async fn take<S: Source>(store: &TestStore, source: S, rules: Rules) -> Taken {
    Intake::new((**store).clone(), source, rules).run_until_idle().await
}

/// Runs all jobs, and gives the numbers of those that ran.
pub(crate) async fn ran(store: &TestStore) -> Verdict<Vec<u64>> {
    let diary = Diary::default();
    let worker = Worker::builder(store).register::<Record>(diary.clone()).queue(Record::QUEUE, 20).build()?;
    worker.run_until_idle().await?;
    let mut ran = diary.0.lock().unwrap().clone();
    ran.sort_unstable();
    Ok(ran)
}

pub(crate) async fn jobs(store: &TestStore, state: State) -> Verdict<Vec<JobView>> {
    let mut jobs = store.jobs(&Filter::state(state), 1000, None).await?.items;
    jobs.reverse();
    Ok(jobs)
}

/// Asks until it is so.
pub(crate) async fn until(
    what: &str,
    within: Duration,
    mut ask: impl AsyncFnMut() -> Verdict<bool>,
) -> Verdict {
    let deadline = Instant::now() + within;
    while !ask().await? {
        if Instant::now() >= deadline {
            return Err(format!("{what}: did not happen within {within:?}").into());
        }
        pass(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Lets time pass where time itself is what is tested.
pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep(time).await; // sleeps: visibility, cuts and kills are a matter of time
}
