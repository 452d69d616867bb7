//! Webhooks after the Standard Webhooks specification: what is sent, and how it is signed.

mod adapter;
mod body;
mod sign;

pub use adapter::WebhookChannel;
pub use body::{Attached, Published, body};
pub use sign::{Headers, Key, KeyError, VerifyError, sign, verify};
