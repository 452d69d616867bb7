//! One file or folder for each kind of channel; what is special about a platform is there and nowhere else.

mod answer;
pub mod archive;
pub mod atomic_file;
pub mod bluesky;
pub mod devto;
pub mod email;
mod entry;
pub mod feed;
pub mod mastodon;
mod ours;
mod reach;
mod shelf;
pub mod slack;
pub mod telegram;
pub mod webhook;

pub use entry::{Entry, Picture, stable_id};
