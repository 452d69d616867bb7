//! Bluesky, and any other server of the AT Protocol: a post's record has a key that we choose, so that the same post
//! written twice is one post.
//!
//! ```text
//! adapter   the acts of the contract
//! render    a post → records, each within the platform's limits. Pure
//! record    what is frozen of a part, and what a server holds against it
//! rkey      the key of a record, made from its moment and the ledger's key
//! commit    the one write, and the look that tells what became of it
//! session   one login for all acts; renewed by one at a time
//! api       calls and their answers
//! errors    what the answers mean
//! ```

mod adapter;
mod api;
mod commit;
mod errors;
mod record;
mod render;
mod rkey;
mod session;

pub use adapter::BlueskyChannel;
