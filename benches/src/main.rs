//! `./dev bench [sqlite|postgres] [JOBS] [FINISHED] [WORD]`: how fast the queue is, as ratios to hand-written SQL in the
//! same run, and with FINISHED jobs in its history beside none. A word picks the comparisons that have it in their name.
//! `./dev bench peers [JOBS]`: beside other queues in Rust.
//!
//! Pairs alternate, and the median ratio counts, since a machine's speed drifts. Absolute figures are noise. Beside each
//! ratio stands the one of CPU time, which holds on a busy machine as well.

mod history;
mod ours;
mod pairs;
mod peers;
mod raw;
mod server;
mod store;
mod watch;

use pairs::Pair;
use store::Store;
use watch::Rate;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Alternating pairs of each comparison.
const PAIRS: usize = 3;

#[tokio::main]
async fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = args.iter().filter_map(|arg| arg.parse().ok());
    let (jobs, finished) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(1_000_000));
    let (engines, words): (Vec<&str>, Vec<&str>) = args
        .iter()
        .map(String::as_str)
        .filter(|arg| arg.parse::<usize>().is_err())
        .partition(|arg| ENGINES.contains(arg));
    if words.contains(&"peers") {
        return peers::compare(jobs).await;
    }
    for engine in ENGINES {
        if engines.is_empty() || engines.contains(&engine) {
            run(&Plan { engine, jobs, finished, only: &words }).await?;
        }
    }
    Ok(())
}

const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// What is measured.
struct Plan<'a> {
    engine: &'a str,
    jobs: usize,
    /// How many of them the history has, where it has a part.
    finished: usize,
    /// Comparisons with one of these words in their name, or all.
    only: &'a [&'a str],
}

async fn run(plan: &Plan<'_>) -> Outcome<()> {
    let jobs = plan.jobs;
    println!("{}, {jobs} jobs", plan.engine);
    pairs(
        plan,
        "64 producers, each acknowledged : one commit a row",
        async |store| ours::producers(store, 64, 20_000.min(jobs)).await,
        async |store| raw::insert_one_by_one(store, 500).await,
    )
    .await?;
    pairs(
        plan,
        "batches of 1,000 : raw batches of 1,000",
        async |store| ours::batches(store, jobs).await,
        async |store| raw::insert_batches(store, jobs).await,
    )
    .await?;
    for (at_once, name) in [
        (500, "drain, 500 at once : raw claim and settle"),
        (2000, "drain, 2,000 at once : raw claim and settle"),
    ] {
        pairs(
            plan,
            name,
            async |store| {
                ours::batches(store, jobs).await?;
                ours::drain(store, jobs, at_once).await
            },
            async |store| {
                raw::insert_batches(store, jobs).await?;
                raw::drain(store, jobs, at_once).await
            },
        )
        .await?;
    }
    history::compare(plan).await?;
    waits(plan).await
}

async fn waits(plan: &Plan<'_>) -> Outcome<()> {
    let name = "enqueue to start, idle queue";
    if !plan.wants(name) {
        return Ok(());
    }
    let store = Store::fresh(plan.engine).await?;
    let mut waits = ours::enqueue_to_start(&store, 200).await?;
    waits.sort();
    println!("  {name}: p50 {:?}, p99 {:?}", waits[waits.len() / 2], waits[waits.len() * 99 / 100]);
    store.drop().await
}

impl Plan<'_> {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| name.contains(word))
    }
}

/// Runs a comparison and prints the median of the ratios with the rates they came from.
///
/// Each half has a store of its own.
async fn pairs(
    plan: &Plan<'_>,
    name: &str,
    ours: impl AsyncFn(&Store) -> Outcome<Rate>,
    raw: impl AsyncFn(&Store) -> Outcome<Rate>,
) -> Outcome<()> {
    if !plan.wants(name) {
        return Ok(());
    }
    let mut pairs = Vec::new();
    for round in 0..PAIRS {
        let (this, other) = (async || half(plan, &ours).await, async || half(plan, &raw).await);
        pairs.push(Pair::measured(round % 2 == 1, this, other).await?);
    }
    pairs::report(name, pairs);
    Ok(())
}

async fn half(plan: &Plan<'_>, measure: impl AsyncFn(&Store) -> Outcome<Rate>) -> Outcome<Rate> {
    let store = Store::fresh(plan.engine).await?;
    let rate = measure(&store).await?;
    store.drop().await?;
    Ok(rate)
}
