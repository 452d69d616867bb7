//! What a long history costs: the same drain beside many finished jobs and beside none.

use crate::pairs::{self, Pair};
use crate::store::Store;
use crate::watch::Rate;
use crate::{Outcome, Plan, ours};

const PAIRS: usize = 5;

/// Really drained, in every store; all else in a history are copies of these, so that nothing here has to know how the
/// product leaves a finished job.
const DRAINED: usize = 1000;

/// Over so many days the history is spread.
const DAYS: i32 = 10;

const AT_ONCE: usize = 500;

/// Both stores of a pair are there at once, on one server, and are drained right after each other; which goes first
/// alternates.
pub(crate) async fn compare(plan: &Plan<'_>) -> Outcome<()> {
    let name = format!("{} jobs in the history : none, 500 at once", plan.finished);
    if !plan.wants(&name) {
        return Ok(());
    }
    let mut pairs = Vec::new();
    for number in 0..PAIRS {
        let full = prepared(plan, plan.finished).await?;
        let empty = prepared(plan, 0).await?;
        let (this, other) = (async || drain(&full, plan).await, async || drain(&empty, plan).await);
        pairs.push(Pair::measured(number % 2 == 0, this, other).await?);
        full.drop().await?;
        empty.drop().await?;
    }
    pairs::report(&name, pairs);
    Ok(())
}

async fn drain(store: &Store, plan: &Plan<'_>) -> Outcome<Rate> {
    rest(store).await?;
    ours::drain(store, plan.jobs, AT_ONCE).await
}

/// A store with so many finished jobs and as many pending ones as will be drained.
async fn prepared(plan: &Plan<'_>, finished: usize) -> Outcome<Store> {
    let store = Store::fresh(plan.engine).await?;
    ours::batches(&store, DRAINED).await?;
    ours::drain(&store, DRAINED, AT_ONCE).await?;
    let wanted = i64::try_from(finished)?;
    let copies = if store.is_sqlite() {
        copy_sqlite(&store, wanted).await?
    } else {
        copy_postgres(&store, wanted).await?
    };
    if copies != u64::try_from(finished)? {
        return Err(format!("{copies} of {finished} jobs went into the history").into());
    }
    ours::batches(&store, plan.jobs).await?;
    Ok(store)
}

/// The days that a history of so many jobs has, the oldest first, each with its share.
fn days(finished: i64) -> impl Iterator<Item = (i32, i64)> {
    let days = if finished == 0 { 1 } else { DAYS };
    let upto = move |day: i32| finished * i64::from(day) / i64::from(days);
    (0..days).map(move |day| (days - 1 - day, upto(day + 1) - upto(day)))
}

/// Gives how many there are.
async fn copy_postgres(store: &Store, finished: i64) -> Outcome<u64> {
    let mut all = 0;
    let mut conn = store.postgres().await?;
    let seed =
        "CREATE TEMP TABLE seed AS SELECT * FROM onceward.job_history; CREATE TEMP TABLE day (LIKE seed);
        TRUNCATE onceward.job_history";
    sqlx::raw_sql(seed).execute(&mut conn).await?;
    for (ago, share) in days(finished) {
        let partition = "SELECT onceward.make_partition((now() AT TIME ZONE 'UTC')::date - $1)";
        sqlx::query(partition).bind(ago).execute(&mut conn).await?;
        let copies = "INSERT INTO day SELECT seed.* FROM generate_series(0, $1 / (SELECT count(*) FROM seed)), seed LIMIT $1";
        sqlx::query(copies).bind(share).execute(&mut conn).await?;
        let shift =
            "UPDATE day SET id = nextval('onceward.job_id_seq'), run_at = run_at - $1 * interval '1 day',
            created_at = created_at - $1 * interval '1 day', claimed_at = claimed_at - $1 * interval '1 day',
            finished_at = finished_at - $1 * interval '1 day'";
        sqlx::query(shift).bind(ago).execute(&mut conn).await?;
        let keep = "INSERT INTO onceward.job_history SELECT * FROM day";
        all += sqlx::query(keep).execute(&mut conn).await?.rows_affected();
        sqlx::query("TRUNCATE day").execute(&mut conn).await?;
    }
    let figures = "INSERT INTO onceward.counter_delta (queue, what, n)
        SELECT queue, state, $1 - count(*) FROM seed GROUP BY queue, state";
    sqlx::query(figures).bind(finished).execute(&mut conn).await?;
    Ok(all)
}

/// Gives how many there are.
async fn copy_sqlite(store: &Store, finished: i64) -> Outcome<u64> {
    let mut all = 0;
    let mut conn = store.sqlite().await?;
    let seed = "CREATE TEMP TABLE seed AS SELECT * FROM onceward_job; CREATE TEMP TABLE day AS SELECT * FROM seed LIMIT 0;
        DELETE FROM onceward_job";
    sqlx::raw_sql(seed).execute(&mut conn).await?;
    for (ago, share) in days(finished) {
        let copies = "WITH RECURSIVE copy (n) AS
                (SELECT 0 UNION ALL SELECT n + 1 FROM copy WHERE n < ?1 / (SELECT count(*) FROM seed))
            INSERT INTO day SELECT seed.* FROM copy CROSS JOIN seed LIMIT ?1";
        sqlx::query(copies).bind(share).execute(&mut conn).await?;
        let shift = "UPDATE day SET id = rowid + (SELECT seq FROM sqlite_sequence WHERE name = 'onceward_job'),
            run_at = run_at - ?1, created_at = created_at - ?1, claimed_at = claimed_at - ?1, finished_at = finished_at - ?1";
        sqlx::query(shift).bind(i64::from(ago) * 86_400_000_000).execute(&mut conn).await?;
        let keep = "INSERT INTO onceward_job SELECT * FROM day";
        all += sqlx::query(keep).execute(&mut conn).await?.rows_affected();
        sqlx::query("DELETE FROM day").execute(&mut conn).await?;
    }
    let figures = "INSERT INTO onceward_counter_delta (queue, what, n)
        SELECT queue, state, ?1 - count(*) FROM seed GROUP BY queue, state";
    sqlx::query(figures).bind(finished).execute(&mut conn).await?;
    Ok(all)
}

/// What autovacuum and checkpoints would do some time after a filling, or after the drain before, is done now, not
/// within the drain.
async fn rest(store: &Store) -> Outcome<()> {
    if store.is_sqlite() {
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut store.sqlite().await?).await?;
    } else {
        sqlx::raw_sql("VACUUM (ANALYZE)").execute(&mut store.postgres().await?).await?;
        sqlx::raw_sql("CHECKPOINT").execute(&mut store.postgres().await?).await?;
    }
    Ok(())
}
