//! The outbox: rows in the application's own database, handed over to a queue by a relay.
//!
//! A row exists if and only if the application's transaction committed. The table is a published contract
//! (`docs/outbox.md`): any language writes it with plain SQL. Where the queue is in the same database,
//! [`Onceward::enqueue_in`](crate::Onceward::enqueue_in) needs no outbox.

mod row;

use std::time::Duration;

use onceward_db::{Component, Conn, Database, ErrorKind, PgPool, SqlitePool};
use serde::Serialize;

pub use self::row::{Message, NewRow};
use crate::store::OUTBOX_TABLES;
use crate::store::outbox::{self as store, Ask, Claim, Claimed, Ending, Insert, Order, Orders};
use crate::{Cause, Engine, Error, Time};

/// How long a row is kept after it was handed over: a broker that lost it can be given it once more.
pub const REPLAY_WINDOW: Duration = Duration::from_hours(7 * 24);
/// How long it may take from a question to its answer.
const ASKING: Duration = Duration::from_mins(1);
/// How long a repeat of a message is known: longer than it can be replayed.
pub const MESSAGE_HORIZON: Duration = REPLAY_WINDOW.saturating_add(Duration::from_hours(24));
/// Rows that one statement changes.
const SOME: usize = 1000;

/// The outbox of one application's database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbox {
    db: Database,
}

/// How far a relay is behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lag {
    /// Rows that were not handed over yet.
    pub waiting: u64,
    /// Rows that the target will never take as they are.
    pub refused: u64,
    /// When the oldest of the waiting was written.
    pub oldest_at: Option<Time>,
    /// How long ago that is, in seconds.
    pub oldest_age: Option<u64>,
    /// When the oldest of the refused was written.
    pub refused_at: Option<Time>,
    /// Of the waiting, those behind a refused row of their key.
    pub held_back: u64,
    /// Of the waiting, those that a relay has in hand.
    pub claimed: u64,
    /// Until when it has the last of them, unless it ends or dies before.
    pub claimed_until: Option<Time>,
}

/// How a target took what it was given last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetView {
    /// Its name.
    pub name: String,
    /// When it last took something.
    pub sent_at: Option<Time>,
    /// When it last failed, unless it took something since.
    pub failed_at: Option<Time>,
    /// Why.
    pub error: Option<Cause>,
}

/// A row that the target will never take as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusedRow {
    /// Its number in the outbox.
    pub id: i64,
    /// The id that goes with every hand-over.
    pub message_id: String,
    /// The queue it was for.
    pub queue: String,
    /// The kind of job.
    pub kind: String,
    /// Rows of this key wait behind it.
    pub ordering_key: Option<String>,
    /// When it was written.
    pub created_at: Time,
    /// Why it was refused.
    pub error: Option<Cause>,
}

impl Outbox {
    /// Opens the application's database by its URL. On SQLite the table is made; on PostgreSQL see
    /// [`Outbox::migrate`].
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::over(Database::open(url).await?).await
    }

    /// The outbox beside an application's SQLite pool, which must run `synchronous=FULL`.
    pub async fn beside_sqlite(pool: &SqlitePool) -> Result<Self, Error> {
        Self::over(Database::beside_sqlite(pool).await?).await
    }

    /// The outbox beside an application's PostgreSQL pool, which stays open when the outbox is closed.
    pub async fn beside_postgres(pool: &PgPool) -> Result<Self, Error> {
        Self::over(Database::beside_postgres(pool)?).await
    }

    /// The outbox in a database that is open already.
    pub async fn over(db: Database) -> Result<Self, Error> {
        let outbox = Self { db };
        if outbox.db.engine() == Engine::Sqlite {
            outbox.migrate().await?;
        }
        Ok(outbox)
    }

    /// Brings the table to the version of this program; gives how many steps ran. On SQLite `open` has done it.
    pub async fn migrate(&self) -> Result<usize, Error> {
        Ok(self.db.migrate(COMPONENTS).await?)
    }

    /// Fails unless the table is there in the version that this program needs.
    pub async fn require_migrated(&self) -> Result<(), Error> {
        Ok(self.db.require(COMPONENTS).await?)
    }

    /// Writes a row in the caller's transaction: it exists if and only if that commits. Gives its message id.
    ///
    /// Only inserts. Takes `&mut tx` or `&mut *conn` of sqlx. On SQLite begin with `BEGIN IMMEDIATE`, on a connection
    /// with `synchronous=FULL`.
    ///
    /// # Errors
    /// `Invalid` for what no queue takes (no JSON, too large, a bad name); `WrongStore` when the connection leads
    /// elsewhere.
    pub async fn enqueue_in<'c>(
        &self,
        tx: impl Into<Conn<'c>>,
        row: impl Into<NewRow>,
    ) -> Result<String, Error> {
        let mut conn = self.db.adopt(tx);
        let (row, id) = ready(row.into())?;
        if conn.engine() != self.db.engine() {
            let text = "the transaction belongs to another engine than the outbox";
            return Err(Error::WrongStore(text.to_owned()));
        }
        conn.require_full_sync().await?;
        store::insert(&mut conn, &[row], self.db.clock().test_time()).await.map_err(wrong_store)?;
        Ok(id)
    }

    /// Writes a row in a transaction of its own. It is durable when this returns.
    pub async fn enqueue(&self, row: impl Into<NewRow>) -> Result<String, Error> {
        let (row, id) = ready(row.into())?;
        self.db.fold::<Insert>(vec![row]).await?;
        Ok(id)
    }

    /// Which engine holds it.
    pub fn engine(&self) -> Engine {
        self.db.engine()
    }

    /// How far hand-over is behind.
    pub async fn lag(&self) -> Result<Lag, Error> {
        Ok(store::lag(&self.db).await?)
    }

    /// How each target took what it was given last.
    pub async fn targets(&self) -> Result<Vec<TargetView>, Error> {
        Ok(store::targets(&self.db).await?)
    }

    /// Refused rows, the oldest first.
    pub async fn refused(&self, limit: usize) -> Result<Vec<RefusedRow>, Error> {
        Ok(store::refused(&self.db, limit).await?)
    }

    /// Hands refused rows over once more, say after the target was mended. Gives the rows that it is true of. What was
    /// sent, [`Outbox::replay`] hands over again.
    pub async fn retry(&self, ids: Vec<i64>) -> Result<Vec<i64>, Error> {
        self.order(Order::Again { ids }).await
    }

    /// Hands all over once more that was sent since then: for a broker that lost what it had taken. Gives how many.
    ///
    /// # Errors
    /// `NotNow` for a time before the replay window: targets do not know repeats for ever.
    pub async fn replay(&self, since: Time) -> Result<usize, Error> {
        let now = self.replayed_until(since)?;
        let mut total = 0;
        loop {
            let some = self.order(Order::Replay { since, before: now, limit: SOME }).await?.len();
            total += some;
            if some < SOME {
                return Ok(total);
            }
        }
    }

    /// How many rows [`Outbox::replay`] would hand over again.
    ///
    /// # Errors
    /// As [`Outbox::replay`].
    pub async fn replayable(&self, since: Time) -> Result<u64, Error> {
        let now = self.replayed_until(since)?;
        Ok(store::replayable(&self.db, since, now).await?)
    }

    /// Now, unless that is too late for this start.
    fn replayed_until(&self, since: Time) -> Result<Time, Error> {
        let now = self.now();
        let earliest = now.before(REPLAY_WINDOW);
        // Who asks for the whole window takes a moment to ask.
        if since < earliest.before(ASKING) {
            let text =
                format!("rows are kept, and repeats are known, since {earliest}; replay from there at most");
            return Err(Error::not_now("before_replay_window", text));
        }
        Ok(now)
    }

    /// Gives refused rows up, which frees their ordering keys. Gives the rows that it is true of.
    pub async fn skip(&self, ids: Vec<i64>) -> Result<Vec<i64>, Error> {
        self.order(Order::Skip { ids }).await
    }

    /// Forgets rows that were handed over before the replay window, some at a time; gives how many.
    pub async fn tidy(&self) -> Result<usize, Error> {
        let before = self.now().before(REPLAY_WINDOW);
        Ok(self.order(Order::Drop { before, limit: SOME }).await?.len())
    }

    pub(crate) async fn claim(&self, ask: Ask) -> Result<Vec<Claimed>, Error> {
        Ok(self.db.fold::<Claim>(vec![ask]).await?.pop().unwrap_or_default())
    }

    pub(crate) async fn end(&self, ending: Ending) -> Result<usize, Error> {
        Ok(self.db.fold::<store::End>(vec![ending]).await?.pop().unwrap_or_default())
    }

    /// Takes back at once what processes had claimed that are certainly gone; gives how many rows. Only the host of a
    /// SQLite file can tell; elsewhere a claim ends by its time.
    pub(crate) async fn take_back(&self) -> Result<usize, Error> {
        if self.db.engine() != Engine::Sqlite {
            return Ok(0);
        }
        let mut gone = store::owners(&self.db).await?;
        gone.retain(|owner| self.db.is_gone(owner));
        if gone.is_empty() {
            return Ok(0);
        }
        Ok(self.order(Order::Back { gone }).await?.len())
    }

    /// Sets the clock that this handle decides by, for tests; production has the database's own.
    pub fn set_clock(&self, time: Time) {
        self.db.clock().set(time);
    }

    /// The database, to be woken by and to read its clock.
    pub(crate) fn db(&self) -> &Database {
        &self.db
    }

    async fn order(&self, order: Order) -> Result<Vec<i64>, Error> {
        Ok(self.db.fold::<Orders>(vec![order]).await?.pop().unwrap_or_default())
    }

    fn now(&self) -> Time {
        self.db.clock().test_time().unwrap_or_else(Time::now)
    }

    /// Closes all connections; an application's own pool stays open.
    pub async fn close(self) {
        self.db.close().await;
    }
}

/// The row checked, with its message id.
fn ready(row: NewRow) -> Result<(NewRow, String), Error> {
    row.check()?;
    let id = row.message_id.clone().map_or_else(row::fresh_id, Ok)?;
    Ok((row.message_id(&id), id))
}

fn wrong_store(error: onceward_db::Error) -> Error {
    if error.kind() == ErrorKind::Schema {
        let text =
            format!("the outbox is not in the database of this transaction ({error}); make it there first");
        return Error::WrongStore(text);
    }
    error.into()
}

const COMPONENTS: &[Component] = &[OUTBOX_TABLES];
