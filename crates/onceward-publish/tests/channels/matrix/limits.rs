//! A platform asks to wait, in every way in which one does: nothing is asked of it before the time, no other channel
//! waits, no try is spent, and it goes out afterwards.

use std::sync::Arc;
use std::time::Duration;

use onceward::{JobId, State};
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_sandbox::{Fault, Kind, Options, Sandbox, Unit};

use super::cell::{picture, post, wrong};
use super::places::{ALL, Which};
use crate::stage::{Stage, Verdict, store};

/// The channel that is told to wait, and one that is not.
const CHANNELS: [&str; 2] = ["it", "other"];
const WAIT: Duration = Duration::from_mins(10);
/// Certainly before its end, and certainly after: `Date` and some units count whole seconds.
const BEFORE: Duration = Duration::from_secs(590);
const AFTER: Duration = Duration::from_mins(11);

/// In every unit that the sandbox knows, and as the platform itself says it. A new unit does not compile before it is
/// here.
fn units() -> Vec<Option<Unit>> {
    let (mut units, mut unit) = (vec![None], Some(Unit::Seconds));
    while let Some(it) = unit {
        units.push(Some(it));
        unit = match it {
            Unit::Seconds => Some(Unit::Float),
            Unit::Float => Some(Unit::Epoch),
            Unit::Epoch => Some(Unit::Iso),
            Unit::Iso => Some(Unit::HttpDate),
            Unit::HttpDate => Some(Unit::Body),
            Unit::Body => None,
        };
    }
    units
}

struct Run {
    which: Which,
    sandbox: Sandbox,
    stage: Stage,
    folder: tempfile::TempDir,
}

impl Run {
    async fn begin(which: Which, unit: Option<Unit>, client: &Client) -> Verdict<Self> {
        let mut options = Options::default();
        options.faults.limits = false;
        let (sandbox, store) = (Sandbox::start(options).await?, store().await?);
        let other = if which == Which::Webhook { Which::Telegram } else { Which::Webhook };
        let adapters: [Arc<dyn Channel>; 2] = [
            which.adapter(&sandbox, &store, client.clone()).await?,
            other.adapter(&sandbox, &store, client.clone()).await?,
        ];
        let channels: Vec<_> = CHANNELS.into_iter().zip(adapters).collect();
        let stage = Stage::over(store, &channels).await?;
        let limit = Fault::new(Kind::RateLimit(WAIT.as_secs_f64(), unit));
        sandbox.fault(limit.on(which.platform()).act(which.visible()).times(1));
        let folder = tempfile::tempdir()?;
        picture(folder.path())?;
        Ok(Self { which, sandbox, stage, folder })
    }

    /// A post for both channels, then all that is due.
    async fn publish(&self, id: &str) -> Verdict<Vec<JobId>> {
        let jobs = self.stage.enqueue_to_all(&self.folder.path().join("a.md"), &post(self.which, id)).await?;
        self.stage.once(jobs[0]).await?;
        Ok(jobs)
    }

    /// All requests to the platform that asked to wait, whatever they ask.
    fn asked(&self) -> usize {
        let platform = self.which.platform();
        self.sandbox.ledger().arrivals.iter().filter(|it| it.platform == platform).count()
    }

    async fn state(&self, job: JobId) -> Verdict<State> {
        Ok(self.stage.store.job(job).await?.state)
    }

    async fn all(&self) -> Verdict {
        let begun = self.stage.store.db().clock().test_time().ok_or("no clock")?;
        let first = self.publish("one").await?;
        let job = self.stage.store.job(first[0]).await?;
        let code = job.error.as_ref().map(|error| error.class.clone());
        wrong(job.state != State::Pending || code.as_deref() != Some("rate_limited"), || format!("{job:?}"))?;
        wrong(self.state(first[1]).await? != State::Done, || "the other channel waits".to_owned())?;
        let queues = self.stage.store.queues().await?;
        let until = queues.iter().find(|queue| queue.name == "it").and_then(|queue| queue.not_before);
        let wait = until.map(|until| until.since(begun)).unwrap_or_default();
        wrong(!(BEFORE..AFTER).contains(&wait), || format!("it waits for {wait:?}"))?;

        let asked = self.asked();
        self.move_on(begun.after(BEFORE));
        let second = self.publish("two").await?;
        wrong(self.asked() != asked, || "it was asked before its time".to_owned())?;
        wrong(self.state(second[0]).await? != State::Pending, || "the second did not wait".to_owned())?;
        wrong(self.state(second[1]).await? != State::Done, || "the other channel waits".to_owned())?;

        self.move_on(begun.after(AFTER));
        for job in [first[0], second[0]] {
            self.stage.once(job).await?;
        }
        for job in [first[0], second[0]] {
            let job = self.stage.store.job(job).await?;
            wrong(job.state != State::Done || job.tries != 0, || format!("afterwards: {job:?}"))?;
        }
        let seen = self.sandbox.ledger().visible(self.which.platform()).count();
        wrong(seen != 2, || format!("{seen} of 2 are there"))
    }

    fn move_on(&self, to: onceward::Time) {
        let now = self.stage.store.db().clock().test_time().unwrap_or(to);
        self.sandbox.advance(to.since(now));
        self.stage.store.set_clock(to);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_is_kept_in_every_unit_on_every_kind_of_channel() -> Verdict {
    let (client, mut failed) = (Client::builder().build()?, Vec::new());
    for which in ALL {
        if which == Which::Email {
            println!(
                "exempt: SMTP has no way to tell how long to wait; mail is tried again by its own policy"
            );
            continue;
        }
        let runs = units().into_iter().map(async |unit| match Run::begin(which, unit, &client).await {
            Ok(run) => (unit, run.all().await),
            Err(error) => (unit, Err(error)),
        });
        for (unit, ended) in futures_util::future::join_all(runs).await {
            failed.extend(ended.err().map(|why| format!("{which:?} {unit:?}: {why}")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
