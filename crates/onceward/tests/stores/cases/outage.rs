//! The store is away for a while, and the world goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::{Context, NewJob, Receipt, Worker};
use tokio::sync::Barrier;

use crate::harness::{Store, Verdict};

#[derive(Clone)]
struct Peer {
    sent: Arc<AtomicU32>,
    /// Passed twice: before the send, and once the store is away.
    gate: Arc<Barrier>,
}

pub(crate) async fn a_receipt_that_the_store_cannot_take_now_is_not_forgotten(store: &Store) -> Verdict {
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let peer = Peer { sent: Arc::default(), gate: Arc::new(Barrier::new(2)) };
    let sends = |ctx: Context<Peer>| async move {
        let peer = ctx.app();
        let send = ctx.effect("post", "x".to_owned()).send(async |intent| {
            peer.gate.wait().await;
            peer.gate.wait().await;
            peer.sent.fetch_add(1, Ordering::SeqCst);
            Ok(Receipt::id(intent.key))
        });
        Ok(send.await?.into())
    };
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, peer.clone(), sends).queue("blog", 1).build()?;
    let (away, back) = if store.is_sqlite() {
        ("ALTER TABLE onceward_effect RENAME TO away", "ALTER TABLE away RENAME TO onceward_effect")
    } else {
        ("ALTER TABLE onceward.effect RENAME TO away", "ALTER TABLE onceward.away RENAME TO effect")
    };
    let outage = async {
        peer.gate.wait().await;
        store.execute(away).await?;
        peer.gate.wait().await;
        tokio::time::sleep(Duration::from_millis(300)).await; // sleeps: the store takes no answer meanwhile
        store.execute(back).await
    };
    let (report, outage) = tokio::join!(worker.run_until_idle(), outage);
    outage?;
    assert_eq!(report?.done, 1);
    assert_eq!(peer.sent.load(Ordering::SeqCst), 1);
    assert_eq!(store.count("effect", "state = 'accepted'").await?, 1);
    Ok(())
}
