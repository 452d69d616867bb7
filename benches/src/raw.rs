//! Hand-written SQL for the same work, as little of it as one would get away with.

use std::time::Instant;

use sqlx::{Connection, Row};

use crate::store::Store;
use crate::{Outcome, Rate};

const PAYLOAD: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

pub(crate) async fn insert_one_by_one(store: &Store, rows: usize) -> Outcome<Rate> {
    let start;
    if store.is_sqlite() {
        let mut conn = store.sqlite().await?;
        start = Instant::now();
        for _ in 0..rows {
            let text =
                "INSERT INTO raw_job (queue, payload, state, run_at) VALUES ('bench', ?1, 'pending', 0)";
            sqlx::query(text).bind(PAYLOAD).execute(&mut conn).await?;
        }
    } else {
        let mut conn = store.postgres().await?;
        start = Instant::now();
        for _ in 0..rows {
            let text =
                "INSERT INTO raw_job (queue, payload, state, run_at) VALUES ('bench', $1, 'pending', now())";
            sqlx::query(text).bind(PAYLOAD).execute(&mut conn).await?;
        }
    }
    Ok(Rate(rows, start.elapsed()))
}

pub(crate) async fn insert_batches(store: &Store, rows: usize) -> Outcome<Rate> {
    let payloads = serde_json::to_string(&vec![PAYLOAD; 1000])?;
    let start;
    if store.is_sqlite() {
        let mut conn = store.sqlite().await?;
        start = Instant::now();
        for _ in 0..rows / 1000 {
            let text = "INSERT INTO raw_job (queue, payload, state, run_at) SELECT 'bench', value, 'pending', 0 FROM json_each(?1)";
            sqlx::query(text).bind(&payloads).execute(&mut conn).await?;
        }
    } else {
        let mut conn = store.postgres().await?;
        start = Instant::now();
        for _ in 0..rows / 1000 {
            let text = "INSERT INTO raw_job (queue, payload, state, run_at)
                SELECT 'bench', value, 'pending', now() FROM json_array_elements_text($1::text::json) AS value";
            sqlx::query(text).bind(&payloads).execute(&mut conn).await?;
        }
    }
    Ok(Rate(rows / 1000 * 1000, start.elapsed()))
}

pub(crate) async fn drain(store: &Store, rows: usize, batch: i64) -> Outcome<Rate> {
    let start = Instant::now();
    if store.is_sqlite() {
        drain_sqlite(store, batch).await?;
    } else {
        let (one, two) = tokio::join!(drain_postgres(store, batch), drain_postgres(store, batch));
        one.and(two)?;
    }
    Ok(Rate(rows, start.elapsed()))
}

/// Settles the last batch and claims the next in one transaction.
async fn drain_sqlite(store: &Store, batch: i64) -> Outcome<()> {
    let mut conn = store.sqlite().await?;
    let mut done = "[]".to_owned();
    loop {
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        let settle = "UPDATE raw_job SET state = 'done', finished_at = 1 WHERE id IN (SELECT value FROM json_each(?1))";
        sqlx::query(settle).bind(&done).execute(&mut *tx).await?;
        let claim = "UPDATE raw_job SET state = 'running', token = 'token', until = 60 WHERE id IN
            (SELECT id FROM raw_job WHERE queue = 'bench' AND state = 'pending' AND run_at <= 1 ORDER BY run_at, id LIMIT ?1)
            RETURNING id, payload";
        let claimed = sqlx::query(claim).bind(batch).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        if claimed.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = claimed.iter().map(|row| row.try_get("id")).collect::<Result<_, _>>()?;
        done = serde_json::to_string(&ids)?;
    }
}

/// The finished row leaves the hot table, as it does in the queue.
async fn drain_postgres(store: &Store, batch: i64) -> Outcome<()> {
    let mut conn = store.postgres().await?;
    let mut done: Vec<i64> = Vec::new();
    loop {
        let mut tx = conn.begin().await?;
        let settle = "WITH gone AS (DELETE FROM raw_job WHERE id = ANY($1) RETURNING *) INSERT INTO raw_history SELECT * FROM gone";
        sqlx::query(settle).bind(&done).execute(&mut *tx).await?;
        let claim = "UPDATE raw_job SET state = 'running', token = 'token', until = now() + interval '1 minute' WHERE id = ANY(ARRAY(
            SELECT id FROM raw_job WHERE queue = 'bench' AND state = 'pending' AND run_at <= statement_timestamp()
            ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id, payload";
        let claimed = sqlx::query(claim).bind(batch).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        if claimed.is_empty() {
            return Ok(());
        }
        done = claimed.iter().map(|row| row.try_get("id")).collect::<Result<_, _>>()?;
    }
}
