//! The queue, through its public interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use onceward::{Context, Done, NewJob, Worker};
use tokio::sync::{Notify, mpsc};

use crate::Outcome;
use crate::store::Store;
use crate::watch::Rate;

fn job() -> NewJob {
    NewJob::untyped("bench", "noop", format!("{{\"text\":\"{}\"}}", "x".repeat(185)))
}

/// `producers` tasks, each waiting for its acknowledgement before its next job.
pub(crate) async fn producers(store: &Store, producers: usize, jobs: usize) -> Outcome<Rate> {
    let start = store.watch();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..producers {
        let once = store.once.clone();
        tasks.spawn(async move {
            for _ in 0..jobs / producers {
                once.enqueue(job()).await?;
            }
            Ok::<_, onceward::Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(start.stop(jobs / producers * producers))
}

pub(crate) async fn batches(store: &Store, jobs: usize) -> Outcome<Rate> {
    let start = store.watch();
    for _ in 0..jobs / 1000 {
        store.once.enqueue_each((0..1000).map(|_| job()).collect()).await?;
    }
    Ok(start.stop(jobs / 1000 * 1000))
}

pub(crate) async fn drain(store: &Store, jobs: usize, at_once: usize) -> Outcome<Rate> {
    let (left, all) = (Arc::new(AtomicUsize::new(jobs)), Arc::new(Notify::new()));
    let handler = |ctx: Context<(Arc<AtomicUsize>, Arc<Notify>)>| async move {
        let (left, all) = ctx.app();
        if left.fetch_sub(1, Ordering::Relaxed) == 1 {
            all.notify_one();
        }
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once)
        .register_fn("noop", 1, (left, all.clone()), handler)
        .queue("bench", at_once)
        .build()?;
    let start = store.watch();
    let report = worker.run_until(all.notified()).await?;
    let rate = start.stop(jobs);
    if report.done == u64::try_from(jobs)? { Ok(rate) } else { Err(format!("{report:?}").into()) }
}

/// How long an idle worker takes to start a job.
pub(crate) async fn enqueue_to_start(store: &Store, jobs: usize) -> Outcome<Vec<Duration>> {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = |ctx: Context<mpsc::UnboundedSender<Instant>>| async move {
        ctx.app().send(Instant::now())?;
        Ok(Done::Nothing)
    };
    let worker =
        Worker::builder(&store.once).register_fn("noop", 1, started, handler).queue("bench", 10).build()?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(async move { worker.run_until(async { drop(stopped.await) }).await });
    let mut waits = Vec::new();
    for _ in 0..jobs {
        let asked = Instant::now();
        store.once.enqueue(job()).await?;
        waits.push(starts.recv().await.ok_or("the worker stopped")? - asked);
    }
    drop(stop);
    running.await??;
    Ok(waits)
}
