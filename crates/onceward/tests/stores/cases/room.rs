//! How much a queue as a whole may do, when several ask at once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::{Cause, Class, Context, Done, NewJob, QueueSettings, Receipt, SendError, Worker};
use sqlx::{Connection, PgConnection};
use tokio::sync::Semaphore;

use crate::harness::{Store, Verdict};

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

/// A claim takes the only place of the queue, and another one waits for it to commit.
pub(crate) async fn a_claim_that_waited_counts_what_the_one_before_it_took(store: &Store) -> Verdict {
    let settings = QueueSettings { concurrency: Some(1), ..QueueSettings::default() };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(), job()]).await?;
    if store.is_sqlite() {
        // There the writer's turn lets one claim in at a time.
        return Ok(());
    }
    let mut other = PgConnection::connect(&store.direct()?).await?;
    sqlx::raw_sql("BEGIN; SELECT FROM onceward.queue WHERE name = 'mail' FOR UPDATE").execute(&mut other).await?;
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, (), |_| async { Ok(Done::Nothing) });
    let worker = worker.queue("mail", 1).build()?;
    let late = tokio::spawn(async move { worker.run_until_idle().await });
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
    while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&mut other).await? {}
    sqlx::raw_sql(
        "UPDATE onceward.job SET state = 'running', purpose = 'run', lease_token = 't', lease_owner = 'other',
            claimed_at = now(), leased_until = now() + interval '1 hour', claim_no = 1, attempts = 1
         WHERE id = (SELECT min(id) FROM onceward.job); COMMIT",
    )
    .execute(&mut other)
    .await?;
    assert_eq!(late.await??.done, 0, "the place is taken");
    assert_eq!(store.count("job", "state = 'running'").await?, 1);
    Ok(())
}

/// A worker lets all else end before a job that must run alone. One that cannot start now is not waited for.
pub(crate) async fn a_lone_job_of_a_paused_queue_stops_no_other(store: &Store) -> Verdict {
    store.once.enqueue(job()).await?;
    store.execute("UPDATE @job SET lone = true").await?;
    store.once.pause_queue("mail", "moving house").await?;
    store.once.enqueue_each(vec![job().queue("news"); 5]).await?;
    let ended = std::sync::Arc::new(Semaphore::new(0));
    // The first one ends when all others have.
    let handler = |ctx: Context<std::sync::Arc<Semaphore>>| async move {
        if ctx.job().lease.job == 2 {
            let others = ctx.app().acquire_many(4);
            drop(tokio::time::timeout(Duration::from_secs(20), others).await.map_err(std::io::Error::other)?);
        }
        ctx.app().add_permits(1);
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, ended, handler);
    let report = worker.queue("mail", 2).queue("news", 2).build()?.run_until_idle().await?;
    assert_eq!((report.done, report.again), (5, 0));
    Ok(())
}

pub(crate) async fn a_peer_that_is_down_and_names_a_time_is_left_alone_until_then(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let settings = QueueSettings { circuit: Some(CircuitPolicy::default()), ..QueueSettings::default() };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(); 3]).await?;
    let sends = std::sync::Arc::new(AtomicU32::new(0));
    let handler = |ctx: Context<std::sync::Arc<AtomicU32>>| async move {
        let until = "2026-12-01T09:07:00Z".parse()?;
        let down = Cause::new("http_503", "down").outage().until(until);
        let send = async |_| {
            let first = ctx.app().fetch_add(1, Ordering::SeqCst) == 0;
            if first { Err(SendError::Unknown(down)) } else { Ok(Receipt::id("sent")) }
        };
        Ok(ctx.effect("send", 7).class(Class::Deterministic).send(send).await?.into())
    };
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, sends.clone(), handler);
    let worker = worker.queue("mail", 1).build()?;
    for (minutes, sent) in [(0, 1), (6, 1), (8, 4)] {
        store.once.set_clock(t0.after(Duration::from_mins(minutes)));
        worker.run_until_idle().await?;
        assert_eq!(sends.load(Ordering::SeqCst), sent, "after {minutes} minutes");
    }
    Ok(())
}
