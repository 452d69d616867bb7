//! One connection of either engine. This file and its folder are the only place that names a driver.

mod advice;
pub(crate) mod held;
pub(crate) mod open;
mod reach;
pub(crate) mod row;
pub(crate) mod value;

use sqlx::postgres::{PgArguments, PgConnection, Postgres};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection};
use sqlx::{Executor, SqlSafeStr, Transaction};

use self::row::{Inner, Row};
use self::value::{PgTime, Value};
use crate::{Error, ErrorKind, Result};

/// An application's pool of connections to a SQLite file.
pub type SqlitePool = sqlx::SqlitePool;
/// An application's pool of connections to PostgreSQL.
pub type PgPool = sqlx::PgPool;

/// The name under which the driver logs statements with their whole text; of slow ones it warns.
pub const STATEMENT_LOG: &str = "sqlx::query";

/// Which engine holds the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// One SQLite file.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}

/// One statement, written natively for each engine. Made by [`sql!`](crate::sql).
#[derive(Debug, Clone, Copy)]
pub struct Sql {
    /// The name of its two files.
    pub name: &'static str,
    /// `sql/sqlite/NAME.sql`
    pub sqlite: &'static str,
    /// `sql/postgres/NAME.sql`
    pub postgres: &'static str,
}

/// The statement in `sql/sqlite/NAME.sql` and `sql/postgres/NAME.sql` of the calling crate.
#[macro_export]
macro_rules! sql {
    ($name:literal) => {
        $crate::Sql {
            name: $name,
            sqlite: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/postgres/", $name, ".sql")),
        }
    };
}

/// A borrowed connection of either engine.
///
/// `&mut transaction` and `&mut *connection` of sqlx convert into it.
#[derive(Debug)]
pub enum Conn<'c> {
    /// A connection to a SQLite file.
    Sqlite(&'c mut SqliteConnection),
    /// A connection to PostgreSQL.
    Postgres(&'c mut PgConnection, Statements),
}

/// How PostgreSQL's prepared statements are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statements {
    /// Under names, for as long as the connection lives.
    Named,
    /// For one use: behind a transaction pooler the next transaction may be on another server.
    Unnamed,
}

impl<'c> From<&'c mut SqliteConnection> for Conn<'c> {
    fn from(conn: &'c mut SqliteConnection) -> Self {
        Self::Sqlite(conn)
    }
}

impl<'c> From<&'c mut PgConnection> for Conn<'c> {
    fn from(conn: &'c mut PgConnection) -> Self {
        Self::Postgres(conn, Statements::Named)
    }
}

impl<'c> From<&'c mut Transaction<'_, Sqlite>> for Conn<'c> {
    fn from(tx: &'c mut Transaction<'_, Sqlite>) -> Self {
        Self::Sqlite(tx)
    }
}

impl<'c> From<&'c mut Transaction<'_, Postgres>> for Conn<'c> {
    fn from(tx: &'c mut Transaction<'_, Postgres>) -> Self {
        Self::Postgres(tx, Statements::Named)
    }
}

impl Conn<'_> {
    /// Which engine it speaks to.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(..) => Engine::Postgres,
        }
    }

    /// The same connection, with its statements kept like that.
    #[must_use]
    pub(crate) fn keeping(self, statements: Statements) -> Self {
        match self {
            Self::Postgres(conn, _) => Self::Postgres(conn, statements),
            sqlite @ Self::Sqlite(_) => sqlite,
        }
    }

    /// The same connection for a shorter time.
    pub fn reborrow(&mut self) -> Conn<'_> {
        match self {
            Self::Sqlite(conn) => Conn::Sqlite(conn),
            Self::Postgres(conn, statements) => Conn::Postgres(conn, *statements),
        }
    }

    /// Runs a statement and gives all its rows.
    pub async fn rows(&mut self, sql: &Sql, args: Vec<Value>) -> Result<Vec<Row>> {
        let named = |e: sqlx::Error| Error::from(e).within(sql.name);
        Ok(match self {
            Self::Sqlite(conn) => {
                let rows = conn.fetch_all(bind_sqlite(sql.sqlite, args)).await.map_err(named)?;
                rows.into_iter().map(|row| Row(Inner::Sqlite(row))).collect()
            }
            Self::Postgres(conn, statements) => {
                let rows =
                    conn.fetch_all(bind_postgres(sql.postgres, args, *statements)).await.map_err(named)?;
                rows.into_iter().map(|row| Row(Inner::Postgres(row))).collect()
            }
        })
    }

    /// Runs a statement and gives its first row, if any.
    pub async fn row(&mut self, sql: &Sql, args: Vec<Value>) -> Result<Option<Row>> {
        Ok(self.rows(sql, args).await?.into_iter().next())
    }

    /// Runs a statement and says how many rows it changed.
    pub async fn execute(&mut self, sql: &Sql, args: Vec<Value>) -> Result<u64> {
        let named = |e: sqlx::Error| Error::from(e).within(sql.name);
        Ok(match self {
            Self::Sqlite(conn) => {
                conn.execute(bind_sqlite(sql.sqlite, args)).await.map_err(named)?.rows_affected()
            }
            Self::Postgres(conn, statements) => conn
                .execute(bind_postgres(sql.postgres, args, *statements))
                .await
                .map_err(named)?
                .rows_affected(),
        })
    }

    /// Runs one or more statements that take no parameters and give no rows.
    pub async fn script(&mut self, text: &'static str) -> Result<()> {
        match self {
            Self::Sqlite(conn) => conn.execute(sqlx::raw_sql(text)).await.map(drop)?,
            Self::Postgres(conn, _) => conn.execute(sqlx::raw_sql(text)).await.map(drop)?,
        }
        Ok(())
    }

    /// The number of parameters and the columns of a statement, as the engine prepares it.
    pub(crate) async fn describe(&mut self, text: &'static str) -> Result<(usize, Vec<String>)> {
        use sqlx::{Column, Statement};
        Ok(match self {
            Self::Sqlite(conn) => {
                let statement = (&mut **conn).prepare(text.into_sql_str()).await?;
                let params = statement.parameters().map_or(0, |p| p.either(<[_]>::len, |n| n));
                (params, statement.columns().iter().map(|c| c.name().to_owned()).collect())
            }
            Self::Postgres(conn, _) => {
                let statement = (&mut **conn).prepare(text.into_sql_str()).await?;
                let params = statement.parameters().map_or(0, |p| p.either(<[_]>::len, |n| n));
                (params, statement.columns().iter().map(|c| c.name().to_owned()).collect())
            }
        })
    }
}

fn bind_sqlite(text: &'static str, args: Vec<Value>) -> Query<'static, Sqlite, SqliteArguments> {
    args.into_iter().fold(sqlx::query(text), |query, arg| match arg {
        Value::Int(value) => query.bind(value),
        Value::Text(value) => query.bind(value),
        Value::Bytes(value) => query.bind(value),
        Value::Time(value) => query.bind(value.map(crate::Time::micros)),
    })
}

fn bind_postgres(
    text: &'static str,
    args: Vec<Value>,
    statements: Statements,
) -> Query<'static, Postgres, PgArguments> {
    let query = sqlx::query(text).persistent(statements == Statements::Named);
    args.into_iter().fold(query, |query, arg| match arg {
        Value::Int(value) => query.bind(value),
        Value::Text(value) => query.bind(value),
        Value::Bytes(value) => query.bind(value),
        Value::Time(value) => query.bind(value.map(PgTime)),
    })
}

impl Error {
    fn within(self, statement: &str) -> Self {
        Self::new(self.kind(), format!("{statement}: {self}"))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let kind = kind_of(&error);
        let advice = match &error {
            sqlx::Error::Database(said) => {
                advice::about(said.code().as_deref().unwrap_or_default(), said.message())
            }
            _ => None,
        };
        match advice {
            Some(advice) => Self::new(kind, format!("{error}; {advice}")),
            None => Self::new(kind, error.to_string()),
        }
    }
}

fn kind_of(error: &sqlx::Error) -> ErrorKind {
    match error {
        sqlx::Error::Database(said) => kind_by_code(said.code().as_deref().unwrap_or_default()),
        sqlx::Error::Configuration(_) => ErrorKind::Config,
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::Protocol(_) => ErrorKind::Connection,
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::ColumnNotFound(_) | sqlx::Error::Decode(_) => {
            ErrorKind::Decode
        }
        _ => ErrorKind::Other,
    }
}

/// PostgreSQL's five-character SQLSTATE, or SQLite's extended result code in decimal.
fn kind_by_code(code: &str) -> ErrorKind {
    if let (Ok(number), true) = (code.parse::<u32>(), code.len() < 5) {
        return match number & 0xff {
            5 | 6 => ErrorKind::Busy,
            10 | 11 | 13 | 14 | 26 => ErrorKind::Disk,
            18..=20 => ErrorKind::Constraint,
            1 => ErrorKind::Schema,
            _ => ErrorKind::Other,
        };
    }
    match code {
        "40001" | "40P01" | "55P03" => ErrorKind::Busy,
        "42P01" | "42703" | "3F000" => ErrorKind::Schema,
        "57P01" | "57P02" | "57P03" | "25P03" => ErrorKind::Connection,
        code if code.starts_with("23") || code.starts_with("22") => ErrorKind::Constraint,
        code if code.starts_with("08") => ErrorKind::Connection,
        code if code.starts_with("53") || code.starts_with("58") => ErrorKind::Disk,
        _ => ErrorKind::Other,
    }
}
