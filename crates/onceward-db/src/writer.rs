//! Group commit: what many callers write at once becomes one transaction.
//!
//! Each turn takes what waits, folds writes of one kind into one call, and commits once. A turn that fails is
//! rolled back and, if a row was at fault, replayed caller by caller, so that a bad row fails alone.

mod batch;
mod lock;
mod turn;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError};

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;

use self::batch::{Batch, Command};
pub(crate) use self::lock::{PATIENCE, Turn, TurnLock};
use crate::database::Clock;
use crate::wake::Bell;
use crate::{Conn, Error, ErrorKind, Result, Time};

/// The order of writes within one turn.
pub mod rank {
    /// Keeping what is ours: a lease that is extended is never reaped in the same turn.
    pub const EXTEND: u8 = 0;
    /// Intents, receipts and outcomes.
    pub const SETTLE: u8 = 1;
    /// Taking new work, with what settling has just freed.
    pub const CLAIM: u8 = 2;
    /// New work.
    pub const ENQUEUE: u8 = 3;
    /// Housekeeping.
    pub const KEEP: u8 = 4;
    /// Everything else.
    pub const OTHER: u8 = 5;
}

/// A write that folds: the items of many callers become one call.
pub trait Fold: Send + Sync + 'static {
    /// What one caller asks for.
    type Item: Send + Sync + 'static;
    /// What one item gives.
    type Answer: Send + 'static;
    /// Its place in a turn, from [`rank`].
    const RANK: u8;
    /// Whether others may have work to do after it.
    const WAKES: bool = false;

    /// Writes all `items` in the transaction that `conn` is in, and gives exactly one answer for each, in order.
    /// `now` is the test's clock, or `None` for the database's own.
    fn run(
        conn: &mut Conn<'_>,
        items: &[Self::Item],
        now: Option<Time>,
    ) -> impl Future<Output = Result<Vec<Self::Answer>>> + Send;
}

/// What runs first in the first transaction of each connection that writes, before anything else is written there; behind
/// a pooler, in every transaction, since each may be on another connection.
///
/// A connection never outlives the server that it was made to, so whatever is true of the server is found here in time.
pub type Arrival =
    for<'a, 'c> fn(&'a mut Conn<'c>, Option<Time>) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// How many items a turn takes; more wait for the next one.
const TURN_LIMIT: usize = 4096;
/// How many callers may wait before the next one waits for room.
const WAITING_LIMIT: usize = 16_384;

/// The way in for every write of this process.
#[derive(Debug)]
pub(crate) struct Writer {
    arrival: Arc<OnceLock<Arrival>>,
    /// `None` once closed: the lines see the end of what waits, and stop.
    commands: std::sync::Mutex<Option<mpsc::Sender<Box<dyn Command>>>>,
    lines: Mutex<Vec<JoinHandle<()>>>,
}

impl Writer {
    /// Starts `lines` writers that share what waits; SQLite has one, since more are slower.
    pub(crate) fn start(
        pool: &crate::conn::open::Pool,
        lock: &TurnLock,
        clock: &Clock,
        bell: &Bell,
        lines: usize,
    ) -> Self {
        let (commands, waiting) = mpsc::channel(WAITING_LIMIT);
        let waiting = Arc::new(Mutex::new(turn::Waiting::new(waiting, lines)));
        let arrival = Arc::<OnceLock<Arrival>>::default();
        let line =
            || turn::Line::new(pool.clone(), lock.clone(), clock.clone(), bell.clone(), arrival.clone());
        let lines = (0..lines).map(|_| tokio::spawn(line().run(waiting.clone()))).collect();
        Self { arrival, commands: std::sync::Mutex::new(Some(commands)), lines: Mutex::new(lines) }
    }

    /// The first one to be set stays.
    pub(crate) fn on_arrival(&self, arrival: Arrival) {
        self.arrival.get_or_init(|| arrival);
    }

    /// Writes what waits, then gives back the connections. Whoever comes later is told that the store was closed.
    pub(crate) async fn close(&self) {
        drop(self.commands.lock().unwrap_or_else(PoisonError::into_inner).take());
        for line in self.lines.lock().await.drain(..) {
            // A line that panicked has given back its connection too.
            drop(line.await);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) async fn submit<F: Fold>(&self, items: Vec<F::Item>) -> Result<Pending<F::Answer>> {
        let (reply, answer) = oneshot::channel();
        if items.is_empty() {
            drop(reply.send(Ok(Vec::new())));
            return Ok(Pending(answer));
        }
        let command = Box::new(Batch::<F>::new(items, reply));
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner).clone();
        commands.ok_or_else(closed)?.send(command).await.map_err(|_| closed())?;
        Ok(Pending(answer))
    }
}

/// A write that has its place in the next turn.
#[derive(Debug)]
pub struct Pending<A>(oneshot::Receiver<Result<Vec<A>>>);

impl<A> Pending<A> {
    /// Waits for the commit. Dropped instead, the write happens all the same.
    pub async fn answers(self) -> Result<Vec<A>> {
        self.0
            .await
            .map_err(|_| Error::new(ErrorKind::Connection, "the store was closed, or the write panicked"))?
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Connection, "the store was closed")
}
