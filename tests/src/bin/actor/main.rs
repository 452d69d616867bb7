//! The program behind every actor: does what the orders in its only argument say, and says on stdout what was
//! acknowledged. Warnings and errors of ours go to stderr.

mod acts;

use std::error::Error;
use std::process::ExitCode;
use std::sync::PoisonError;

use onceward::{AlertMessage, AlertRule, Dedup, Done, Enqueued, Job, Onceward, Time, Topic, Worker};
use onceward_tests::fact::Fact;
use onceward_tests::orders::{OPS, Orders, PACED, Produce, QUEUE, QUICK, Work};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use self::acts::{Played, Stage};

type Fallible = Result<(), Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    log();
    // What a handler of ours panics with is meant to be kept by the store, not to fill a log.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    let played = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(play()));
    let Err(error) = played else { return ExitCode::SUCCESS };
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// Our own warnings and errors. The driver's warn of a busy machine.
fn log() {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let ours = Targets::new().with_target("onceward", LevelFilter::WARN);
    tracing_subscriber::registry().with(lines.with_filter(ours)).init();
}

async fn play() -> Fallible {
    let orders: Orders =
        serde_json::from_str(&std::env::args().nth(1).ok_or("expected the orders as JSON")?)?;
    let once = or_say(Onceward::open(&orders.url).await)?;
    if let Some(at) = orders.clock {
        once.set_clock(Time::from_micros(at));
    }
    Fact::Ready { boot: once.db().boot().id().to_owned() }.say();
    if orders.on_go {
        tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    }
    if orders.clock.is_some() {
        let once = once.clone();
        std::thread::spawn(move || follow(&once));
    }
    let stage = Stage::new(&orders.url);
    if orders.rounds {
        return rounds(&once, &orders, &stage).await;
    }
    let mut producers = orders.produce.as_ref().map(|produce| producers(&once, produce)).unwrap_or_default();
    if let Some(work) = orders.work {
        run(&once, work, &stage).await?;
        producers.abort_all();
        return Ok(());
    }
    while let Some(ended) = producers.join_next().await {
        ended??;
    }
    Ok(())
}

/// Sets the clock to each time that comes on stdin.
fn follow(once: &Onceward) {
    for at in std::io::stdin().lines().map_while(Result::ok).map_while(|line| line.parse().ok()) {
        once.set_clock(Time::from_micros(at));
        Fact::Clock { at }.say();
    }
}

fn producers(once: &Onceward, produce: &Produce) -> JoinSet<Fallible> {
    let mut tasks = JoinSet::new();
    for _ in 0..produce.tasks {
        let (once, produce) = (once.clone(), produce.clone());
        tasks.spawn(async move {
            for _ in 0..produce.each.unwrap_or(usize::MAX) {
                enqueue(&once, &produce).await?;
            }
            Ok(())
        });
    }
    tasks
}

async fn enqueue(once: &Onceward, produce: &Produce) -> Fallible {
    let mut job = produce.act.job().queue(&produce.queue);
    if let Some(key) = &produce.key {
        job = job.dedup(key, Dedup::Forever);
    }
    let enqueued = or_say(once.enqueue(job).await)?;
    Fact::Enqueued { job: enqueued.id(), new: matches!(enqueued, Enqueued::New(_)) }.say();
    Ok(())
}

async fn run(once: &Onceward, work: Work, stage: &Stage) -> Fallible {
    let worker = or_say(worker(once, work, stage))?;
    let ran = if work.until_idle {
        worker.run_until_idle().await
    } else {
        let mut told = signal(SignalKind::terminate())?;
        worker
            .run_until(async move {
                told.recv().await;
            })
            .await
    };
    let report = match ran {
        // Nothing else ends a handler that keeps its thread; a runtime would wait for it.
        Err(error @ onceward::Error::Stuck { .. }) => {
            Fact::failed(&error).say();
            std::process::exit(1);
        }
        ran => or_say(ran)?,
    };
    Fact::from(report).say();
    Ok(())
}

fn worker(once: &Onceward, work: Work, stage: &Stage) -> Result<Worker, onceward::Error> {
    let mut worker = Worker::builder(once)
        .register::<Played>(stage.clone())
        .queue_with(QUEUE, work.concurrency, QUICK)
        .lease(work.lease)
        .grace(work.grace)
        .longest(work.longest);
    if work.whole {
        let rule = AlertRule { on: vec![Topic::Dead], ..AlertRule::new("ops", OPS) };
        worker = worker
            .register_fn(AlertMessage::KIND, 1, (), async |_| Ok(Done::Nothing))
            .queue_with(PACED, work.concurrency, QUICK)
            .queue(OPS, 1)
            .alerts(vec![rule]);
    }
    worker.build()
}

/// Enqueues and works at once, until idle, and again. What returned in a round whose report counts every one of
/// them as done is done.
async fn rounds(once: &Onceward, orders: &Orders, stage: &Stage) -> Fallible {
    let produce = orders.produce.as_ref().ok_or("rounds need something to enqueue")?;
    let worker = or_say(worker(once, orders.work.unwrap_or_default(), stage))?;
    loop {
        let mut tasks = producers(once, produce);
        let report = or_say(worker.run_until_idle().await)?;
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        let returned = std::mem::take(&mut *stage.returned.lock().unwrap_or_else(PoisonError::into_inner));
        if u64::try_from(returned.len()) == Ok(report.done) {
            for job in returned {
                Fact::Done { job }.say();
            }
        }
    }
}

fn or_say<T>(result: Result<T, onceward::Error>) -> Result<T, onceward::Error> {
    result.inspect_err(|error| Fact::failed(error).say())
}
