//! Tests with real processes. A test starts *actors* (`src/bin/actor`), reads the facts that they say on stdout, kills or
//! stalls them, and compares what was acknowledged with what the store holds.
//!
//! - [`orders`]: what an actor is told to do.
//! - [`fact`]: what it says, one JSON line for each thing that it was promised.
//! - [`actor`]: an actor as a test sees it: a process.
//! - [`store`]: a store for one test, and what is in it, read by SQL of the tests' own.
//! - [`peer`]: the other side of an effect, which counts.
//! - [`server`]: a PostgreSQL of a test's own, to be restarted and killed.
//! - [`history`]: facts against store; pure.
//! - [`page`]: a part of a page that a test writes.
//! - [`wait`]: the only place where a test waits.

pub mod actor;
pub mod chance;
pub mod fact;
pub mod history;
pub mod orders;
pub mod page;
pub mod peer;
pub mod server;
pub mod store;
pub mod wait;

// The conformance suite's way to a store of one's own; its laws use more of it than these tests do.
#[path = "../../crates/onceward/tests/stores/harness.rs"]
#[allow(dead_code)]
mod harness;

/// What a test gives.
pub type Verdict<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Runs each law on SQLite and on PostgreSQL.
#[macro_export]
macro_rules! laws {
    ($($law:ident),+ $(,)?) => {
        $crate::laws!(@store sqlite $($law),+);
        $crate::laws!(@store postgres $($law),+);
    };
    (@store $store:ident $($law:ident),+) => {
        mod $store { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() -> $crate::Verdict {
                super::$law(&$crate::store::Store::$store().await?).await
            }
        )+ }
    };
}
