//! The conformance suite: each behaviour is written once, named as a law, and run on each store.

mod harness;

/// Runs each law on SQLite, on PostgreSQL, and on PostgreSQL through a transaction pooler.
macro_rules! laws {
    ($($file:ident: $($law:ident),+ $(,)?;)+) => {
        mod cases { $(pub(crate) mod $file;)+ }
        laws!(@store sqlite $($file: $($law),+;)+);
        laws!(@store postgres $($file: $($law),+;)+);
        laws!(@store pgbouncer $($file: $($law),+;)+);
    };
    (@store $store:ident $($file:ident: $($law:ident),+;)+) => {
        mod $store { $(mod $file { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() -> $crate::harness::Verdict {
                let store = $crate::harness::Store::$store().await?;
                $crate::cases::$file::$law(&store).await
            }
        )+ })+ }
    };
}

laws! {
    enqueue:
        a_job_is_pending_when_enqueue_returns,
        two_hundred_producers_of_one_key_make_one_job,
        a_rolled_back_transaction_leaves_no_job;
}
