//! Messages of a source become jobs: received, enqueued in one write, acknowledged once that is durable.
//!
//! A message is acknowledged only then, so it comes again after any crash, and its id tells that it made its job.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use onceward::{Cause, Enqueued, Error, MESSAGE_HORIZON, NewJob, Onceward, Time};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::source::{Delivery, Source};
use crate::unreadable::{Known, dead_jobs};
use crate::wire::{self, Defaults};

/// Messages of one write.
const BATCH: usize = 500;
/// Jobs of a queue that may be due before its source waits.
const BACKLOG: usize = 10_000;
/// How long one request waits for a message, and so how long a stop may take.
const WAIT: Duration = Duration::from_secs(1);
/// How often a full queue is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// The first pause after a failure; it doubles.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Queues whose backlog is watched beside the source's own.
const QUEUES: usize = 100;

/// The code of a cause: so many jobs are due that no more messages are taken.
pub const BACKLOG_FULL: &str = "backlog_full";

/// What becomes of a source's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// For messages that do not say their queue or kind.
    pub defaults: Defaults,
    /// For how long a repeat is known; what is older than that on arrival is held for a person. 8 days.
    pub horizon: Duration,
    /// So many due jobs of a queue, and no more messages are taken. 10,000.
    pub backlog: usize,
    /// Messages of one write. 500.
    pub batch: usize,
    /// Leave what cannot become a job to the engine's own dead letters, instead of keeping it as a dead job. Where the
    /// engine has none for this queue, such a message is lost, or on SQS comes for ever.
    pub reject: bool,
}

impl Rules {
    /// All as usual, for messages that go to this queue unless they say otherwise.
    pub fn new(queue: impl Into<String>, kind: Option<String>) -> Self {
        let defaults = Defaults { queue: queue.into(), kind };
        Self { defaults, horizon: MESSAGE_HORIZON, backlog: BACKLOG, batch: BATCH, reject: false }
    }
}

/// What an intake did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Messages that made a job.
    pub jobs: u64,
    /// Messages whose job was there already.
    pub repeats: u64,
    /// Messages that can be no job: dead jobs now, or left to the engine's dead letters.
    pub unreadable: u64,
}

impl Taken {
    fn add(&mut self, other: Self) {
        self.jobs += other.jobs;
        self.repeats += other.repeats;
        self.unreadable += other.unreadable;
    }
}

/// Carries the messages of one source into a queue.
#[derive(Debug)]
pub struct Intake<S> {
    once: Onceward,
    source: S,
    rules: Rules,
}

/// What an intake knows between its rounds.
#[derive(Debug)]
struct Going {
    queues: BTreeSet<String>,
    /// Messages that may come before the backlog is looked at again.
    credit: usize,
}

impl<S: Source> Intake<S> {
    /// From this source into this queue.
    pub fn new(once: Onceward, source: S, rules: Rules) -> Self {
        Self { once, source, rules }
    }

    /// Takes messages until `stop` is ready; what is under way is ended first.
    ///
    /// Failures of the broker and of the store are waited out and logged.
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Taken {
        let (told, stopped) = watch::channel(false);
        let taking = self.run(stopped, false);
        tokio::pin!(taking, stop);
        tokio::select! {
            (taken, _) = &mut taking => return taken,
            () = &mut stop => drop(told.send(true)),
        }
        taking.await.0
    }

    /// Takes what waits now, and gives what became of it.
    pub async fn run_until_idle(&self) -> Taken {
        self.take_all().await.0
    }

    /// As [`Intake::run_until_idle`], with what ended it early: a failure, or [`BACKLOG_FULL`]. Then more may wait.
    pub async fn take_all(&self) -> (Taken, Option<Cause>) {
        let (_told, stopped) = watch::channel(false);
        self.run(stopped, true).await
    }

    async fn run(&self, mut stopped: watch::Receiver<bool>, until_idle: bool) -> (Taken, Option<Cause>) {
        let mut going = Going { queues: BTreeSet::from([self.rules.defaults.queue.clone()]), credit: 0 };
        let (mut total, mut pause) = (Taken::default(), Duration::ZERO);
        while !*stopped.borrow() {
            match self.round(&mut going, &mut stopped).await {
                Ok(Round::Took(taken)) => {
                    pause = Duration::ZERO;
                    total.add(taken);
                }
                Ok(Round::Nothing) if until_idle => break,
                Ok(Round::Full) if until_idle => return (total, Some(self.full())),
                Ok(Round::Nothing) => pause = Duration::ZERO,
                Ok(Round::Full) => rest(&mut stopped, LOOK).await,
                Err(cause) => {
                    let (source, code) = (self.source.name(), &*cause.code);
                    tracing::warn!(source, code, cause = cause.text, "no messages; it is tried again");
                    if until_idle {
                        return (total, Some(cause));
                    }
                    pause = (pause * 2).clamp(PAUSE, LONGEST_PAUSE);
                    rest(&mut stopped, pause).await;
                }
            }
        }
        (total, None)
    }

    fn full(&self) -> Cause {
        let due = self.rules.backlog;
        Cause::new(BACKLOG_FULL, format!("{due} jobs are due; more messages may wait until there are fewer"))
    }

    async fn round(&self, going: &mut Going, stopped: &mut watch::Receiver<bool>) -> Result<Round, Cause> {
        if going.credit == 0 {
            going.credit = self.room(&going.queues).await?;
        }
        if going.credit == 0 {
            return Ok(Round::Full);
        }
        let messages = self.source.receive(going.credit.min(self.rules.batch), WAIT).await?;
        if messages.is_empty() {
            return Ok(Round::Nothing);
        }
        going.credit = going.credit.saturating_sub(messages.len());
        self.note_queues(&mut going.queues, &messages);
        self.take(&messages, stopped).await.map(Round::Took)
    }

    /// How many more messages the fullest of the queues has room for.
    async fn room(&self, queues: &BTreeSet<String>) -> Result<usize, Cause> {
        let names: Vec<&str> = queues.iter().map(String::as_str).collect();
        let due = self.once.backlog(&names, self.rules.backlog).await.map_err(|error| store(&error))?;
        Ok(self.rules.backlog.saturating_sub(usize::try_from(due).unwrap_or(usize::MAX)))
    }

    fn note_queues(&self, queues: &mut BTreeSet<String>, messages: &[Delivery<S::Tag>]) {
        for Delivery { message, .. } in messages {
            let queue = wire::queue(message, &self.rules.defaults);
            if queues.len() < QUEUES && !queues.contains(queue) {
                queues.insert(queue.to_owned());
            }
        }
    }

    /// Keeps all of them, says meanwhile that they are worked on, and acknowledges them.
    async fn take(
        &self,
        messages: &[Delivery<S::Tag>],
        stopped: &mut watch::Receiver<bool>,
    ) -> Result<Taken, Cause> {
        let tags: Vec<&S::Tag> = messages.iter().map(|delivery| &delivery.tag).collect();
        let kept = {
            let keeping = self.keep_at_last(messages, stopped);
            tokio::pin!(keeping);
            loop {
                tokio::select! {
                    kept = &mut keeping => break kept,
                    () = next_extension(self.source.extend_every()) => self.extend(&tags).await,
                }
            }
        };
        let Some(kept) = kept else {
            self.source.give_back(&tags).await?;
            return Ok(Taken::default());
        };
        let (left, ours): (Vec<_>, Vec<_>) =
            tags.into_iter().enumerate().partition(|(at, _)| kept.left.contains(at));
        let tags = |some: Vec<(usize, _)>| some.into_iter().map(|(_, tag)| tag).collect::<Vec<_>>();
        if !left.is_empty() {
            self.source.reject(&tags(left)).await?;
        }
        if let Err(cause) = self.source.acknowledge(&tags(ours)).await {
            // What was kept is kept: they come again, and their ids are known then.
            tracing::warn!(
                source = self.source.name(),
                cause = cause.text,
                "messages could not be acknowledged"
            );
        }
        Ok(kept.taken)
    }

    async fn extend(&self, tags: &[&S::Tag]) {
        if let Err(cause) = self.source.extend(tags).await {
            // They come again, and their ids are known then.
            tracing::warn!(source = self.source.name(), cause = cause.text, "messages could not be extended");
        }
    }

    /// Tries until the store has them, or `None` when told to stop.
    ///
    /// They are not given back meanwhile: engines count deliveries, and some drop a message that came too often.
    async fn keep_at_last(
        &self,
        messages: &[Delivery<S::Tag>],
        stopped: &mut watch::Receiver<bool>,
    ) -> Option<Keeping> {
        let mut pause = PAUSE;
        loop {
            match self.keep(messages).await {
                Ok(kept) => return Some(kept),
                Err(error) => tracing::warn!(
                    source = self.source.name(), %error, messages = messages.len(),
                    "messages could not be written; they are kept, and it is tried again"
                ),
            }
            rest(stopped, pause).await;
            if *stopped.borrow() {
                return None;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn keep(&self, messages: &[Delivery<S::Tag>]) -> Result<Keeping, Error> {
        let now = Time::now();
        let mut kept = Keeping::default();
        let (mut jobs, mut places, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (at, Delivery { message, .. }) in messages.iter().enumerate() {
            match wire::job(message, &self.rules.defaults, self.rules.horizon, now) {
                Ok(job) => {
                    jobs.push(job);
                    places.push(at);
                }
                Err(cause) => wrong.push((at, cause)),
            }
        }
        for (at, answer) in places.into_iter().zip(self.enqueue(jobs).await?) {
            match answer {
                Ok(Enqueued::New(_) | Enqueued::Updated(_)) => kept.taken.jobs += 1,
                Ok(Enqueued::Skipped { .. }) => kept.taken.repeats += 1,
                Err(error) => wrong.push((at, Cause::new(error.code(), error.to_string()))),
            }
        }
        self.keep_dead(messages, &wrong, &mut kept).await?;
        Ok(kept)
    }

    async fn keep_dead(
        &self,
        messages: &[Delivery<S::Tag>],
        wrong: &[(usize, Cause)],
        kept: &mut Keeping,
    ) -> Result<(), Error> {
        kept.taken.unreadable = u64::try_from(wrong.len()).unwrap_or(u64::MAX);
        if self.rules.reject {
            kept.left = wrong.iter().map(|(at, _)| *at).collect();
            return Ok(());
        }
        let others = self.bury(messages, wrong, Known::ById).await?;
        self.bury(messages, &others, Known::ByAll).await.map(drop)
    }

    /// Keeps them as dead jobs; gives those whose id another message has.
    async fn bury(
        &self,
        messages: &[Delivery<S::Tag>],
        wrong: &[(usize, Cause)],
        known: Known,
    ) -> Result<Vec<(usize, Cause)>, Error> {
        let Rules { defaults, horizon, .. } = &self.rules;
        let (mut jobs, mut of) = (Vec::new(), Vec::new());
        for one @ (at, cause) in wrong {
            for job in dead_jobs(&messages[*at].message, defaults, *horizon, cause, known) {
                jobs.push(job);
                of.push(one);
            }
        }
        let mut others = Vec::new();
        for (one, answer) in of.into_iter().zip(self.enqueue(jobs).await?) {
            match answer {
                Err(Error::MessageConflict { .. }) if known == Known::ById => others.push(one.clone()),
                answer => drop(answer?),
            }
        }
        Ok(others)
    }

    async fn enqueue(&self, jobs: Vec<NewJob>) -> Result<Vec<Result<Enqueued, Error>>, Error> {
        if jobs.is_empty() { Ok(Vec::new()) } else { self.once.enqueue_each(jobs).await }
    }
}

/// One look at the source.
#[derive(Debug)]
enum Round {
    Took(Taken),
    Nothing,
    Full,
}

/// What the store has.
#[derive(Debug, Default)]
struct Keeping {
    taken: Taken,
    /// Places of messages that are left to the engine.
    left: BTreeSet<usize>,
}

fn store(error: &Error) -> Cause {
    Cause::new(error.code(), error.to_string())
}

async fn next_extension(every: Option<Duration>) {
    match every {
        Some(every) => tokio::time::sleep(every).await,
        None => std::future::pending().await,
    }
}

/// Waits, unless told to stop.
async fn rest(stopped: &mut watch::Receiver<bool>, time: Duration) {
    let until = Instant::now() + time;
    // A dropped sender means to stop.
    let _ = tokio::time::timeout_at(until, stopped.wait_for(|stop| *stop)).await;
}
