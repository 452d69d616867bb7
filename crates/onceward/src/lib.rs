//! A durable job queue that carries work to the outside world once.

mod attempt;
mod cancel;
pub mod circuit;
mod context;
mod dead;
mod doubt;
mod effect;
mod error;
mod event;
mod failure;
mod heartbeat;
mod job;
mod keeper;
mod lease;
mod look;
#[cfg(test)]
mod model;
mod onceward;
mod outcome;
pub mod pace;
mod payload;
#[cfg(test)]
mod planted;
mod producer;
mod queue;
mod receipt;
mod registry;
pub mod retry;
pub mod schedule;
mod scheduler;
mod settle;
mod status;
mod store;
pub mod testing;
pub mod time;
mod worker;

pub use attempt::Attempt;
pub use cancel::Cancelled;
pub use context::Context;
pub use dead::{Group, ReviveOptions, Revived};
pub use doubt::Resolution;
pub use effect::{Class, Effect, Fallback, Intent, Look, Seen, Verifier};
pub use error::Error;
pub use event::Event;
pub use failure::{Cause, Failure, OrFail, SendError};
pub use job::{Dedup, Enqueued, Job, JobId, NewJob, Run, State};
pub use keeper::Kept;
pub use lease::{Claimed, Lease, Purpose};
pub use look::{EffectView, Filter, JobDetails, JobError, JobView, Left, PAGE_LIMIT, Page, Selection};
pub use onceward::{Engine, Onceward};
pub use onceward_db::Time;
pub use outcome::{Done, Outcome};
pub use queue::{CircuitView, Figures, Pause, QueueSettings, QueueView};
pub use receipt::Receipt;
pub use scheduler::{Schedule, ScheduleView};
pub use status::{Status, WorkerView};
pub use store::QUEUE_TABLES;
pub use worker::{Report, Worker, WorkerBuilder};

