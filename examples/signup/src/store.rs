//! The application's own database, SQLite or PostgreSQL: accounts, and for version 3 the mails to send.

use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{PgPool, SqlitePool};

use crate::Fallible;

/// Connections of one process: the queue keeps up to two of them on PostgreSQL.
const CONNECTIONS: u32 = 8;

/// A pool of either engine. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) enum Store {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// One body for both engines.
macro_rules! on {
    ($store:expr, $pool:ident => $body:expr) => {
        match $store {
            $crate::store::Store::Sqlite($pool) => $body,
            $crate::store::Store::Postgres($pool) => $body,
        }
    };
}
pub(crate) use on;

impl Store {
    pub(crate) async fn open(url: &str) -> Fallible<Self> {
        if url.starts_with("postgres") {
            let options = PgPoolOptions::new().max_connections(CONNECTIONS);
            return Ok(Self::Postgres(options.connect(url).await?));
        }
        let options: SqliteConnectOptions = url.parse()?;
        let options = options.create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        // With less than FULL a power cut takes commits back that somebody was told of.
        let options = options.synchronous(SqliteSynchronous::Full).busy_timeout(BUSY);
        let pool = SqlitePoolOptions::new().max_connections(CONNECTIONS).connect_with(options).await?;
        Ok(Self::Sqlite(pool))
    }

    /// Makes the tables of the application.
    pub(crate) async fn prepare(&self) -> Fallible {
        on!(self, pool => {
            sqlx::query("CREATE TABLE IF NOT EXISTS account (email TEXT PRIMARY KEY)").execute(pool).await?;
            sqlx::query("CREATE TABLE IF NOT EXISTS mail (email TEXT PRIMARY KEY, taken INTEGER NOT NULL)")
                .execute(pool)
                .await?;
        });
        Ok(())
    }

    /// How a transaction that writes begins: SQLite's others may wait in vain for the right to write.
    pub(crate) const fn begin(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN",
        }
    }

    /// Saves an account. One address has one account.
    pub(crate) async fn save(&self, email: &str) -> Fallible {
        on!(self, pool => {
            sqlx::query("INSERT INTO account (email) VALUES ($1)").bind(email).execute(pool).await?;
        });
        Ok(())
    }

    /// All accounts.
    pub(crate) async fn accounts(&self) -> Fallible<Vec<String>> {
        Ok(on!(self, pool => sqlx::query_scalar("SELECT email FROM account").fetch_all(pool).await?))
    }

    pub(crate) async fn close(self) {
        on!(self, pool => pool.close().await);
    }
}

/// How long a write waits for another process's.
const BUSY: std::time::Duration = std::time::Duration::from_secs(30);
