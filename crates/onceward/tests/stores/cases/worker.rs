//! What a worker makes of what its handlers say.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::{Cause, Context, Done, Failure, NewJob, OrFail, Outcome, Receipt, Worker};
use sqlx::Connection;
use tokio::sync::Notify;

use crate::harness::{Store, Verdict};

fn job(payload: &str) -> NewJob {
    NewJob::untyped("mail", "welcome", payload)
}

type Handler = fn(Context<Arc<AtomicU32>>) -> std::pin::Pin<Box<dyn Future<Output = Outcome> + Send>>;

fn worker(store: &Store, runs: &Arc<AtomicU32>, handler: Handler) -> Result<Worker, onceward::Error> {
    Worker::builder(&store.once).register_fn("welcome", 1, runs.clone(), handler).queue("mail", 20).build()
}

/// Enqueues one job, runs to idleness, and gives how many attempts were settled.
async fn ran(store: &Store, handler: Handler) -> Result<u64, Box<dyn std::error::Error>> {
    store.once.enqueue(job("{}")).await?;
    let runs = Arc::new(AtomicU32::new(0));
    let report = worker(store, &runs, handler)?.run_until_idle().await?;
    Ok(report.done + report.again + report.dead + report.in_doubt)
}

pub(crate) async fn a_receipt_is_kept_with_the_job(store: &Store) -> Verdict {
    ran(store, |_| Box::pin(async { Ok(Receipt::id("m-1").at("https://example.org/m-1").into()) })).await?;
    assert_eq!(store.count("job_all", "state = 'done' AND url = 'https://example.org/m-1' AND result LIKE '%m-1%'").await?, 1);
    assert_eq!(store.count("attempt_all", "outcome = 'done' AND number = 1").await?, 1);
    Ok(())
}

pub(crate) async fn a_transient_failure_waits_by_the_policy(store: &Store) -> Verdict {
    let t0 = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let handler: Handler = |_| Box::pin(async { Err(std::io::Error::other("no route").into()) });
    assert_eq!(ran(store, handler).await?, 1);
    assert_eq!(store.count("job", "state = 'pending' AND tries = 1 AND error_code = 'error'").await?, 1);
    let runs = Arc::new(AtomicU32::new(0));
    for _ in 0..10 {
        store.once.set_clock(onceward::Time::after(store.clock(), Duration::from_mins(90)));
        worker(store, &runs, handler)?.run_until_idle().await?;
    }
    assert_eq!(store.count("job", "state = 'dead' AND tries = 5 AND attempts = 5").await?, 1);
    assert_eq!(store.count("attempt", "true").await?, 5);
    Ok(())
}

pub(crate) async fn a_permanent_failure_is_dead_at_once(store: &Store) -> Verdict {
    let handler: Handler = |_| {
        Box::pin(async {
            let _: u32 = "x".parse().permanent("bad_address")?;
            Ok(Done::Nothing)
        })
    };
    assert_eq!(ran(store, handler).await?, 1);
    assert_eq!(store.count("job", "state = 'dead' AND error_code = 'bad_address' AND error_class = 'permanent'").await?, 1);
    Ok(())
}

pub(crate) async fn a_panic_is_a_failed_try(store: &Store) -> Verdict {
    let before: Handler = |_| panic!("before its future");
    let within: Handler = |_| Box::pin(async { panic!("boom \0 \u{1b}[31m") });
    for (handler, failed) in [(before, 1), (within, 2)] {
        assert_eq!(ran(store, handler).await?, 1);
        let panicked = "state = 'pending' AND tries = 1 AND error_code = 'panicked'";
        assert_eq!(store.count("job", panicked).await?, failed);
    }
    Ok(())
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("at its end");
    }
}

pub(crate) async fn a_panic_at_the_end_of_a_handler_that_took_too_long_keeps_no_place(store: &Store) -> Verdict {
    let handler: Handler = |_| {
        Box::pin(async {
            let _bomb = Bomb;
            std::future::pending().await
        })
    };
    store.once.enqueue(job("{}")).await?;
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, Arc::default(), handler);
    let worker = worker.queue("mail", 1).longest(Duration::from_millis(100)).build()?;
    let report = tokio::time::timeout(Duration::from_secs(20), Box::pin(worker.run_until_idle())).await??;
    assert_eq!(report.again, 1);
    assert_eq!(store.count("job", "state = 'pending' AND tries = 1 AND error_code = 'panicked'").await?, 1);
    Ok(())
}

/// Tells when it is dropped.
struct Told(Arc<Notify>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

pub(crate) async fn a_worker_that_is_given_up_gives_up_what_it_runs(store: &Store) -> Verdict {
    store.once.enqueue(job("{}")).await?;
    let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = |ctx: Context<(Arc<Notify>, Arc<Notify>)>| async move {
        let (begun, ended) = ctx.app();
        let _told = Told(ended.clone());
        begun.notify_one();
        std::future::pending().await
    };
    let app = (begun.clone(), ended.clone());
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, app, handler).queue("mail", 1).build()?;
    tokio::select! {
        _ = worker.run_until_idle() => return Err("its handler never ends".into()),
        () = begun.notified() => {}
    }
    tokio::time::timeout(Duration::from_secs(20), ended.notified()).await?;
    Ok(())
}

pub(crate) async fn recording_an_error_cannot_fail(store: &Store) -> Verdict {
    let handler: Handler = |_| {
        let text = format!("{}\0\u{1b}[31m{}", "x".repeat(10_000_000), String::from_utf8_lossy(&[0xed, 0xa0, 0x80]));
        Box::pin(async move { Err(Failure::permanent(Cause::new("huge", text).platform("\0"))) })
    };
    ran(store, handler).await?;
    assert_eq!(store.count("job", "state = 'dead' AND error_code = 'huge' AND length(last_error) < 40000").await?, 1);
    Ok(())
}

/// A doubt that became a failed try would be sent again.
pub(crate) async fn an_error_that_cannot_be_stored_keeps_its_kind(store: &Store) -> Verdict {
    let handler: Handler = |_| {
        let cause = Cause { platform_code: Some("\0".to_owned()), ..Cause::new("who_knows", "no answer") };
        Box::pin(async move { Err(Failure::InDoubt { cause }) })
    };
    ran(store, handler).await?;
    assert_eq!(store.count("job", "state = 'in_doubt' AND error_code = 'who_knows' AND tries = 0").await?, 1);
    Ok(())
}

pub(crate) async fn a_snooze_spends_no_try(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let handler: Handler = |ctx| {
        Box::pin(async move {
            if ctx.app().fetch_add(1, Ordering::SeqCst) == 0 {
                return Ok(Done::Snooze("2026-12-01T10:00:00Z".parse()?));
            }
            Ok(Done::Nothing)
        })
    };
    assert_eq!(ran(store, handler).await?, 1);
    assert_eq!(store.count("job", "state = 'pending' AND tries = 0 AND attempts = 1").await?, 1);
    store.once.set_clock("2026-12-01T09:59:59Z".parse()?);
    let runs = Arc::new(AtomicU32::new(1));
    assert_eq!(worker(store, &runs, handler)?.run_until_idle().await?.done, 0);
    store.once.set_clock("2026-12-01T10:00:00Z".parse()?);
    assert_eq!(worker(store, &runs, handler)?.run_until_idle().await?.done, 1);
    Ok(())
}

pub(crate) async fn a_rate_limit_holds_back_the_whole_queue(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let handler: Handler = |ctx| {
        Box::pin(async move {
            ctx.app().fetch_add(1, Ordering::SeqCst);
            let until = "2026-12-01T09:30:00Z".parse()?;
            Err(Failure::RateLimited { until, cause: Cause::new("http_429", "slow down") })
        })
    };
    ran(store, handler).await?;
    store.once.enqueue(job("{}")).await?;
    let runs = Arc::new(AtomicU32::new(0));
    let ok: Handler = |ctx| {
        Box::pin(async move {
            ctx.app().fetch_add(1, Ordering::SeqCst);
            Ok(Done::Nothing)
        })
    };
    worker(store, &runs, ok)?.run_until_idle().await?;
    assert_eq!(runs.load(Ordering::SeqCst), 0, "nothing runs before the time that the peer named");
    assert_eq!(store.count("job", "state = 'pending' AND tries = 0").await?, 2);
    store.once.set_clock("2026-12-01T09:30:00Z".parse()?);
    worker(store, &runs, ok)?.run_until_idle().await?;
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    Ok(())
}

/// Many payloads are picked as one text; none may run into its neighbour.
pub(crate) async fn a_handler_gets_the_payload_as_it_was_given(store: &Store) -> Verdict {
    let given = [
        "{ \"b\": 1.0,\n\t\"a\": \"\u{d050}\" }",
        r#""\u001e""#,
        r#""\\u001e, \\u0000""#,
        "\"\u{7f}\u{85}\u{2028}\"",
        r#"["\"", "],["]"#,
        "null",
    ];
    for payload in given {
        store.once.enqueue(job(payload)).await?;
    }
    for separator in ["\"\u{1e}\"", "1\u{1e}", "\u{1e}1"] {
        assert_eq!(store.once.enqueue(job(separator)).await.unwrap_err().code(), "payload_not_json");
    }
    let (got, mut all) = tokio::sync::mpsc::unbounded_channel();
    let handler = |ctx: Context<tokio::sync::mpsc::UnboundedSender<String>>| async move {
        ctx.app().send(ctx.job().payload.clone())?;
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, got, handler).queue("mail", 20).build()?;
    assert_eq!(worker.run_until_idle().await?.done, given.len() as u64);
    let mut seen: Vec<String> = std::iter::from_fn(|| all.try_recv().ok()).collect();
    let mut given = given.map(str::to_owned);
    seen.sort();
    given.sort();
    assert_eq!(seen, given);
    Ok(())
}

pub(crate) async fn an_undecodable_payload_is_dead_and_revivable(store: &Store) -> Verdict {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Welcome {
        user: u64,
    }
    impl onceward::Job for Welcome {
        const KIND: &'static str = "welcome";
    }
    impl onceward::Run for Welcome {
        type App = ();
        async fn run(self, _: &Context<()>) -> Outcome {
            assert!(self.user > 0);
            Ok(Done::Nothing)
        }
    }
    store.once.enqueue(job(r#"{"user":"seven"}"#)).await?;
    let worker = Worker::builder(&store.once).register::<Welcome>(()).queue("mail", 1).build()?;
    assert_eq!(worker.run_until_idle().await?.dead, 1);
    assert_eq!(store.count("job", "state = 'dead' AND error_code = 'payload_unreadable'").await?, 1);
    Ok(())
}

pub(crate) async fn a_worker_leaves_kinds_and_versions_it_does_not_know(store: &Store) -> Verdict {
    store.once.enqueue(NewJob::untyped("mail", "newer", "{}")).await?;
    store.once.enqueue(job("{}").version(2)).await?;
    assert_eq!(ran(store, |_| Box::pin(async { Ok(Done::Nothing) })).await?, 1);
    assert_eq!(store.count("job", "state = 'pending' AND attempts = 0").await?, 2);
    Ok(())
}

pub(crate) async fn a_stop_hands_back_what_does_not_finish(store: &Store) -> Verdict {
    store.once.enqueue(job("{}")).await?;
    let started = Arc::new(tokio::sync::Notify::new());
    let handler = |ctx: Context<Arc<tokio::sync::Notify>>| async move {
        ctx.app().notify_one();
        std::future::pending::<()>().await;
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, started.clone(), handler)
        .queue("mail", 1)
        .grace(Duration::from_millis(50))
        .build()?;
    worker.run_until(started.notified()).await?;
    assert_eq!(store.count("job", "state = 'pending' AND tries = 0 AND lone").await.unwrap_or(0), 0);
    assert_eq!(store.count("job", "state = 'pending' AND tries = 0 AND attempts = 1").await?, 1);
    assert_eq!(store.count("attempt", "outcome = 'interrupted'").await?, 1);
    Ok(())
}

pub(crate) async fn complete_in_settles_with_the_transaction_or_not_at_all(store: &Store) -> Verdict {
    for commit in [false, true] {
        store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
        store.once.enqueue(job("{}")).await?;
        let (url, sqlite) = (store.direct()?, store.is_sqlite());
        let handler = move |ctx: Context<(String, bool)>| async move {
            let (url, sqlite) = ctx.app().clone();
            let done = if sqlite {
                let mut conn = sqlx::SqliteConnection::connect(&url).await?;
                let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
                let done = ctx.complete_in(&mut tx).await?;
                if commit { tx.commit().await? } else { tx.rollback().await? }
                done
            } else {
                let mut conn = sqlx::PgConnection::connect(&url).await?;
                let mut tx = conn.begin().await?;
                let done = ctx.complete_in(&mut tx).await?;
                if commit { tx.commit().await? } else { tx.rollback().await? }
                done
            };
            Ok(done)
        };
        let worker =
            Worker::builder(&store.once).register_fn("welcome", 1, (url, sqlite), handler).queue("mail", 1).build()?;
        let report = worker.run_until_idle().await?;
        assert_eq!((report.done, report.again), if commit { (1, 0) } else { (0, 1) });
    }
    assert_eq!(store.count("job_all", "state = 'done'").await?, 1);
    assert_eq!(store.count("job", "state = 'pending' AND error_code = 'not_committed'").await?, 1);
    Ok(())
}

pub(crate) async fn a_job_found_in_a_crash_runs_beside_no_other(store: &Store) -> Verdict {
    #[derive(Clone, Default)]
    struct Seen {
        others: Arc<tokio::sync::Notify>,
        beside: Arc<AtomicU32>,
        lone: Arc<AtomicU32>,
    }
    for queue in ["one", "two"] {
        store.once.enqueue(NewJob::untyped(queue, "welcome", "{}")).await?;
    }
    let lone = if store.is_sqlite() { "1" } else { "true" };
    store.execute(&format!("UPDATE @job SET lone = {lone} WHERE queue = 'one'")).await?;
    let handler = |ctx: Context<Seen>| async move {
        let seen = ctx.app();
        if !ctx.job().lone {
            seen.others.notify_one();
            return Ok(Done::Nothing);
        }
        seen.lone.fetch_add(1, Ordering::SeqCst);
        // That nothing starts can only be waited for.
        if tokio::time::timeout(Duration::from_millis(300), seen.others.notified()).await.is_ok() {
            seen.beside.fetch_add(1, Ordering::SeqCst);
        }
        Ok(Done::Nothing)
    };
    let seen = Seen::default();
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, seen.clone(), handler)
        .queue("one", 1)
        .queue("two", 5)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.done, 2);
    assert_eq!((seen.lone.load(Ordering::SeqCst), seen.beside.load(Ordering::SeqCst)), (1, 0));
    Ok(())
}
