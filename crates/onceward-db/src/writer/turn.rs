//! One turn: take what waits, run it in one transaction, answer.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, timeout};

use super::batch::Command;
use super::lock::TurnLock;
use super::{Arrival, TURN_LIMIT, rank};
use crate::conn::held::Held;
use crate::conn::open::Pool;
use crate::database::Clock;
use crate::wake::Bell;
use crate::{Error, ErrorKind, Result, Statements};

/// What waits, for whichever line takes it first.
#[derive(Debug)]
pub(super) struct Waiting {
    commands: mpsc::Receiver<Box<dyn Command>>,
    /// Those that a line has seen, and not taken.
    seen: VecDeque<Box<dyn Command>>,
    lines: usize,
}

impl Waiting {
    pub(super) fn new(commands: mpsc::Receiver<Box<dyn Command>>, lines: usize) -> Self {
        Self { commands, seen: VecDeque::new(), lines }
    }

    /// Waits until there is a command; `false` when the store is closed. Nothing is lost if it is dropped before.
    async fn any(&mut self) -> bool {
        if self.seen.is_empty() {
            let Some(command) = self.commands.recv().await else { return false };
            self.seen.push_back(command);
        }
        true
    }

    /// All that waits, in the order of ranks; of several claims a line's share, and what comes after it is the next
    /// turn's. A claim comes with the settling of the jobs whose places it fills: two lines with one such pair each are
    /// done sooner than one line with both.
    fn turn(&mut self) -> Vec<Box<dyn Command>> {
        self.see();
        let claims = self.seen.iter().filter(|command| command.rank() == rank::CLAIM).count();
        let share = claims.div_ceil(self.lines);
        let (mut folded, mut claimed) = (Vec::new(), 0);
        while let Some(command) = self.seen.pop_front() {
            let is_more = claimed == share && matches!(command.rank(), rank::SETTLE | rank::CLAIM);
            if is_more && claims > share {
                self.seen.push_front(command);
                break;
            }
            claimed += usize::from(command.rank() == rank::CLAIM);
            fold_into(&mut folded, command);
        }
        folded.sort_by_key(|command| command.rank());
        folded
    }

    /// Looks at what waits; what is more than a turn's stays where its senders wait for room.
    fn see(&mut self) {
        let mut items: usize = self.seen.iter().map(|command| command.len()).sum();
        while items < TURN_LIMIT {
            let Ok(command) = self.commands.try_recv() else { break };
            items += command.len();
            self.seen.push_back(command);
        }
    }
}

/// How often a turn that certainly was not written is tried again, unless that has taken long already.
const TRIES: u32 = 5;
/// How often a turn lets others go before it takes what waits.
const GATHER: usize = 3;
/// The log is moved into the file once this long has passed with writes in it.
const CHECKPOINT_AFTER: Duration = Duration::from_millis(500);

/// One writer: a connection, and what it needs to run turns.
pub(super) struct Line {
    pool: Pool,
    lock: TurnLock,
    clock: Clock,
    bell: Bell,
    arrival: Arc<OnceLock<Arrival>>,
    held: Option<Held>,
    written_since: Option<Instant>,
}

impl Line {
    pub(super) fn new(
        pool: Pool,
        lock: TurnLock,
        clock: Clock,
        bell: Bell,
        arrival: Arc<OnceLock<Arrival>>,
    ) -> Self {
        Self { pool, lock, clock, bell, arrival, held: None, written_since: None }
    }

    pub(super) async fn run(mut self, waiting: Arc<Mutex<Waiting>>) {
        while let Some(commands) = self.next(&waiting).await {
            // Its callers hear of it, its connection is closed, and the line goes on: without one nothing is written.
            if AssertUnwindSafe(self.turn(commands)).catch_unwind().await.is_err() {
                tracing::error!("a write panicked; what was not answered was rolled back");
            }
            self.checkpoint_if_due().await;
        }
        self.checkpoint().await;
    }

    /// Waits for the first command, then takes what is there. `None` when the store is closed.
    async fn next(&mut self, waiting: &Mutex<Waiting>) -> Option<Vec<Box<dyn Command>>> {
        let mut waiting = waiting.lock().await;
        loop {
            match timeout(CHECKPOINT_AFTER, waiting.any()).await {
                Ok(true) => break,
                Ok(false) => return None,
                Err(_) => self.checkpoint_if_due().await,
            }
        }
        // Whoever is about to write gets the chance to: a fuller turn costs little more than a small one.
        for _ in 0..GATHER {
            tokio::task::yield_now().await;
        }
        Some(waiting.turn())
    }

    async fn turn(&mut self, mut commands: Vec<Box<dyn Command>>) {
        let since = Instant::now();
        match self.write(&mut commands, since).await {
            Ok(()) => self.answer(commands),
            Err(error) => self.fall_back(commands, &error, since).await,
        }
    }

    /// Writes commands in one transaction. What certainly was not written, and may be the next time, is tried again, unless
    /// the turn has taken long already.
    async fn write(&mut self, commands: &mut [Box<dyn Command>], since: Instant) -> Result<()> {
        let mut tries = 1;
        loop {
            let Err(failed) = self.attempt(commands).await else { return Ok(()) };
            let soon = tries < TRIES && since.elapsed() < self.lock.patience();
            if !failed.is_worth_another_try() || !soon {
                return Err(failed.error);
            }
            tries += 1;
        }
    }

    fn answer(&mut self, commands: Vec<Box<dyn Command>>) {
        let wakes = commands.iter().any(|command| command.wakes());
        for command in commands {
            command.confirm();
        }
        if wakes {
            self.bell.ring();
        }
    }

    async fn attempt(&mut self, commands: &mut [Box<dyn Command>]) -> std::result::Result<(), Failed> {
        let _turn = self.lock.take().await.map_err(Failed::unreached)?;
        let (mut held, is_new) = match self.held.take() {
            Some(held) => (held, false),
            None => (self.pool.writer().await.map_err(Failed::unreached)?, true),
        };
        let now = self.clock.test_time();
        let arrives = is_new || self.pool.statements() == Statements::Unnamed;
        let arrival = self.arrival.get().filter(|_| arrives);
        let outcome = transact(&mut held, arrival, commands, now).await;
        match &outcome {
            Ok(()) => {
                self.written_since.get_or_insert_with(Instant::now);
                self.held = Some(held);
            }
            Err(_) => held.discard().await,
        }
        outcome
    }

    /// A bad row fails alone; any other error fails the turn, since the transaction may be gone as a whole.
    async fn fall_back(&mut self, commands: Vec<Box<dyn Command>>, error: &Error, since: Instant) {
        let callers: usize = commands.iter().map(|command| command.callers()).sum();
        if error.kind() != ErrorKind::Constraint || callers == 1 {
            for command in commands {
                command.refuse(error);
            }
            return;
        }
        for command in commands.into_iter().flat_map(Command::split) {
            let mut alone = vec![command];
            match self.write(&mut alone, since).await {
                Ok(()) => self.answer(alone),
                Err(error) => alone.into_iter().for_each(|command| command.refuse(&error)),
            }
        }
    }

    async fn checkpoint_if_due(&mut self) {
        if self.written_since.is_some_and(|since| since.elapsed() >= CHECKPOINT_AFTER) {
            self.checkpoint().await;
        }
    }

    /// Moves the log into the file without waiting for readers.
    async fn checkpoint(&mut self) {
        let (Some(held @ Held::Sqlite(_)), Some(_)) = (&mut self.held, self.written_since.take()) else {
            return;
        };
        if let Err(error) = held.conn().script("PRAGMA wal_checkpoint(PASSIVE)").await {
            tracing::warn!(%error, "a checkpoint failed; the next one takes its place");
        }
    }
}

fn fold_into(folded: &mut Vec<Box<dyn Command>>, mut command: Box<dyn Command>) {
    for other in folded.iter_mut() {
        match other.absorb(command) {
            Ok(()) => return,
            Err(refused) => command = refused,
        }
    }
    folded.push(command);
}

/// A turn that failed, and how far it came.
struct Failed {
    error: Error,
    reached: Reached,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// There was no connection.
    Nothing,
    /// A transaction, which ends with its connection.
    Transaction,
    /// Its commit was asked for: if the connection broke then, nobody knows whether it happened.
    Commit,
}

impl Failed {
    fn unreached(error: Error) -> Self {
        Self { error, reached: Reached::Nothing }
    }

    /// It certainly was not written, and may be the next time. A connection that is kept for long is found broken by the
    /// next one who writes: a killed backend, a server that was restarted.
    fn is_worth_another_try(&self) -> bool {
        let broke = self.error.kind() == ErrorKind::Connection && self.reached == Reached::Transaction;
        broke || self.error.kind() == ErrorKind::Busy
    }
}

async fn transact(
    held: &mut Held,
    arrival: Option<&Arrival>,
    commands: &mut [Box<dyn Command>],
    now: Option<crate::Time>,
) -> std::result::Result<(), Failed> {
    let run = async || {
        held.begin().await?;
        if let Some(arrival) = arrival {
            arrival(&mut held.conn(), now).await?;
        }
        for command in commands {
            command.run(&mut held.conn(), now).await?;
        }
        Ok(())
    };
    run().await.map_err(|error| Failed { error, reached: Reached::Transaction })?;
    held.commit().await.map_err(|error| Failed { error, reached: Reached::Commit })
}

#[cfg(test)]
mod tests;
