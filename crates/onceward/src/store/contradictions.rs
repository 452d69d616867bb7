//! Rows that no statement of ours writes. Reads only.

use onceward_db::{Conn, Result, Sql, sql};

use super::unsigned;
use crate::Contradiction;

const CONTRADICTIONS: Sql = sql!("contradictions");

/// The jobs whose rows contradict themselves, by what is wrong.
pub(crate) async fn find(conn: &mut Conn<'_>) -> Result<Vec<Contradiction>> {
    let rows = conn.rows(&CONTRADICTIONS, vec![]).await?;
    let found = rows.iter().map(|row| {
        Ok(Contradiction {
            what: row.text("what")?,
            jobs: unsigned(row.int("jobs")?).into(),
            first: row.text("first")?,
        })
    });
    found.collect()
}
