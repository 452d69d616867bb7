//! What a law needs of a broker.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use onceward::Target;
use onceward_brokers::Source;

use crate::support::Verdict;

/// How long a message stays with a source that says nothing more of it.
pub(crate) const VISIBILITY: Duration = Duration::from_secs(2);

/// A queue or stream of one test's own.
pub(crate) trait Engine: Sized + Send + Sync + 'static {
    type Source: Source;

    /// Messages of the short form of the tests.
    const COUNT: u64 = 2000;

    /// How often a connection is cut or a consumer killed.
    const TROUBLE: Duration = Duration::from_millis(300);

    async fn start() -> Verdict<Self>;

    /// One that gives up early what is rejected.
    async fn start_strict() -> Verdict<Self> {
        Self::start().await
    }

    /// Where its server listens.
    fn address(&self) -> SocketAddr;

    async fn target(&self) -> Verdict<Arc<dyn Target>>;

    /// A source that goes by this address.
    async fn source(&self, address: SocketAddr) -> Verdict<Self::Source>;

    /// Publishes as another program would.
    async fn publish(&self, body: &[u8], headers: &[(&str, &str)]) -> Verdict;

    /// What is there now, in its order; it may be taken by that.
    async fn bodies(&self) -> Verdict<Vec<String>>;

    /// How many messages are not acknowledged.
    async fn left(&self) -> Verdict<u64>;
}

static NAMES: AtomicU64 = AtomicU64::new(0);

/// A name that nothing else has in this run.
pub(crate) fn fresh_name() -> String {
    let now = onceward::Time::now().micros();
    format!("T{}-{}-{now}", std::process::id(), NAMES.fetch_add(1, Ordering::Relaxed))
}
