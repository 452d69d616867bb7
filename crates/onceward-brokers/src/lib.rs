//! Brokers beside the queue: as targets that a relay hands rows over to, and as sources whose messages become jobs.
//!
//! A broker's message becomes a job row on receipt, under the message's id, and is acknowledged once that row is
//! durable. From there leases, effects and dead jobs are the queue's. What each engine promises, and what it can lose,
//! stands in `docs/guide/brokers.md`; how a message is written, in `docs/messages.md`.
//!
//! ```text
//! wire        how a message is written: names of headers, to and from (pure)
//! unreadable  what cannot become a job is kept as a dead one (pure)
//! source      what a broker must offer to be a source
//! intake      receive, within the room of the queues · make: one write of jobs · hand: ours until kept, then acknowledged
//! address     a URL taken apart (pure)    by_url      any broker by its URL
//! waves       messages of one key never overtake each other
//! nats rabbitmq sqs     one folder each: target, source
//! ```
//!
//! Each engine is a feature; `full` has all.

#![cfg_attr(
    not(any(feature = "nats", feature = "rabbitmq", feature = "sqs")),
    allow(dead_code, unused, reason = "without an engine there is nobody to hand over to")
)]

mod address;
pub mod by_url;
mod intake;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "rabbitmq")]
pub mod rabbitmq;
mod source;
#[cfg(feature = "sqs")]
pub mod sqs;
mod unreadable;
mod waves;
mod wire;

pub use intake::{BACKLOG_FULL, Intake, Rules, Taken};
pub use source::{Delivery, Incoming, Source};
pub use wire::{Defaults, PREFIX};
