//! A connection that its owner keeps, and the transaction in it.

use std::path::Path;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection, Transaction};

use super::{Conn, Statements};
use crate::Result;

/// A connection that its owner keeps.
#[derive(Debug)]
pub(crate) enum Held {
    Sqlite(Box<SqliteConnection>),
    Postgres(Lent, Statements),
}

/// A connection of a pool. One that is dropped inside a transaction is closed: whoever got it next would be inside.
#[derive(Debug)]
pub(crate) struct Lent {
    conn: Box<PoolConnection<Postgres>>,
    begun: bool,
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.begun {
            self.conn.close_on_drop();
        }
    }
}

/// A transaction that reads one state. It begins in a task of its own, which ends even when nobody waits for it any
/// more: the driver takes a `BEGIN` that was given up for one that never was, and whoever got the connection next would
/// be in the middle of it.
pub(super) async fn begin_reading(pool: PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    let begun = tokio::spawn(async move { pool.begin_with(BEGIN).await });
    begun.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

impl Held {
    /// A SQLite file that nobody else has open.
    pub(crate) async fn file(path: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new().filename(path).synchronous(SqliteSynchronous::Full);
        Ok(Self::own(SqliteConnection::connect_with(&options).await?))
    }

    pub(super) fn own(conn: SqliteConnection) -> Self {
        Self::Sqlite(Box::new(conn))
    }

    pub(super) fn lent(conn: PoolConnection<Postgres>, statements: Statements) -> Self {
        Self::Postgres(Lent { conn: Box::new(conn), begun: false }, statements)
    }

    pub(crate) fn conn(&mut self) -> Conn<'_> {
        match self {
            Self::Sqlite(conn) => Conn::Sqlite(conn),
            Self::Postgres(lent, statements) => Conn::Postgres(&mut lent.conn, *statements),
        }
    }

    /// `IMMEDIATE`: a transaction that starts by reading cannot always be upgraded to write.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        let text = match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(lent, _) => {
                lent.begun = true;
                "BEGIN"
            }
        };
        self.conn().script(text).await
    }

    pub(crate) async fn commit(&mut self) -> Result<()> {
        self.conn().script("COMMIT").await?;
        if let Self::Postgres(lent, _) = self {
            lent.begun = false;
        }
        Ok(())
    }

    /// Closes it, when all that it was for is done.
    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(conn) => Ok(conn.close().await?),
            Self::Postgres(..) => Ok(()),
        }
    }

    /// Closes it, so that nothing half done stays open.
    pub(crate) async fn discard(self) {
        match self {
            Self::Sqlite(conn) => drop(conn.close_hard().await),
            Self::Postgres(mut lent, _) => lent.begun = true,
        }
    }
}
