//! Connections to PostgreSQL that are cut: what certainly was not written is written on another one.

use onceward_tests::Verdict;
use onceward_tests::orders::Act;
use onceward_tests::store::Store;
use sqlx::{Connection, PgConnection};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_finds_its_connection_cut_is_written_on_another() -> Verdict {
    let store = Store::postgres().await?;
    let mut other = PgConnection::connect(store.url()).await?;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
               WHERE datname = current_database() AND application_name = 'onceward'";
    for _ in 0..5 {
        let job = store.once().enqueue(Act::Nothing.job()).await?.id();
        assert_eq!(store.job(job).await?.state, "pending");
        let killed: i64 = sqlx::query_scalar(cut).fetch_one(&mut other).await?;
        assert!(killed > 0);
    }
    assert_eq!(store.held().await?.jobs.len(), 5);
    Ok(())
}
