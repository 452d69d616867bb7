//! A queue beside an application: in its database, through its pool, and nowhere else.

use futures_util::FutureExt as _;
use onceward::{Context, Done, NewJob, Onceward, Worker};
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, PgConnection, SqliteConnection};

use crate::harness::{Store, Verdict};

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

async fn works(once: &Onceward) -> Result<u64, onceward::Error> {
    let handler = |_: Context<()>| async { Ok(Done::Nothing) };
    let worker = Worker::builder(once).register_fn("welcome", 1, (), handler).queue("mail", 5).build()?;
    Ok(worker.run_until_idle().await?.done)
}

async fn another_file(name: &str) -> Result<(tempfile::TempDir, SqliteConnection), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let options = SqliteConnectOptions::new().filename(folder.path().join(name)).create_if_missing(true);
    Ok((folder, SqliteConnection::connect_with(&options).await?))
}

async fn another_database() -> Result<PgConnection, Box<dyn std::error::Error>> {
    let server = std::env::var("ONCEWARD_TEST_POSTGRES")?;
    Ok(PgConnection::connect(&server).await?)
}

pub(crate) async fn a_queue_beside_a_pool_shares_its_transactions_and_leaves_it_open(store: &Store) -> Verdict {
    if store.is_sqlite() {
        let pool = SqlitePoolOptions::new().max_connections(2).connect(&store.url).await?;
        let once = Onceward::beside_sqlite(&pool).await?;
        let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
        once.enqueue_in(&mut tx, job()).await?;
        tx.commit().await?;
        assert_eq!(works(&once).await?, 1);
        once.close().await;
        sqlx::query("SELECT 1").execute(&pool).await?;
    } else {
        let pool = PgPoolOptions::new().max_connections(4).connect(&store.direct()?).await?;
        let once = Onceward::beside_postgres(&pool).await?;
        let mut tx = pool.begin().await?;
        once.enqueue_in(&mut tx, job()).await?;
        tx.commit().await?;
        assert_eq!(works(&once).await?, 1);
        once.close().await;
        for mut conn in [pool.acquire().await?, pool.acquire().await?, pool.acquire().await?, pool.acquire().await?] {
            assert!(!pool.is_closed());
            let mut tx = conn.begin().await?;
            sqlx::query("SELECT 1").execute(&mut *tx).await?;
            tx.commit().await?;
        }
    }
    assert_eq!(store.count("job_all", "state = 'done'").await?, 1);
    Ok(())
}

pub(crate) async fn a_look_that_is_given_up_leaves_the_pool_as_it_was(store: &Store) -> Verdict {
    if store.is_sqlite() {
        let pool = SqlitePoolOptions::new().max_connections(1).connect(&store.url).await?;
        look_and_give_up(&Onceward::beside_sqlite(&pool).await?, || true).await;
        pool.begin_with("BEGIN IMMEDIATE").await?.rollback().await?;
        return Ok(());
    }
    // A connection that is there is had at once, so that a look is given up while it begins.
    let options = PgPoolOptions::new().min_connections(4).max_connections(4).test_before_acquire(false);
    let pool = options.connect(&store.direct()?).await?;
    look_and_give_up(&Onceward::beside_postgres(&pool).await?, || pool.num_idle() > 0 || pool.size() < 4).await;
    for mut conn in [pool.acquire().await?, pool.acquire().await?, pool.acquire().await?, pool.acquire().await?] {
        let level: String = sqlx::query_scalar("SHOW transaction_isolation").fetch_one(&mut *conn).await?;
        assert_eq!(level, "read committed", "the transaction of a look is still open");
    }
    Ok(())
}

/// Begins to look, and gives up a moment later each time, until a look is ready before.
async fn look_and_give_up(once: &Onceward, can_look: impl Fn() -> bool) {
    let mut moments = 0;
    loop {
        moments += 1 + moments / 8;
        while !can_look() {
            tokio::task::yield_now().await;
        }
        let mut look = Box::pin(once.db().reader());
        for _ in 0..moments {
            if look.as_mut().now_or_never().is_some() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

pub(crate) async fn a_transaction_of_another_engine_is_refused(store: &Store) -> Verdict {
    let refused = if store.is_sqlite() {
        let mut conn = another_database().await?;
        let mut tx = conn.begin().await?;
        store.once.enqueue_in(&mut tx, job()).await
    } else {
        let (_folder, mut conn) = another_file("app.db").await?;
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        store.once.enqueue_in(&mut tx, job()).await
    };
    assert_eq!(refused.expect_err("the job would be nowhere").code(), "wrong_store");
    assert_eq!(store.count("job", "true").await?, 0);
    Ok(())
}

pub(crate) async fn a_transaction_of_a_database_without_a_queue_is_refused(store: &Store) -> Verdict {
    let refused = if store.is_sqlite() {
        let (_folder, mut conn) = another_file("app.db").await?;
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        store.once.enqueue_in(&mut tx, job()).await
    } else {
        let mut conn = another_database().await?;
        let mut tx = conn.begin().await?;
        store.once.enqueue_in(&mut tx, job()).await
    };
    let refused = refused.expect_err("there are no tables");
    assert_eq!(refused.code(), "wrong_store");
    assert!(refused.to_string().contains("open the queue beside it"), "{refused}");
    assert_eq!(store.count("job", "true").await?, 0);
    Ok(())
}

pub(crate) async fn a_pool_that_cannot_carry_the_queue_is_refused(store: &Store) -> Verdict {
    let (refused, why) = if store.is_sqlite() {
        let options = store.url.parse::<SqliteConnectOptions>()?.synchronous(SqliteSynchronous::Normal);
        let pool = SqlitePoolOptions::new().connect_with(options).await?;
        (Onceward::beside_sqlite(&pool).await, "synchronous=FULL")
    } else {
        let pool = PgPoolOptions::new().max_connections(3).connect(&store.direct()?).await?;
        (Onceward::beside_postgres(&pool).await, "at least 4")
    };
    let refused = refused.expect_err("it would hang, or lose jobs");
    assert_eq!(refused.code(), "store_config");
    assert!(refused.to_string().contains(why), "{refused}");
    Ok(())
}

#[tokio::test]
async fn a_commit_that_a_power_cut_could_lose_enqueues_nothing() -> Verdict {
    let store = Store::sqlite().await?;
    for (level, durable) in [("OFF", false), ("NORMAL", false), ("FULL", true), ("EXTRA", true)] {
        let mut conn = SqliteConnection::connect(&store.url).await?;
        sqlx::query(crate::harness::leak(format!("PRAGMA synchronous = {level}"))).execute(&mut conn).await?;
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        let answer = store.once.enqueue_in(&mut tx, job()).await;
        tx.commit().await?;
        match answer {
            Ok(_) => assert!(durable, "{level}"),
            Err(refused) => {
                assert!(!durable, "{level}: {refused}");
                assert!(refused.to_string().contains("synchronous=FULL"), "{refused}");
            }
        }
    }
    assert_eq!(store.count("job", "true").await?, 2);
    Ok(())
}
