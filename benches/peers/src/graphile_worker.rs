//! `drain-graphile-worker JOBS AT_ONCE QUEUES`, with `DATABASE_URL`: drains so many no-op jobs with `graphile_worker`.
//!
//! Enqueues them, says `ready`, waits for a line, drains them, and says `drained`; the clock is the caller's.
//!
//! Set up as its own benchmark (`benches/perf_test.rs` in the crate) and its guide to throughput say: jobs are fetched
//! into local queues, 5,000 together, and completions are gathered for 5 ms.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, LocalQueueConfig, TaskHandler, Worker, WorkerContext, WorkerOptions,
};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgPoolOptions;
use tokio::sync::Notify;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Fetched ahead, by all local queues together.
const AHEAD: usize = 5000;

/// Jobs added by one statement.
const BATCH: usize = 1000;

/// What its benchmark gives the pool.
const CONNECTIONS: u32 = 100;

#[derive(Clone, Serialize, Deserialize)]
struct Noop {
    num: usize,
}

/// Counts down to the last job.
#[derive(Clone, Debug)]
struct Left {
    jobs: Arc<AtomicUsize>,
    none: Arc<Notify>,
}

impl TaskHandler for Noop {
    const IDENTIFIER: &'static str = "noop";

    async fn run(self, ctx: WorkerContext) -> impl IntoTaskHandlerResult {
        std::hint::black_box(self.num);
        let left = ctx.get_ext::<Left>().ok_or_else(|| "nobody counts".to_owned())?;
        if left.jobs.fetch_sub(1, Ordering::Relaxed) == 1 {
            left.none.notify_one();
        }
        Ok::<(), String>(())
    }
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|arg| arg.parse()).collect::<Result<_, _>>()?;
    let [jobs, at_once, queues] = numbers[..] else {
        return Err("expected JOBS AT_ONCE QUEUES".into());
    };
    let pool =
        PgPoolOptions::new().max_connections(CONNECTIONS).connect(&std::env::var("DATABASE_URL")?).await?;
    let left = Left { jobs: Arc::new(AtomicUsize::new(jobs)), none: Arc::default() };
    let worker = WorkerOptions::default()
        .pg_pool(pool.clone())
        .concurrency(at_once)
        .poll_interval(Duration::from_millis(5))
        .complete_job_batch_delay(Duration::from_millis(5))
        .local_queue(LocalQueueConfig::default().with_size(AHEAD / queues).with_queue_count(queues))
        .add_extension(left.clone())
        .define_job::<Noop>()
        .init()
        .await?;
    enqueue(&worker, jobs).await?;
    println!("ready");
    std::io::stdin().read_line(&mut String::new())?;
    drain(worker, &left.none).await?;
    println!("drained");
    nothing_left(&pool).await
}

async fn enqueue(worker: &Worker, jobs: usize) -> Outcome<()> {
    let (utils, spec) = (worker.create_utils(), JobSpec::default());
    for first in (0..jobs).step_by(BATCH) {
        let batch: Vec<_> = (first..jobs.min(first + BATCH)).map(|num| (Noop { num }, &spec)).collect();
        utils.add_jobs::<Noop>(&batch).await?;
    }
    Ok(())
}

/// What was completed last is written when `run` returns.
async fn drain(worker: Worker, none_left: &Notify) -> Outcome<()> {
    let run = worker.run();
    tokio::pin!(run);
    tokio::select! {
        ended = &mut run => {
            ended?;
            return Err("the worker ended before its jobs did".into());
        }
        () = none_left.notified() => worker.request_shutdown(),
    }
    Ok(run.await?)
}

/// A completed job is deleted.
async fn nothing_left(pool: &sqlx::PgPool) -> Outcome<()> {
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM graphile_worker._private_jobs").fetch_one(pool).await?;
    if left == 0 { Ok(()) } else { Err(format!("{left} jobs were not done").into()) }
}
