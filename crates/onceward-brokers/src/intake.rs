//! Messages of a source become jobs: received, enqueued in one write ([`make`]), acknowledged once that is durable
//! ([`hand`]).
//!
//! A message is acknowledged only then, so it comes again after any crash, and its id tells that it made its job.

mod hand;
mod make;
mod room;

use std::future::Future;
use std::time::Duration;

use onceward::{Backoff, Cause, Error, MESSAGE_HORIZON, Onceward};
use tokio::sync::watch;
use tokio::time::Instant;

use self::room::Room;
use crate::source::Source;
use crate::wire::{self, Defaults};

/// Messages of one write.
const BATCH: usize = 500;
/// Jobs of a queue that may be due before its source waits.
const BACKLOG: usize = 10_000;
/// How long one request waits for a message, and so how long a stop may take.
const WAIT: Duration = Duration::from_secs(1);
/// How often a full queue is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// After failures of the broker or of the store.
const PAUSE: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_mins(1) };

/// The code of a cause: so many jobs are due that no more messages are taken.
pub const BACKLOG_FULL: &str = "backlog_full";

/// What becomes of a source's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// For messages that do not say their queue or kind.
    pub defaults: Defaults,
    /// For how long a repeat is known; what is older than that on arrival is held for a person. 8 days.
    pub horizon: Duration,
    /// So many due jobs of a queue that messages go to at present, and no more are taken. 10,000.
    pub backlog: usize,
    /// Messages of one write. 500.
    pub batch: usize,
    /// Leave what cannot become a job to the engine's own dead letters, instead of keeping it as a dead job. Where the
    /// source cannot ([`Source::can_reject`]) it is a dead job all the same. A queue of RabbitMQ without a dead-letter
    /// exchange drops it.
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
        let (mut total, mut room, mut failures) = (Taken::default(), Room::default(), 0_u32);
        while !*stopped.borrow() {
            match self.round(&mut room, &mut stopped).await {
                Ok(Round::Took(taken)) => {
                    failures = 0;
                    total.add(taken);
                }
                Ok(Round::Nothing) if until_idle => break,
                Ok(Round::Full) if until_idle => return (total, Some(self.full(&room))),
                Ok(Round::Nothing) => failures = 0,
                Ok(Round::Full) => rest(&mut stopped, LOOK).await,
                Err(cause) => {
                    let (source, code) = (self.source.name(), &*cause.code);
                    tracing::warn!(source, code, cause = cause.text, "no messages; it is tried again");
                    if until_idle {
                        return (total, Some(cause));
                    }
                    rest(&mut stopped, PAUSE.after(failures)).await;
                    failures = failures.saturating_add(1);
                }
            }
        }
        (total, None)
    }

    fn full(&self, room: &Room) -> Cause {
        let (due, queue) = (self.rules.backlog, room.full().unwrap_or(&self.rules.defaults.queue));
        let text = format!("{due} jobs of {queue} are due; more messages may wait until there are fewer");
        Cause::new(BACKLOG_FULL, text)
    }

    async fn round(&self, room: &mut Room, stopped: &mut watch::Receiver<bool>) -> Result<Round, Cause> {
        self.look(room).await?;
        if room.most() == 0 {
            return Ok(Round::Full);
        }
        let messages = self.source.receive(room.most().min(self.rules.batch), WAIT).await?;
        if messages.is_empty() {
            return Ok(Round::Nothing);
        }
        room.came(messages.iter().map(|delivery| wire::goes_to(&delivery.message, &self.rules.defaults)));
        self.take(&messages, stopped).await.map(Round::Took)
    }

    /// One queue's backlog says nothing of another's, so each is looked at by itself.
    async fn look(&self, room: &mut Room) -> Result<(), Cause> {
        let most = self.rules.backlog;
        for queue in room.unsure() {
            let due = self.once.backlog(&[&queue], most).await.map_err(|error| store(&error))?;
            room.found(queue, most.saturating_sub(usize::try_from(due).unwrap_or(usize::MAX)));
        }
        Ok(())
    }
}

/// One look at the source.
#[derive(Debug)]
enum Round {
    Took(Taken),
    Nothing,
    Full,
}

fn store(error: &Error) -> Cause {
    Cause::new(error.code(), error.to_string())
}

/// Waits, unless told to stop.
async fn rest(stopped: &mut watch::Receiver<bool>, time: Duration) {
    let until = Instant::now() + time;
    // A dropped sender means to stop.
    let _ = tokio::time::timeout_at(until, stopped.wait_for(|stop| *stop)).await;
}
