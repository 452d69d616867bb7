//! A store that is closed.

use std::time::Duration;

use onceward::NewJob;

use crate::harness::{Store, Verdict};

/// As long as a busy machine may take.
const SOON: Duration = Duration::from_secs(20);

pub(crate) async fn a_closed_store_has_written_what_waited_and_lets_go(store: &Store) -> Verdict {
    let (other, job) = (store.another().await?, || NewJob::untyped("mail", "welcome", "{}"));
    other.enqueue(job()).await?;
    let waiting = tokio::spawn({
        let other = other.clone();
        async move { other.enqueue(job()).await }
    });
    let left = other.clone();
    tokio::time::timeout(SOON, other.close()).await?;
    let written = waiting.await?;
    let refused = left.enqueue(job()).await.expect_err("it is closed");
    assert_eq!(refused.code(), "store_unreachable");
    assert_eq!(store.count("job", "true").await?, if written.is_ok() { 2 } else { 1 });
    Ok(())
}
