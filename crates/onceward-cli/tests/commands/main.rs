//! The commands over a store, as people and scripts meet them: the real binary in a folder of its own.

mod batch;
mod brokers;
mod channels;
mod db;
mod dead;
mod doubt;
mod enqueue;
mod hostile;
mod jobs;
mod outbox;
mod outboxes;
mod postgres;
mod queues;
mod sandbox;
mod schedules;
mod secrets;
mod status;
mod support;
mod work;
