//! A job: data that a worker turns into work.

mod text;

use std::fmt;
use std::future::Future;
use std::str::FromStr;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::retry::RetryPolicy;
use crate::{Cause, Context, Error, Outcome, Time, payload};

pub(crate) use self::text::{name, reason};

/// The number of a job: given once, never given again.
pub type JobId = i64;

/// What producers need of a job: its data *is* the struct.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of this kind of job; stored with each one, so it must not change.
    const KIND: &'static str;
    /// Raised when the payload changes in a way that older programs cannot read. They leave newer jobs alone.
    const VERSION: u32 = 1;
    /// The queue it goes to unless told otherwise.
    const QUEUE: &'static str = "default";

    /// The job with its settings still open.
    fn with(self) -> NewJob
    where
        Self: Sized,
    {
        NewJob::from(self)
    }
}

/// What workers need of a job.
pub trait Run: Job {
    /// What the handler works with: clients, pools, settings.
    type App: Clone + Send + Sync + 'static;

    /// Does the work once. **Outside [`Context::effect`] it is at-least-once**: after a crash it runs again.
    fn run(self, ctx: &Context<Self::App>) -> impl Future<Output = Outcome> + Send;
}

/// Where a job is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for its time.
    Pending,
    /// Leased by a worker.
    Running,
    /// The effect happened.
    Done,
    /// Gave up; kept until someone decides.
    Dead,
    /// An effect may have happened.
    InDoubt,
    /// Someone said no before it happened.
    Cancelled,
}

impl State {
    /// All of them, in the order of a life.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Running, Self::Done, Self::Dead, Self::InDoubt, Self::Cancelled];

    /// The word in the store, the API and `--json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Dead => "dead",
            Self::InDoubt => "in_doubt",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for State {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|state| state.as_str() == word).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|state| state.as_str()).collect();
            Error::invalid("unknown_state", format!("{word:?} is no state; known: {}", known.join(", ")))
        })
    }
}

/// For how long a dedup key keeps others out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dedup {
    /// One job per key, ever.
    Forever,
    /// Until the first job is done, dead or cancelled.
    UntilSettled,
    /// For this long after the enqueue.
    For(Duration),
}

/// What an enqueue does when its dedup key has a job with another payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OnChange {
    /// Fails, naming the first job.
    #[default]
    Conflict,
    /// Changes the first job while nothing of it was sent; else skips, saying that it differs.
    Update,
}

/// The message that a job is made from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub id: String,
    /// For how long a repeat of it is known.
    pub horizon: Duration,
    /// Of what it carries; `None`: of what the job carries.
    pub hash: Option<String>,
}

/// An ordering key in one hand-over. Many hand-overs may share a write, and the keys of one mean nothing in another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct InOrder {
    pub hand_over: u64,
    pub key: String,
}

/// A job about to be enqueued.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub(crate) queue: String,
    pub(crate) kind: String,
    pub(crate) version: u32,
    pub(crate) payload: Result<String, String>,
    pub(crate) run_at: Option<Time>,
    pub(crate) delay: Option<Duration>,
    pub(crate) held: Option<String>,
    pub(crate) dedup: Option<(String, Dedup)>,
    pub(crate) message: Option<Origin>,
    /// Not before those of the same that were not made.
    pub(crate) order: Option<InOrder>,
    pub(crate) on_change: OnChange,
    pub(crate) policy: Option<RetryPolicy>,
    /// Why it can never run as it is.
    pub(crate) dead: Option<Cause>,
    /// When what it stands for was: the time of a schedule, a row of an outbox.
    pub(crate) stands_for: Option<Time>,
}

impl<J: Job> From<J> for NewJob {
    fn from(job: J) -> Self {
        let payload = serde_json::to_string(&job).map_err(|e| e.to_string());
        Self { version: J::VERSION, payload, ..Self::untyped(J::QUEUE, J::KIND, "") }
    }
}

impl NewJob {
    /// A job by its kind and payload (JSON text, kept byte for byte), for callers that do not have its type.
    pub fn untyped(queue: impl Into<String>, kind: impl Into<String>, payload: impl Into<String>) -> Self {
        Self {
            queue: queue.into(),
            kind: kind.into(),
            version: 1,
            payload: Ok(payload.into()),
            run_at: None,
            delay: None,
            held: None,
            dedup: None,
            message: None,
            order: None,
            on_change: OnChange::Conflict,
            policy: None,
            dead: None,
            stands_for: None,
        }
    }

    /// Puts it in another queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = queue.into();
        self
    }

    /// Not before this instant, by the database's clock.
    #[must_use]
    pub fn run_at(mut self, at: Time) -> Self {
        self.run_at = Some(at);
        self
    }

    /// Not before this long from now, by the database's clock.
    #[must_use]
    pub fn run_in(mut self, wait: Duration) -> Self {
        self.delay = Some(wait);
        self
    }

    /// One job per key. The same key with another payload is an error that names the first job.
    #[must_use]
    pub fn dedup(mut self, key: impl Into<String>, held: Dedup) -> Self {
        self.dedup = Some((key.into(), held));
        self
    }

    /// Made from a message of an outbox or a broker: the same message once more makes no second job, for this long.
    /// Another one under its id is an error that names the first job.
    #[must_use]
    pub fn message(mut self, id: impl Into<String>, horizon: Duration) -> Self {
        self.message = Some(Origin { id: id.into(), horizon, hash: None });
        self
    }

    /// As [`NewJob::message`], where the job carries something else than the message did: `hash` is the message's
    /// ([`message_hash`](crate::message_hash)).
    #[must_use]
    pub fn message_of(mut self, id: impl Into<String>, horizon: Duration, hash: impl Into<String>) -> Self {
        self.message = Some(Origin { id: id.into(), horizon, hash: Some(hash.into()) });
        self
    }

    /// Not made if one before it of the same was not.
    pub(crate) fn in_order(mut self, order: Option<InOrder>) -> Self {
        self.order = order;
        self
    }

    /// With a dedup key: another payload changes the first job while nothing of it was sent.
    #[must_use]
    pub fn update(mut self) -> Self {
        self.on_change = OnChange::Update;
        self
    }

    /// Waits for a release, with the reason shown: a word for programs (`approval`), or a text for people of at most 500
    /// bytes.
    #[must_use]
    pub fn hold(mut self, reason: impl Into<String>) -> Self {
        self.held = Some(reason.into());
        self
    }

    /// Its own retry policy instead of the worker's.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Dead from the start, for this reason: what came from elsewhere and cannot run as it is. No worker sees it, and a
    /// person may give it another payload and revive it.
    #[must_use]
    pub fn dead(mut self, cause: Cause) -> Self {
        self.dead = Some(cause);
        self
    }

    /// It stands for something that was at that time. If the store has lost commits since, it may not be the first job for
    /// it, and is found out before it is sent.
    #[must_use]
    pub fn standing_for(mut self, at: Time) -> Self {
        self.stands_for = Some(at);
        self
    }

    /// The version of its payload, for untyped jobs.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Fails as an enqueue would, without a store: for a bad name, and a payload that is no JSON, too large or too deep.
    pub fn check(&self) -> Result<(), Error> {
        self.checked().map(drop)
    }

    /// The payload, if it breaks no limit.
    pub(crate) fn checked(&self) -> Result<&str, Error> {
        let payload = self.payload.as_deref();
        let payload = payload.map_err(|e| Error::invalid("payload_not_json", e.to_owned()))?;
        payload::check(payload)?;
        name("queue", &self.queue)?;
        name("kind", &self.kind)?;
        self.check_texts()?;
        self.check_times()?;
        Ok(payload)
    }

    /// An empty key or id would make one job of all that have it.
    fn check_texts(&self) -> Result<(), Error> {
        if let Some(why) = &self.held {
            reason(why)?;
        }
        if self.dedup.as_ref().is_some_and(|(key, _)| key.is_empty()) {
            return Err(Error::invalid(
                "bad_dedup",
                "the dedup key is empty: name what there is one of, or leave it out",
            ));
        }
        let Some(message) = &self.message else { return Ok(()) };
        if message.id.is_empty() {
            return Err(Error::invalid(
                "bad_message",
                "the message id is empty: expected one of its own, such as a UUID",
            ));
        }
        let fits = |hash: &String| {
            !hash.is_empty() && hash.len() <= 128 && hash.chars().all(|c| c.is_ascii_graphic())
        };
        if message.hash.as_ref().is_some_and(|hash| !fits(hash)) {
            return Err(Error::invalid(
                "bad_message",
                "the hash of the message: expected what `message_hash` gives",
            ));
        }
        Ok(())
    }

    /// What is further away, not every store can write down.
    fn check_times(&self) -> Result<(), Error> {
        self.run_at.map_or(Ok(()), |at| check_time("run_at", at))?;
        if self.delay.is_some_and(|wait| wait > LONGEST) {
            return Err(Error::invalid("bad_time", "a delay: expected at most 1000 years"));
        }
        let held_for = self.dedup.as_ref().map(|(_, held)| *held);
        if matches!(held_for, Some(Dedup::For(time)) if time > LONGEST) {
            return Err(Error::invalid(
                "bad_dedup",
                "the time that a dedup key counts: expected at most 1000 years",
            ));
        }
        Ok(())
    }
}

/// Fails for a time that not every store can write down. Such a one is shown as it stands in its column: as an instant it
/// would look like another.
pub(crate) fn check_time(what: &str, at: Time) -> Result<(), Error> {
    let shown = match at.micros() {
        EARLIEST..=LATEST => return Ok(()),
        i64::MAX => "infinity".to_owned(),
        ..=LEAST => "-infinity".to_owned(),
        micros => format!("{micros} microseconds"),
    };
    Err(Error::invalid("bad_time", format!("{what} {shown}: expected a time in the years 1 to 9999")))
}

/// 0001-01-01T00:00:00Z, in microseconds since 1970.
const EARLIEST: i64 = -62_135_596_800_000_000;
/// 9999-12-30T00:00:00Z.
const LATEST: i64 = 253_402_128_000_000_000;
/// PostgreSQL's `-infinity`, which counts from the year 2000.
const LEAST: i64 = i64::MIN + 946_684_800_000_000;
/// About 1000 years.
const LONGEST: Duration = Duration::from_hours(365_250 * 24);

/// What an enqueue did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enqueued {
    /// A new job.
    New(JobId),
    /// The key's job had not left yet, and carries the new payload now.
    Updated(JobId),
    /// The key's job stays as it is.
    Skipped {
        /// That job.
        existing: JobId,
        /// Where it is in its life.
        state: State,
        /// Whether the payload differs from what that job carries.
        changed: bool,
        /// Where its effect can be seen.
        url: Option<String>,
    },
}

impl Enqueued {
    /// The job that stands for this work now.
    pub fn id(&self) -> JobId {
        match self {
            Self::New(id) | Self::Updated(id) | Self::Skipped { existing: id, .. } => *id,
        }
    }
}
