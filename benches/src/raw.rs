//! Hand-written SQL for the same work: what a careful hand would write for the same promises, and nothing more.
//!
//! - A job is claimed by one worker: picked in order, `FOR UPDATE SKIP LOCKED` where there is more than one writer.
//! - A worker that dies holds no job for ever: a lease runs out (`until`), whoever looks for those that did finds them
//!   without reading the table (`raw_lease`), or at once those of a process that is
//!   known to be gone (`owner`).
//! - A worker that was only slow changes nothing any more: a settling names the `token` of its claim.
//! - A job that kills its workers is given up at some time: a claim counts (`attempts`).
//! - A finished job is kept: what it was, its last attempt, and when it ended (`finished_at`).
//! - No more are leased at once than a worker with so many places would lease.
//!
//! It settles the last batch and claims the next in one transaction, reads what a handler needs, and runs a no-op. It
//! has no kinds, retries, effects, dedup keys, paces, circuits or figures, no tasks, and nothing that extends a lease.

use sqlx::{Connection, Row};

use crate::Outcome;
use crate::store::Store;
use crate::watch::Rate;

const PAYLOAD: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// 128 bits in hexadecimal name a process, and as many a claim.
const OWNER: &str = "00000000000000000000000000000001";

pub(crate) async fn insert_one_by_one(store: &Store, rows: usize) -> Outcome<Rate> {
    let start;
    if store.is_sqlite() {
        let mut conn = store.sqlite().await?;
        start = store.watch();
        for _ in 0..rows {
            let text =
                "INSERT INTO raw_job (queue, payload, state, run_at) VALUES ('bench', ?1, 'pending', 0)";
            sqlx::query(text).bind(PAYLOAD).execute(&mut conn).await?;
        }
    } else {
        let mut conn = store.postgres().await?;
        start = store.watch();
        for _ in 0..rows {
            let text =
                "INSERT INTO raw_job (queue, payload, state, run_at) VALUES ('bench', $1, 'pending', now())";
            sqlx::query(text).bind(PAYLOAD).execute(&mut conn).await?;
        }
    }
    Ok(start.stop(rows))
}

pub(crate) async fn insert_batches(store: &Store, rows: usize) -> Outcome<Rate> {
    let payloads = serde_json::to_string(&vec![PAYLOAD; 1000])?;
    let start;
    if store.is_sqlite() {
        let mut conn = store.sqlite().await?;
        start = store.watch();
        for _ in 0..rows / 1000 {
            let text = "INSERT INTO raw_job (queue, payload, state, run_at) SELECT 'bench', value, 'pending', 0 FROM json_each(?1)";
            sqlx::query(text).bind(&payloads).execute(&mut conn).await?;
        }
    } else {
        let mut conn = store.postgres().await?;
        start = store.watch();
        for _ in 0..rows / 1000 {
            let text = "INSERT INTO raw_job (queue, payload, state, run_at)
                SELECT 'bench', value, 'pending', now() FROM json_array_elements_text($1::text::json) AS value";
            sqlx::query(text).bind(&payloads).execute(&mut conn).await?;
        }
    }
    Ok(start.stop(rows / 1000 * 1000))
}

/// Claims and settles all of them, with at most `at_once` leased at any moment, as a worker with so many places has.
pub(crate) async fn drain(store: &Store, rows: usize, at_once: usize) -> Outcome<Rate> {
    let start = store.watch();
    let done = if store.is_sqlite() {
        drain_sqlite(store, i64::try_from(at_once)?).await?
    } else {
        let half = i64::try_from(at_once / 2)?;
        let (one, two) = tokio::join!(drain_postgres(store, half), drain_postgres(store, half));
        one? + two?
    };
    if done == rows { Ok(start.stop(rows)) } else { Err(format!("{done} of {rows} were done").into()) }
}

/// Settles the last batch and claims the next in one transaction.
async fn drain_sqlite(store: &Store, batch: i64) -> Outcome<usize> {
    let mut conn = store.sqlite().await?;
    let (mut done, mut all, mut token) = ("[]".to_owned(), 0, String::new());
    loop {
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        let settle = "UPDATE raw_job SET state = 'done', finished_at = unixepoch()
            WHERE id IN (SELECT value FROM json_each(?1)) AND token = ?2";
        all += usize::try_from(
            sqlx::query(settle).bind(&done).bind(&token).execute(&mut *tx).await?.rows_affected(),
        )?;
        token = format!("{all:032x}");
        let claim = "UPDATE raw_job SET state = 'running', attempts = attempts + 1, token = ?2, owner = ?3,
            until = unixepoch() + 60
            WHERE id IN (SELECT id FROM raw_job WHERE queue = 'bench' AND state = 'pending' AND run_at <= unixepoch()
                ORDER BY run_at, id LIMIT ?1)
            RETURNING id, payload, attempts";
        let claim = sqlx::query(claim).bind(batch).bind(&token).bind(OWNER);
        let claimed: Vec<Job> = claim.fetch_all(&mut *tx).await?.iter().map(job).collect::<Result<_, _>>()?;
        tx.commit().await?;
        if claimed.is_empty() {
            return Ok(all);
        }
        done = serde_json::to_string(&claimed.iter().map(run).collect::<Vec<i64>>())?;
    }
}

/// The same; the finished row leaves the hot table for a history, which is the fastest way to keep it here.
async fn drain_postgres(store: &Store, batch: i64) -> Outcome<usize> {
    let mut conn = store.postgres().await?;
    let (mut done, mut all, mut token) = (Vec::<i64>::new(), 0, String::new());
    let writer: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut conn).await?;
    loop {
        let mut tx = conn.begin().await?;
        let settle = "WITH gone AS (DELETE FROM raw_job WHERE id = ANY($1) AND token = $2 RETURNING *)
            INSERT INTO raw_history (id, queue, payload, state, run_at, attempts, token, owner, finished_at)
            SELECT id, queue, payload, 'done', run_at, attempts, token, owner, now() FROM gone";
        all += usize::try_from(
            sqlx::query(settle).bind(&done).bind(&token).execute(&mut *tx).await?.rows_affected(),
        )?;
        token = format!("{writer:016x}{all:016x}");
        let claim = "UPDATE raw_job SET state = 'running', attempts = attempts + 1, token = $2, owner = $3,
            until = now() + interval '1 minute' WHERE id = ANY(ARRAY(
            SELECT id FROM raw_job WHERE queue = 'bench' AND state = 'pending' AND run_at <= statement_timestamp()
            ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id, payload, attempts";
        let claim = sqlx::query(claim).bind(batch).bind(&token).bind(OWNER);
        let claimed: Vec<Job> = claim.fetch_all(&mut *tx).await?.iter().map(job).collect::<Result<_, _>>()?;
        tx.commit().await?;
        if claimed.is_empty() {
            return Ok(all);
        }
        done = claimed.iter().map(run).collect();
    }
}

/// A claimed row, as its handler gets it.
struct Job {
    id: i64,
    payload: String,
    attempts: i64,
}

fn job<'r, R: Row>(row: &'r R) -> Result<Job, sqlx::Error>
where
    &'static str: sqlx::ColumnIndex<R>,
    i64: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
    String: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
{
    Ok(Job { id: row.try_get("id")?, payload: row.try_get("payload")?, attempts: row.try_get("attempts")? })
}

/// The no-op handler.
fn run(job: &Job) -> i64 {
    std::hint::black_box((&job.payload, job.attempts));
    job.id
}
