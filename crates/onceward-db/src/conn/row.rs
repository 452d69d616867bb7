//! One row of an answer, read by column name.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Column, Row as _};

use super::value::PgTime;
use crate::{Error, Result, Time};

/// A row of either engine. Each getter names the column it could not read.
#[derive(Debug)]
pub struct Row(pub(super) Inner);

#[derive(Debug)]
pub(super) enum Inner {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

macro_rules! getter {
    ($(#[$doc:meta])* $name:ident, $opt:ident, $out:ty, $sqlite:ty, $from_sqlite:expr, $postgres:ty, $from_postgres:expr) => {
        $(#[$doc])*
        pub fn $name(&self, column: &str) -> Result<$out> {
            match &self.0 {
                Inner::Sqlite(row) => row.try_get::<$sqlite, _>(column).map($from_sqlite).map_err(Error::from),
                Inner::Postgres(row) => row.try_get::<$postgres, _>(column).map($from_postgres).map_err(Error::from),
            }
        }

        $(#[$doc])*
        ///
        /// `None` when the column is null.
        pub fn $opt(&self, column: &str) -> Result<Option<$out>> {
            Ok(match &self.0 {
                Inner::Sqlite(row) => row.try_get::<Option<$sqlite>, _>(column)?.map($from_sqlite),
                Inner::Postgres(row) => row.try_get::<Option<$postgres>, _>(column)?.map($from_postgres),
            })
        }
    };
}

impl Row {
    getter!(
        /// A whole number.
        int, opt_int, i64, i64, std::convert::identity, i64, std::convert::identity
    );
    getter!(
        /// Text.
        text, opt_text, String, String, std::convert::identity, String, std::convert::identity
    );
    getter!(
        /// Bytes.
        bytes, opt_bytes, Vec<u8>, Vec<u8>, std::convert::identity, Vec<u8>, std::convert::identity
    );
    getter!(
        /// An instant.
        time, opt_time, Time, i64, Time::from_micros, PgTime, |time: PgTime| time.0
    );
    getter!(
        /// Yes or no (`INTEGER` 0 or 1, `boolean`).
        flag, opt_flag, bool, i64, |value: i64| value != 0, bool, std::convert::identity
    );

    /// Text that somebody else wrote. SQLite keeps bytes that are no UTF-8 as text too: those are the inner error, with
    /// what can be read of them. `None` when the column is null.
    pub fn opt_written(&self, column: &str) -> Result<Option<std::result::Result<String, String>>> {
        let Inner::Sqlite(row) = &self.0 else { return Ok(self.opt_text(column)?.map(Ok)) };
        let bytes = row.try_get::<Option<Vec<u8>>, _>(column)?;
        let text =
            |bytes| String::from_utf8(bytes).map_err(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        Ok(bytes.map(text))
    }

    /// The names of its columns, in order.
    pub fn columns(&self) -> Vec<String> {
        match &self.0 {
            Inner::Sqlite(row) => row.columns().iter().map(|c| c.name().to_owned()).collect(),
            Inner::Postgres(row) => row.columns().iter().map(|c| c.name().to_owned()).collect(),
        }
    }
}
