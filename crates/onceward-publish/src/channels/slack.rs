//! Slack: as a bot, which can look for what it sent, or by an incoming webhook, which cannot.
//!
//! <https://docs.slack.dev/reference/methods/chat.postMessage>,
//! <https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks>

mod api;
mod bot;
mod errors;
mod history;
mod mrkdwn;
mod pictures;
mod render;
mod webhook;

pub use bot::SlackBot;
pub use webhook::SlackWebhook;
