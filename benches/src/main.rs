//! `./dev bench [sqlite|postgres] [JOBS] [WORD]`: how fast the queue is, as ratios to hand-written SQL in the same run.
//! A word picks the comparisons that have it in their name.
//!
//! Pairs alternate, and the median ratio counts, since a machine's speed drifts. Absolute figures are noise. Beside each
//! ratio stands the one of CPU time, which holds on a busy machine as well.

mod ours;
mod raw;
mod store;
mod watch;

use store::Store;
use watch::Rate;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Alternating pairs of each comparison.
const PAIRS: usize = 3;

#[tokio::main]
async fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let jobs = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let (engines, words): (Vec<&str>, Vec<&str>) = args
        .iter()
        .map(String::as_str)
        .filter(|arg| arg.parse::<usize>().is_err())
        .partition(|arg| ENGINES.contains(arg));
    for engine in ENGINES {
        if engines.is_empty() || engines.contains(&engine) {
            run(&Plan { engine, jobs, only: &words }).await?;
        }
    }
    Ok(())
}

const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// What is measured.
struct Plan<'a> {
    engine: &'a str,
    jobs: usize,
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
/// Each half has a store of its own, and each goes first in turn: whoever comes second on a server would have to write
/// out what the first one left in its memory.
async fn pairs(
    plan: &Plan<'_>,
    name: &str,
    ours: impl AsyncFn(&Store) -> Outcome<Rate>,
    raw: impl AsyncFn(&Store) -> Outcome<Rate>,
) -> Outcome<()> {
    if !plan.wants(name) {
        return Ok(());
    }
    let mut ratios = Vec::new();
    for round in 0..PAIRS {
        let (ours, raw) = if round % 2 == 0 {
            let raw = half(plan, &raw).await?;
            (half(plan, &ours).await?, raw)
        } else {
            (half(plan, &ours).await?, half(plan, &raw).await?)
        };
        ratios.push((ours.per_second() / raw.per_second(), ours, raw));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, ours, raw) = &ratios[PAIRS / 2];
    let (least, most) = (ratios[0].0, ratios[PAIRS - 1].0);
    println!(
        "  {name}: {ratio:.2} ({least:.2} to {most:.2}); {:.0} against {:.0} a second",
        ours.per_second(),
        raw.per_second()
    );
    println!(
        "    {}",
        in_cpu_time(ratios.iter().filter_map(|(_, ours, raw)| Some((ours.cpu()?, raw.cpu()?))))
    );
    Ok(())
}

async fn half(plan: &Plan<'_>, measure: impl AsyncFn(&Store) -> Outcome<Rate>) -> Outcome<Rate> {
    let store = Store::fresh(plan.engine).await?;
    let rate = measure(&store).await?;
    store.drop().await?;
    Ok(rate)
}

/// A pair's microseconds of CPU for each job, here and in the server: ours, and raw.
type Pair = ((f64, f64), (f64, f64));

fn in_cpu_time(pairs: impl Iterator<Item = Pair>) -> String {
    let ratio = |(ours, raw): &Pair| (raw.0 + raw.1) / (ours.0 + ours.1);
    let mut pairs: Vec<Pair> = pairs.collect();
    pairs.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let Some(pair) = pairs.get(pairs.len() / 2) else { return "CPU time is not known here".to_owned() };
    let (ours, raw) = pair;
    format!(
        "in CPU time: {:.2}; {:.1} + {:.1} µs a job here and in the server, against {:.1} + {:.1}",
        ratio(pair),
        ours.0,
        ours.1,
        raw.0,
        raw.1
    )
}
