//! The Bluesky channel against the reference server of the AT Protocol, written by others. The server alone is asked
//! what was posted.

mod answers;
#[path = "../../../../tests/src/chance.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod chance;
mod kills;
mod lane;
mod posts;
mod server;
mod wire;
