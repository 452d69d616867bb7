//! A durable job queue that carries work to the outside world once.

pub mod circuit;
mod error;
mod failure;
mod job;
mod lease;
mod onceward;
mod outcome;
pub mod pace;
mod payload;
mod producer;
mod receipt;
pub mod retry;
pub mod schedule;
mod settle;
mod store;
pub mod testing;
pub mod time;

pub use error::Error;
pub use failure::{Cause, Failure, OrFail, SendError};
pub use job::{Dedup, Enqueued, Job, JobId, NewJob, Run, State};
pub use lease::{Claimed, Lease, Purpose};
pub use onceward::{Engine, Onceward};
pub use onceward_db::Time;
pub use outcome::{Done, Outcome};
pub use receipt::Receipt;

/// x
pub struct Context<A>(A);
