//! A broker whose server is killed, and comes back with what it had.

use std::sync::Arc;
use std::time::Duration;

use onceward::{Handing, Job, Message, Relay, Target};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::engine::Engine;
use crate::laws::consumer;
use crate::support::{Record, Rows, Verdict, ran, until};
use crate::unsteady::Meter;

/// Longer than a server needs to come back, and whoever waits for it to see that.
pub(crate) const LONG: Duration = Duration::from_secs(100);

/// A server of one test's own.
pub(crate) trait Killable: Sized {
    type Engine: Engine;

    /// Gives it once it listens.
    async fn start() -> Verdict<Self>;

    /// A new queue or stream there.
    async fn engine(&self) -> Verdict<Self::Engine>;

    /// Kills it outright, and starts it again with what it had on its disk.
    fn restart(&mut self) -> Verdict;
}

pub(crate) async fn listens(port: u16) -> Verdict {
    until("a server listens", LONG, async || {
        Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok())
    })
    .await
}

/// A target that lets some hand-overs through, and the others once its server was killed.
#[derive(Debug)]
struct Gate {
    target: Arc<dyn Target>,
    open: Semaphore,
}

impl Target for Gate {
    fn name(&self) -> &str {
        self.target.name()
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(async move {
            // It is never closed.
            self.open.acquire().await.map(SemaphorePermit::forget).unwrap_or_default();
            self.target.hand_over(messages).await
        })
    }
}

/// Killed while rows are handed over, and again while messages are taken.
pub(crate) async fn a_server_that_is_killed_and_comes_back_has_each_message_run_once<K: Killable>() -> Verdict
{
    let (rows, store) = (Rows::new().await?, onceward::testing::store().await?);
    for n in 0..1000 {
        rows.write(Record { n }).await?;
    }
    let mut server = K::start().await?;
    let engine = server.engine().await?;
    let gate = Arc::new(Gate { target: engine.target().await?, open: Semaphore::new(15) });
    let relay = Relay::new(rows.outbox.clone(), gate.clone()).batch(50);
    let relaying = tokio::spawn(async move { relay.run_until(std::future::pending()).await });
    until("some are sent", LONG, async || Ok(rows.outbox.lag().await?.waiting < 800)).await?;
    assert!(rows.outbox.lag().await?.waiting > 0, "the others wait at the gate");
    server.restart()?;
    gate.open.add_permits(1_000_000);
    until("all are sent", LONG, async || Ok(rows.outbox.lag().await?.waiting == 0)).await?;
    relaying.abort();
    let (meter, at) = (Meter::default(), engine.address());
    // What it forgets is certainly on its way when the server is killed. Whoever is the first to ask may be sent all that
    // is there, so the other one comes later.
    let forgetful = consumer(&engine, at, &store, &meter, 1, 6).await?;
    until("some are forgotten", LONG, async || Ok(meter.forgotten() > 0)).await?;
    let steady = consumer(&engine, at, &store, &meter, 2, 0).await?;
    until("some are taken", LONG, async || Ok(store.backlog(&[Record::QUEUE], 1000).await? > 100)).await?;
    server.restart()?;
    forgetful.abort();
    until("all are taken", LONG, async || Ok(store.backlog(&[Record::QUEUE], 1000).await? == 1000)).await?;
    steady.abort();
    assert!(meter.redelivered() >= meter.forgotten(), "what is forgotten comes again: {meter:?}");
    assert_eq!(ran(&store).await?, (0..1000).collect::<Vec<_>>());
    Ok(())
}
