//! Mastodon, and other servers that speak its API.
//!
//! Mastodon knows an `Idempotency-Key` for an hour. Others either do not (`GoToSocial`), or keep it in memory and only
//! once they have answered (Pleroma, Akkoma), so that a repeat after a time-out could be a second post: there, as after
//! the hour, the account's own posts are listed and compared.
//!
//! <https://docs.joinmastodon.org/methods/statuses/>, <https://docs.joinmastodon.org/methods/media/>

mod adapter;
mod api;
mod errors;
mod html;
mod look;
mod media;
mod render;
mod server;

pub use adapter::MastodonChannel;
pub use render::Visibility;
