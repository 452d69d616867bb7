//! A durable job queue that carries work to the outside world once.

pub mod circuit;
mod context;
mod effect;
mod error;
mod failure;
mod heartbeat;
mod job;
mod keeper;
mod lease;
mod onceward;
mod outcome;
pub mod pace;
mod payload;
mod producer;
mod receipt;
mod registry;
pub mod retry;
pub mod schedule;
mod settle;
mod store;
pub mod testing;
pub mod time;
mod worker;

pub use context::Context;
pub use effect::{Class, Effect, Fallback, Intent, Look, Seen, Verifier};
pub use error::Error;
pub use failure::{Cause, Failure, OrFail, SendError};
pub use job::{Dedup, Enqueued, Job, JobId, NewJob, Run, State};
pub use lease::{Claimed, Lease, Purpose};
pub use onceward::{Engine, Onceward};
pub use onceward_db::Time;
pub use outcome::{Done, Outcome};
pub use receipt::Receipt;
pub use worker::{Report, Worker, WorkerBuilder};

