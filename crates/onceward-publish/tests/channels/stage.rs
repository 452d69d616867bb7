//! One channel, one store, one stand-in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::testing::{self, TestStore};
use onceward::{EffectView, JobId, Onceward, State, Time, Worker};
use onceward_publish::channel::Channel;
use onceward_publish::content::{Batch, Parsed, Rules, parse};
use onceward_publish::media;
use onceward_publish::{Configured, Dress, Plan, Publisher, Standing, Wishes};

pub(crate) type Verdict<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The channel's name, and its queue's.
pub(crate) const NAME: &str = "it";
/// How long an effect may take in these tests.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long an adapter waits: it ends first, since it knows what was sent.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);

pub(crate) struct Stage {
    pub(crate) store: Onceward,
    pub(crate) publisher: Publisher,
    names: Vec<&'static str>,
    /// Removed with the stage, where the store is its own.
    pub(crate) own: Option<TestStore>,
}

/// A store whose clock moves only when it is set.
pub(crate) async fn store() -> Verdict<TestStore> {
    let store = testing::store().await?;
    store.set_clock(Time::now());
    Ok(store)
}

fn configured(name: &str, adapter: Arc<dyn Channel>) -> Configured {
    Configured {
        name: name.to_owned(),
        was: None,
        adapter: Ok(adapter),
        dress: Dress::default(),
        retry: RetryPolicy::CHANNEL,
        late_after: Duration::from_hours(6),
        quiet: None,
        timeout: TIMEOUT,
        resend: false,
    }
}

impl Stage {
    pub(crate) async fn with(adapter: impl Channel) -> Verdict<Self> {
        Self::own(Arc::new(adapter)).await
    }

    /// On a store of its own.
    pub(crate) async fn own(adapter: Arc<dyn Channel>) -> Verdict<Self> {
        Self::over(store().await?, &[(NAME, adapter)]).await
    }

    /// Several channels over one store; every post goes to all of them.
    pub(crate) async fn over(
        store: TestStore,
        channels: &[(&'static str, Arc<dyn Channel>)],
    ) -> Verdict<Self> {
        let stage = Self::on((*store).clone(), channels).await?;
        Ok(Self { own: Some(store), ..stage })
    }

    /// The same on a store that others use as well.
    pub(crate) async fn on(store: Onceward, channels: &[(&'static str, Arc<dyn Channel>)]) -> Verdict<Self> {
        let named = channels.iter().map(|(name, adapter)| configured(name, Arc::clone(adapter)));
        let publisher = Publisher::open(&store, named.collect()).await?;
        let all = channels.iter().map(|(name, _)| *name).collect();
        Ok(Self { store, publisher, names: all, own: None })
    }

    /// What a run would do with one file.
    pub(crate) async fn plan(&self, text: &str) -> Verdict<Plan> {
        self.plan_at(Path::new(&format!("{}.md", text.len())), text).await
    }

    /// The same for a file of that name; its media lie beside it.
    pub(crate) async fn plan_at(&self, path: &Path, text: &str) -> Verdict<Plan> {
        let names = || self.names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rules = Rules {
            root: "/site".into(),
            static_root: None,
            timezone: None,
            channels: names().into_iter().collect(),
            groups: [].into(),
            default_channels: names(),
            now: Time::now(),
        };
        let read = parse(path, text.as_bytes(), &rules, &media::inspect);
        let Parsed::Content(content) = read else { return Err(format!("{read:?}").into()) };
        let batch = Batch { contents: vec![*content], ..Batch::default() };
        Ok(self.publisher.plan(batch, &Wishes::default()).await?)
    }

    pub(crate) async fn enqueue(&self, text: &str) -> Verdict<JobId> {
        self.enqueue_at(Path::new(&format!("{}.md", text.len())), text).await
    }

    pub(crate) async fn enqueue_at(&self, path: &Path, text: &str) -> Verdict<JobId> {
        Ok(self.enqueue_to_all(path, text).await?[0])
    }

    /// One job for each channel, in their order by name.
    pub(crate) async fn enqueue_to_all(&self, path: &Path, text: &str) -> Verdict<Vec<JobId>> {
        let plan = self.plan_at(path, text).await?;
        assert_eq!(plan.refused, []);
        Ok(self.publisher.enqueue(&plan).await?.concat().iter().map(onceward::Enqueued::id).collect())
    }

    /// Lets a worker do what is due, then moves the clock to the next look or try; until nothing moves any more.
    pub(crate) async fn settle(&self, job: JobId) -> Verdict<Standing> {
        self.settle_with(job, |_| ()).await
    }

    /// The same; `moves` hears how far the clock was moved each time, so that another can go along.
    pub(crate) async fn settle_with(&self, job: JobId, moves: impl Fn(Duration)) -> Verdict<Standing> {
        for _ in 0..20 {
            let standing = self.once(job).await?;
            let next = match standing.state {
                State::Pending => Some(standing.run_at),
                State::InDoubt => standing.check_at,
                _ => None,
            };
            let Some(next) = next else { return Ok(standing) };
            let queue_waits = Duration::from_mins(2);
            let next = next.max(standing.now).after(queue_waits);
            self.store.set_clock(next);
            moves(next.since(standing.now));
        }
        Err("it never ends".into())
    }

    /// Lets a worker do what is due.
    pub(crate) async fn once(&self, job: JobId) -> Verdict<Standing> {
        let builder = self.publisher.register(Worker::builder(&self.store));
        let builder = self.names.iter().fold(builder, |builder, name| builder.queue(name, 1));
        builder.build()?.run_until_idle().await?;
        self.standing(job).await
    }

    pub(crate) async fn standing(&self, job: JobId) -> Verdict<Standing> {
        Ok(self.publisher.standing(&[job]).await?.remove(0))
    }

    pub(crate) async fn effects(&self, job: JobId) -> Verdict<Vec<EffectView>> {
        Ok(self.store.effects(job).await?)
    }
}

/// The code of a standing's last error.
pub(crate) fn code(standing: &Standing) -> &str {
    standing.error.as_ref().map(|error| error.code.as_ref()).unwrap_or_default()
}
