//! One database, SQLite or PostgreSQL, for code that keeps its SQL in files. It knows no jobs.
//!
//! - [`Database`] is the handle: open it once, clone it freely.
//! - [`Conn`] is one borrowed connection of either engine; [`Sql`] is one statement, written natively for both.
//! - [`Fold`] is a write that many callers make at once: [`Database::fold`] gathers what waits and commits it in
//!   one transaction (group commit). Each caller is answered after that commit.
//! - [`Migration`]s belong to a component and run forward only.
//! - [`Database::changes`] tells when another process has committed.
//!
//! A statement lives in two files of one name, `sql/sqlite/NAME.sql` and `sql/postgres/NAME.sql`; [`parity`] compares them.

mod conn;
mod database;
mod error;
mod files;
mod migrate;
mod owner;
pub mod parity;
mod schema;
mod time;
mod upkeep;
mod wake;
mod writer;

pub use conn::row::Row;
pub use conn::value::Value;
pub use conn::{Conn, Engine, PgPool, STATEMENT_LOG, Sql, SqlitePool, Statements};
pub use database::{Clock, Database, Reader};
pub use error::{Error, ErrorKind};
pub use files::Room;
pub use migrate::{Component, Migration, newer, script};
pub use owner::{Boot, random_id};
pub use schema::Drift;
pub use time::{Time, TimeError};
pub use wake::Changes;
pub use writer::{Arrival, Fold, Pending, rank};

/// What an operation of this crate gives.
pub type Result<T> = std::result::Result<T, Error>;
