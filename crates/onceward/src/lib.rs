//! A durable job queue that carries work to the outside world once.
//!
//! A job is a row: a kind, a payload, a state. It is written in the caller's own transaction, leased to one worker at a
//! time, and settled by what the *effect ledger* knows: an intent is durable before the first byte leaves, a receipt
//! after. What was lost in between is found out, or left to a person; it is never guessed.
//!
//! ```
//! use onceward::{Context, Job, Outcome, Receipt, Run, Worker};
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Welcome { email: String }
//! impl Job for Welcome { const KIND: &'static str = "email.welcome"; }
//! impl Run for Welcome {
//!     type App = ();
//!     async fn run(self, ctx: &Context<()>) -> Outcome {
//!         let receipt = ctx.effect("send", self.email).send(async |mail| Ok(Receipt::id(mail.key))).await?;
//!         Ok(receipt.into())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let once = onceward::testing::store().await?;
//! // let once = Onceward::open("sqlite://app.db").await?;
//! once.enqueue(Welcome { email: "ada@example.org".to_owned() }).await?;
//! let worker = Worker::builder(&once).register::<Welcome>(()).queue("default", 20).build()?;
//! assert_eq!(worker.run_until_idle().await?.done, 1);
//! # Ok(()) }
//! ```
//!
//! ```text
//! nouns             job  lease  attempt  outcome  failure  receipt  event  error  payload
//! pure decisions    settle  retry  backoff  pace  circuit  schedule  time  effect::decide  keeper::guard
//! store             one function for each operation, one body for both engines; its SQL is in sql/
//! producer          enqueues, alone or in your transaction
//! worker            claims, runs, settles, stops gently; registry (handlers), heartbeat (leases), context (what a
//!                   handler is given)
//! effect            one step that changes the world: intent → receipt, or doubt
//! alert             what needs a person is told, by a job
//! keeper            expired leases, due schedules, figures, retention
//! cancel dead doubt what people do: cancel, hold, move · revive, discard · verify, resolve
//! look queue status scheduler   jobs, queues, the whole, schedules, as people see them
//! testing           a store for each test, and its clock
//! ```
//!
//! The examples of this crate answer one question each: `signup` (a job in your transaction), `effect` (a lost
//! answer), `worker` (running and stopping).

mod alert;
mod attempt;
mod backoff;
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
mod outbox;
mod outcome;
pub mod pace;
mod payload;
#[cfg(test)]
mod planted;
mod producer;
mod queue;
mod receipt;
mod registry;
mod relay;
pub mod retry;
pub mod schedule;
mod scheduler;
mod settle;
mod status;
mod store;
pub mod testing;
pub mod time;
mod trouble;
mod worker;

pub use alert::{AlertMessage, AlertRule, AlertStanding, Alerted, Notice, Topic};
pub use attempt::Attempt;
pub use backoff::Backoff;
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
pub use onceward::{Contradiction, Engine, Onceward};
pub use onceward_db::Time;
pub use outbox::{Lag, MESSAGE_HORIZON, Message, NewRow, Outbox, REPLAY_WINDOW, RefusedRow, TargetView};
pub use outcome::{Done, Outcome};
pub use payload::{PAYLOAD_LIMIT, message_hash};
pub use queue::{CircuitView, Figures, Pause, QueueSettings, QueueView};
pub use receipt::Receipt;
pub use relay::{Handing, Handover, JobTarget, Order, Relay, RelayView, Relayed, Target};
pub use scheduler::{Schedule, ScheduleView};
pub use status::{RestoredView, Status, WorkerView};
pub use store::{OUTBOX_TABLES, QUEUE_TABLES};
pub use worker::{Report, Worker, WorkerBuilder};

/// The programs in these documents compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/guide/handlers.md")]
struct Documents;
