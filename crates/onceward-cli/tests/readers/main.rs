//! Feeds as a reader written by others has them: newsboat reads them while the publishing process is killed, and its
//! cache alone is asked what it saw.

#[path = "../../../../tests/src/chance.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod chance;
mod kills;
mod newsboat;
mod site;
