//! Channels against the stand-ins of their platforms, through the queue as a program has it.

mod alerts;
#[path = "../awkward/mod.rs"]
mod awkward;
mod bluesky;
mod devto;
mod email;
mod kinds;
mod mastodon;
mod matrix;
mod nights;
#[path = "../../../../tests/src/page.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod page;
mod reports;
mod script;
mod slack;
mod stage;
mod story;
mod telegram;
mod telegram_wire;
mod threads;
mod twins;
