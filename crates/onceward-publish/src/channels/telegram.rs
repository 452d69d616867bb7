//! Telegram: a bot in a chat. A bot cannot read what it sent, so a lost answer is for a person.
//!
//! <https://core.telegram.org/bots/api>

mod adapter;
mod api;
mod errors;
mod media;
mod render;

pub use adapter::TelegramChannel;
