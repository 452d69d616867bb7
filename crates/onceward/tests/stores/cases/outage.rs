//! The store is away for a while, and the world goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::{Cause, Class, Context, Failure, Intent, NewJob, Receipt, SendError, Worker};
use tokio::sync::{Barrier, Notify};

use crate::harness::{Store, Verdict};

#[derive(Clone)]
struct Peer {
    sent: Arc<AtomicU32>,
    /// Passed twice: before the send, and once the store is away.
    gate: Arc<Barrier>,
    /// The handler waits no longer.
    enough: Arc<Notify>,
    /// It has given up.
    left: Arc<Notify>,
    /// The store is there again.
    back: Arc<Notify>,
}

impl Peer {
    fn new() -> Self {
        Self { sent: Arc::default(), gate: Arc::new(Barrier::new(2)), enough: Arc::default(), left: Arc::default(), back: Arc::default() }
    }

    async fn send(&self, intent: Intent<String>) -> Result<Receipt, SendError> {
        self.gate.wait().await;
        self.gate.wait().await;
        self.sent.fetch_add(1, Ordering::SeqCst);
        Ok(Receipt::id(intent.key))
    }

    /// The store is away from before the send until a while after it; its caller may have had enough by then.
    async fn without_the_store(&self, store: &Store, impatient: bool) -> Verdict {
        let (away, back) = if store.is_sqlite() {
            ("ALTER TABLE onceward_effect RENAME TO away", "ALTER TABLE away RENAME TO onceward_effect")
        } else {
            ("ALTER TABLE onceward.effect RENAME TO away", "ALTER TABLE onceward.away RENAME TO effect")
        };
        self.gate.wait().await;
        store.execute(away).await?;
        self.gate.wait().await;
        tokio::time::sleep(Duration::from_millis(400)).await; // sleeps: the store takes no answer meanwhile, three times
        if impatient {
            self.enough.notify_one();
            self.left.notified().await;
        }
        store.execute(back).await?;
        self.back.notify_one();
        Ok(())
    }
}

pub(crate) async fn a_receipt_that_the_store_cannot_take_now_is_not_forgotten(store: &Store) -> Verdict {
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let peer = Peer::new();
    let sends = |ctx: Context<Peer>| async move {
        Ok(ctx.effect("post", "x".to_owned()).send(|intent| ctx.app().send(intent)).await?.into())
    };
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, peer.clone(), sends).queue("blog", 1).build()?;
    let (report, outage) = tokio::join!(worker.run_until_idle(), peer.without_the_store(store, false));
    outage?;
    assert_eq!(report?.done, 1);
    assert_eq!(peer.sent.load(Ordering::SeqCst), 1);
    assert_eq!(store.count("effect", "state = 'accepted'").await?, 1);
    Ok(())
}

/// A handler's own timeout, a stop, the longest time of an attempt: all of them drop what waits for the store. As long as
/// the process lives, it is written all the same.
pub(crate) async fn a_receipt_is_not_forgotten_with_the_attempt_that_brought_it(store: &Store) -> Verdict {
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let peer = Peer::new();
    let sends = |ctx: Context<Peer>| async move {
        let sending = ctx.effect("post", "x".to_owned()).send(|intent| ctx.app().send(intent));
        tokio::select! {
            sent = sending => return Ok(sent?.into()),
            () = ctx.app().enough.notified() => {}
        }
        ctx.app().left.notify_one();
        Err(Failure::transient(Cause::new("impatient", "it takes too long")))
    };
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, peer.clone(), sends).queue("blog", 1).build()?;
    let (report, outage) = tokio::join!(worker.run_until_idle(), peer.without_the_store(store, true));
    outage?;
    report?;
    let known = async {
        // Each question takes its time.
        while store.count("effect", "state = 'accepted'").await? == 0 {}
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    tokio::time::timeout(Duration::from_secs(20), known).await??;
    assert_eq!(peer.sent.load(Ordering::SeqCst), 1);
    Ok(())
}

pub(crate) async fn an_answer_that_comes_late_says_nothing_of_a_later_send(store: &Store) -> Verdict {
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let peer = Peer::new();
    let sends = |ctx: Context<Peer>| async move {
        let effect = || ctx.effect("post", "x".to_owned()).class(Class::Deterministic);
        let first = effect().send(async |intent| {
            ctx.app().send(intent).await?;
            Err(SendError::NotSent(Cause::new("no_route", "it was not sent")))
        });
        tokio::select! {
            sent = first => return Ok(sent?.into()),
            () = ctx.app().enough.notified() => {}
        }
        ctx.app().left.notify_one();
        ctx.app().back.notified().await;
        let second = effect().send(async |_| {
            tokio::time::sleep(Duration::from_secs(3)).await; // sleeps: the first answer comes meanwhile
            Ok(Receipt::id("second"))
        });
        Ok(second.await?.into())
    };
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, peer.clone(), sends).queue("blog", 1).build()?;
    let (report, outage) = tokio::join!(worker.run_until_idle(), peer.without_the_store(store, true));
    outage?;
    assert_eq!(report?.done, 1);
    assert_eq!(store.count("effect", "state = 'accepted' AND remote_id = 'second' AND sends = 2").await?, 1);
    Ok(())
}
