//! Opening connections: what a URL means, and the settings that the promises need.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolOptions, Postgres};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Connection, SqliteConnection, Transaction};

use super::held::{Held, begin_reading};
use super::reach::{cause, reach};
use super::row::Row;
use super::value::Value;
use super::{Conn, Statements};
use crate::{Error, ErrorKind, Result, Sql};

/// The oldest SQLite without the WAL-reset corruption.
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);
/// Two connections write, and readers and wake-ups need one each.
const FEWEST: u32 = 4;

/// The options that the driver takes from a URL; it passes over all others in silence.
const DRIVERS: &[&str] = &[
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

const FOREIGN: Sql = crate::sql!("foreign");
const MIGRATE_VERSION: Sql = crate::sql!("migrate_version");

/// Where the data is, taken from a URL.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Sqlite {
        path: PathBuf,
        synchronous: SqliteSynchronous,
    },
    Postgres {
        options: Box<PgConnectOptions>,
        listen: Box<PgConnectOptions>,
        pool: u32,
        statements: Statements,
    },
}

/// Connections for reading, and the means to open those that write and listen.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite {
        readers: SqlitePool,
        options: Box<SqliteConnectOptions>,
    },
    /// `lent`: it is an application's own pool.
    Postgres {
        pool: PgPool,
        listen: Box<PgConnectOptions>,
        statements: Statements,
        lent: bool,
    },
}

/// A connection that reads one consistent state (PostgreSQL) or the newest (SQLite).
#[derive(Debug)]
pub(crate) enum Reading {
    Sqlite(PoolConnection<sqlx::Sqlite>),
    Postgres(Transaction<'static, Postgres>, Statements),
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self> {
        if let Some(rest) = url.strip_prefix("sqlite:") {
            return sqlite_target(rest.strip_prefix("//").unwrap_or(rest));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return postgres_target(url);
        }
        Err(config("a store is sqlite://FILE or postgres://USER@HOST/DATABASE"))
    }
}

fn sqlite_target(rest: &str) -> Result<Target> {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if path.is_empty() || path.contains(":memory:") {
        return Err(config("a SQLite store is a file: sqlite://FILE"));
    }
    let mut synchronous = SqliteSynchronous::Full;
    for (key, value) in pairs(query) {
        synchronous = match (key, value) {
            ("synchronous", "full") => SqliteSynchronous::Full,
            // Loses acknowledged jobs on a power cut; for rehearsals only.
            ("synchronous", "normal") => SqliteSynchronous::Normal,
            ("mode", _) => {
                return Err(config("mode is not needed: a file that is missing is made; leave it out"));
            }
            _ => {
                return Err(config(format!(
                    "unknown option {key:?} of a SQLite store; known: synchronous=full|normal"
                )));
            }
        };
    }
    Ok(Target::Sqlite { path: PathBuf::from(path), synchronous })
}

/// `pooler=transaction`, `listen=URL` and `pool=N` are ours; all else is the driver's.
fn postgres_target(url: &str) -> Result<Target> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut rest, mut pooler, mut listen, mut pool) = (Vec::new(), false, None, 10);
    for (key, value) in pairs(query) {
        match key {
            "pooler" if value == "transaction" => pooler = true,
            "pooler" => return Err(config("pooler knows only the value transaction")),
            "listen" => listen = Some(decode(value)),
            "pool" => pool = size(value)?,
            _ if is_drivers(key) => rest.push(format!("{key}={value}")),
            _ => {
                let known = DRIVERS.join(", ");
                return Err(config(format!(
                    "unknown option {key:?} of a PostgreSQL store; known: pooler, listen, pool, {known}"
                )));
            }
        }
    }
    // The driver's own text may repeat the URL, and with it a password.
    let parse = |url: &str, what: &str| PgConnectOptions::from_str(url).map_err(|_| config(what));
    let direct = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
    let mut options = parse(&direct, "the PostgreSQL URL cannot be read")?;
    if options.get_application_name().is_none() {
        options = options.application_name("onceward");
    }
    let unread = "listen cannot be read: it is a PostgreSQL URL in which each : / ? & @ is written as %3A %2F %3F %26 %40";
    let listen = listen.as_deref().map_or_else(|| Ok(options.clone()), |url| parse(url, unread))?;
    let statements = if pooler { Statements::Unnamed } else { Statements::Named };
    Ok(Target::Postgres { options: Box::new(options), listen: Box::new(listen), pool, statements })
}

fn size(value: &str) -> Result<u32> {
    let size = value.parse().ok().filter(|size| *size >= FEWEST);
    size.ok_or_else(|| config(format!("pool is a number of connections, at least {FEWEST}")))
}

fn is_drivers(key: &str) -> bool {
    DRIVERS.contains(&key) || key.starts_with("options[")
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn decode(value: &str) -> String {
    let bytes = value.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], pair.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn config(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, text)
}

impl Pool {
    pub(crate) async fn open(target: Target) -> Result<Self> {
        match target {
            Target::Sqlite { path, synchronous } => {
                crate::files::prepare(&path)?;
                Self::sqlite(sqlite_options(&path, synchronous)).await
            }
            Target::Postgres { options, listen, pool, statements } => {
                reach(&options).await?;
                let pool = PgPoolOptions::new()
                    .max_connections(pool)
                    .acquire_timeout(Duration::from_secs(30))
                    .connect_with(*options)
                    .await?;
                Ok(Self::Postgres { pool, listen, statements, lent: false })
            }
        }
    }

    /// Whether a database has tables and none of ours. Looks at a SQLite file as it is, and makes none.
    pub(crate) async fn is_foreign(target: &Target) -> Result<bool> {
        match target {
            Target::Sqlite { path, .. } if !path.exists() => Ok(false),
            Target::Sqlite { path, .. } => {
                let row = peek(path, &FOREIGN, vec![]).await;
                row?.map_or(Ok(false), |row| row.flag("is_foreign"))
            }
            // Tables are made there by `db migrate` alone.
            Target::Postgres { .. } => Ok(false),
        }
    }

    /// Whether a SQLite file has tables of a component. Looks at it as it is, and makes none.
    pub(crate) async fn has(target: &Target, component: &str) -> Result<bool> {
        match target {
            Target::Sqlite { path, .. } if !path.exists() => Ok(false),
            Target::Sqlite { path, .. } => match peek(path, &MIGRATE_VERSION, vec![component.into()]).await {
                Err(error) if error.kind() == ErrorKind::Schema => Ok(false),
                found => Ok(found?.is_some()),
            },
            Target::Postgres { .. } => Ok(true),
        }
    }

    /// The same file as an application's own pool, which is checked first.
    pub(crate) async fn beside_sqlite(pool: &SqlitePool) -> Result<Self> {
        let mut conn = pool.acquire().await?;
        Conn::from(&mut *conn).require_full_sync().await?;
        let path = pool.connect_options().get_filename().to_path_buf();
        crate::files::prepare(&path)?;
        Self::sqlite(sqlite_options(&path, SqliteSynchronous::Full)).await
    }

    pub(crate) fn beside_postgres(pool: &PgPool) -> Result<Self> {
        let most = pool.options().get_max_connections();
        if most < FEWEST {
            let text = format!(
                "a pool of {most} connections is too small to share: raise max_connections to at least {FEWEST}, or open the store by its URL"
            );
            return Err(config(text));
        }
        let listen = Box::new((*pool.connect_options()).clone());
        Ok(Self::Postgres { pool: pool.clone(), listen, statements: Statements::Named, lent: true })
    }

    async fn sqlite(options: SqliteConnectOptions) -> Result<Self> {
        // The first connection makes the file a WAL file; readers could not.
        let first = SqliteConnection::connect_with(&options).await?;
        first.close().await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(30))
            .connect_with(options.clone().pragma("query_only", "on"))
            .await?;
        let pool = Self::Sqlite { readers, options: Box::new(options) };
        pool.require_sqlite_version().await?;
        Ok(pool)
    }

    async fn require_sqlite_version(&self) -> Result<()> {
        let Self::Sqlite { readers, .. } = self else { return Ok(()) };
        let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(readers).await?;
        let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
        let mut part = || parts.next().unwrap_or(0);
        if (part(), part(), part()) < OLDEST_SQLITE {
            return Err(config(format!(
                "SQLite {version} can corrupt a WAL file; 3.51.3 or newer is needed (libsqlite3-sys 0.37 bundles it)"
            )));
        }
        Ok(())
    }

    /// A connection that writes.
    pub(crate) async fn writer(&self) -> Result<Held> {
        Ok(match self {
            Self::Sqlite { options, .. } => Held::own(SqliteConnection::connect_with(options).await?),
            Self::Postgres { pool, statements, .. } => match pool.acquire().await {
                Ok(conn) => Held::lent(conn, *statements),
                Err(error) => return Err(cause(&pool.connect_options(), error).await),
            },
        })
    }

    pub(crate) async fn reader(&self) -> Result<Reading> {
        Ok(match self {
            Self::Sqlite { readers, .. } => Reading::Sqlite(readers.acquire().await?),
            Self::Postgres { pool, statements, .. } => match begin_reading(pool.clone()).await {
                Ok(tx) => Reading::Postgres(tx, *statements),
                Err(error) => return Err(cause(&pool.connect_options(), error).await),
            },
        })
    }

    /// A listener on the channel `onceward`; `None` on SQLite.
    pub(crate) async fn listener(&self) -> Result<Option<PgListener>> {
        let Self::Postgres { listen, .. } = self else { return Ok(None) };
        let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with((**listen).clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen("onceward").await?;
        Ok(Some(listener))
    }

    /// How statements are kept on connections that lead to the same place.
    pub(crate) fn statements(&self) -> Statements {
        match self {
            Self::Sqlite { .. } => Statements::Named,
            Self::Postgres { statements, .. } => *statements,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Sqlite { options, .. } => Some(options.get_filename()),
            Self::Postgres { .. } => None,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { readers, .. } => readers.close().await,
            // An application's own pool stays open.
            Self::Postgres { lent: true, .. } => {}
            Self::Postgres { pool, .. } => pool.close().await,
        }
    }
}

/// Asks a SQLite file one thing, and leaves it as it is: an ordinary connection would make it a WAL file.
async fn peek(path: &Path, sql: &Sql, args: Vec<Value>) -> Result<Option<Row>> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut conn = SqliteConnection::connect_with(&options).await?;
    let row = Conn::from(&mut conn).row(sql, args).await;
    conn.close().await?;
    row
}

/// `FULL`, since `NORMAL` loses acknowledged commits on a power cut. Checkpoints are the writer's.
fn sqlite_options(path: &Path, synchronous: SqliteSynchronous) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(Duration::from_mins(1))
        .statement_cache_capacity(256)
        .row_buffer_size(1024)
        .pragma("wal_autocheckpoint", "0")
        .pragma("journal_size_limit", "67108864")
        .pragma("temp_store", "memory")
        .pragma("cache_size", "-16384")
        .pragma("fullfsync", "on")
        .pragma("checkpoint_fullfsync", "on")
}

impl Reading {
    pub(crate) fn conn(&mut self) -> Conn<'_> {
        match self {
            Self::Sqlite(conn) => Conn::Sqlite(conn),
            Self::Postgres(tx, statements) => Conn::Postgres(tx, *statements),
        }
    }
}

impl Conn<'_> {
    /// Refuses a SQLite connection whose commits a power cut could lose.
    pub async fn require_full_sync(&mut self) -> Result<()> {
        let Self::Sqlite(conn) = self else { return Ok(()) };
        let level: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut **conn).await?;
        if level < 2 {
            return Err(config(
                "this SQLite connection commits without waiting for the disk, so a power cut could lose the job; \
                 open it with synchronous=FULL",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
