//! The e-mail channel against Postfix, written by others. Its maildir alone is asked what was delivered.

#[path = "../../../../tests/src/chance.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod chance;
mod kills;
mod lane;
mod postfix;
mod replies;
mod sink;
mod wire;
