//! What an actor is told to do. Travels as JSON in its only argument.

use std::time::Duration;

use onceward::NewJob;
use onceward::retry::RetryPolicy;
use serde::{Deserialize, Serialize};

/// The kind of all jobs in these tests.
pub const KIND: &str = "act";
/// Their queue.
pub const QUEUE: &str = "stage";
/// A queue with a rate, for tests that give it one.
pub const PACED: &str = "paced";
/// Where alerts go.
pub const OPS: &str = "ops";

/// What one actor does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Orders {
    /// The store.
    pub url: String,
    /// Once ready, it waits for a line on stdin: so many actors begin at one moment.
    pub on_go: bool,
    /// The time that its statements see (microseconds since 1970); each further line on stdin moves it.
    pub clock: Option<i64>,
    /// To enqueue.
    pub produce: Option<Produce>,
    /// To work.
    pub work: Option<Work>,
    /// To enqueue, then to work until idle, over and over; says which jobs are done after each round.
    pub rounds: bool,
}

/// What to enqueue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Produce {
    /// Where to.
    pub queue: String,
    /// What the jobs do.
    pub act: Act,
    /// So many tasks enqueue at once.
    pub tasks: usize,
    /// So many jobs each; `None`: until the actor ends.
    pub each: Option<usize>,
    /// All with this dedup key.
    pub key: Option<String>,
}

/// How to work.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Work {
    /// Jobs at once.
    pub concurrency: usize,
    /// See the worker's builder.
    pub lease: Duration,
    /// See the worker's builder.
    pub grace: Duration,
    /// See the worker's builder.
    pub longest: Duration,
    /// Until nothing is due; else until SIGTERM.
    pub until_idle: bool,
    /// Also the queues [`PACED`] and [`OPS`], and tells [`OPS`] of dead jobs.
    pub whole: bool,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            concurrency: 8,
            lease: Duration::from_secs(2),
            grace: Duration::from_secs(2),
            longest: Duration::from_mins(1),
            until_idle: false,
            whole: false,
        }
    }
}

impl Orders {
    /// To open this store, and no more.
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), on_go: false, clock: None, produce: None, work: None, rounds: false }
    }

    /// To work there.
    pub fn work(url: &str, work: Work) -> Self {
        Self { work: Some(work), ..Self::at(url) }
    }

    /// To enqueue there.
    pub fn produce(url: &str, produce: Produce) -> Self {
        Self { produce: Some(produce), ..Self::at(url) }
    }
}

/// What a job does when it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Act {
    /// It is done at once.
    Nothing,
    /// It takes so many milliseconds, and lets others run meanwhile.
    Take {
        /// How long.
        ms: u64,
    },
    /// The first attempt never ends; the next is done at once.
    HangOnce,
    /// The first attempt holds its thread for so long, then settles itself in a transaction of its own, come what may;
    /// the next takes twice as long.
    StallOnce {
        /// How long.
        ms: u64,
    },
    /// It settles itself in a transaction of its own.
    Complete,
    /// Panics, with a text that no store can keep as it is.
    Panic,
    /// Ends the process.
    Abort,
    /// Never ends, and lets others run.
    Loop,
    /// Never ends, and never lets go of its thread.
    Block,
    /// It is dead at once.
    Die,
    /// One effect: a post to the peer at that port.
    Post {
        /// Where to.
        port: u16,
        /// What it is called there.
        name: u32,
        /// What the peer offers.
        offer: Offer,
    },
    /// Fails with NUL, lone surrogates and 10 MB of text.
    Rant,
}

/// What the peer of a post offers for sending once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// It knows a key again.
    Key,
    /// The same post any number of times is one.
    Sameness,
    /// It can be asked.
    Look,
    /// Nothing.
    Nothing,
}

impl Offer {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Key, Self::Sameness, Self::Look, Self::Nothing];
}

impl Act {
    /// A job that does this.
    pub fn job(self) -> NewJob {
        let payload = serde_json::to_string(&self).unwrap_or_default();
        NewJob::untyped(QUEUE, KIND, payload).retry(QUICK)
    }
}

/// Three tries, a moment apart.
pub const QUICK: RetryPolicy = RetryPolicy {
    max_attempts: 3,
    base: Duration::from_millis(50),
    factor: 2.0,
    max: Duration::from_secs(1),
    jitter: 0.0,
};
