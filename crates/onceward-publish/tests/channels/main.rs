//! Channels against the stand-ins of their platforms, through the queue as a program has it.

mod alerts;
#[path = "../awkward/mod.rs"]
mod awkward;
mod bluesky;
mod devto;
mod email;
mod mastodon;
mod matrix;
mod reports;
mod script;
mod slack;
mod stage;
mod telegram;
mod telegram_wire;
