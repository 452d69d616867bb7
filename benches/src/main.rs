//! `./dev bench [sqlite|postgres] [JOBS]`: how fast the queue is, as ratios to hand-written SQL in the same run.
//!
//! Pairs alternate, and the median ratio counts, since a machine's speed drifts. Absolute figures are noise.

mod ours;
mod raw;
mod store;

use std::time::Duration;

use store::Store;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Alternating pairs of each comparison.
const PAIRS: usize = 3;

#[tokio::main]
async fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let jobs = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    for engine in ["sqlite", "postgres"] {
        if args.iter().any(|arg| arg == engine)
            || !args.iter().any(|arg| arg == "sqlite" || arg == "postgres")
        {
            run(engine, jobs).await?;
        }
    }
    Ok(())
}

async fn run(engine: &str, jobs: usize) -> Outcome<()> {
    println!("{engine}, {jobs} jobs");
    pairs(engine, "64 producers, each acknowledged : one commit a row", async |store| {
        let raw = raw::insert_one_by_one(store, 500).await?;
        Ok((ours::producers(store, 64, 20_000.min(jobs)).await?, raw))
    })
    .await?;
    pairs(engine, "batches of 1,000 : raw batches of 1,000", async |store| {
        let raw = raw::insert_batches(store, jobs).await?;
        Ok((ours::batches(store, jobs).await?, raw))
    })
    .await?;
    for (at_once, name) in [
        (500, "drain, 500 at once : raw claim and settle by 500"),
        (2000, "drain, 2,000 at once : raw claim and settle by 2,000"),
    ] {
        pairs(engine, name, async |store| {
            raw::insert_batches(store, jobs).await?;
            let raw = raw::drain(store, jobs, at_once).await?;
            ours::batches(store, jobs).await?;
            Ok((ours::drain(store, jobs, usize::try_from(at_once)?).await?, raw))
        })
        .await?;
    }
    let store = Store::fresh(engine).await?;
    let mut waits = ours::enqueue_to_start(&store, 200).await?;
    waits.sort();
    println!(
        "  enqueue to start, idle queue: p50 {:?}, p99 {:?}",
        waits[waits.len() / 2],
        waits[waits.len() * 99 / 100]
    );
    store.drop().await
}

/// Runs a comparison on fresh stores and prints the median of the ratios with the rates they came from.
async fn pairs(
    engine: &str,
    name: &str,
    measure: impl AsyncFn(&Store) -> Outcome<(Rate, Rate)>,
) -> Outcome<()> {
    let mut ratios = Vec::new();
    for _ in 0..PAIRS {
        let store = Store::fresh(engine).await?;
        let (ours, raw) = measure(&store).await?;
        ratios.push((ours.per_second() / raw.per_second(), ours, raw));
        store.drop().await?;
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, ours, raw) = &ratios[PAIRS / 2];
    let (least, most) = (ratios[0].0, ratios[PAIRS - 1].0);
    println!(
        "  {name}: {ratio:.2} ({least:.2} to {most:.2}); {:.0} against {:.0} a second",
        ours.per_second(),
        raw.per_second()
    );
    Ok(())
}

/// So many in so long.
#[derive(Debug, Clone, Copy)]
struct Rate(usize, Duration);

impl Rate {
    #[expect(clippy::cast_precision_loss, reason = "counts here stay far below 2^52")]
    fn per_second(&self) -> f64 {
        self.0 as f64 / self.1.as_secs_f64()
    }
}
