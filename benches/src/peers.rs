//! `./dev bench peers [JOBS]`: the same no-op jobs drained by other queues in Rust, in the same run on the same server.
//!
//! Each peer is a program, set up as its own benchmark sets it up; `./dev` builds them apart from the product. Each drain
//! has a fresh database, and starts when all jobs are in it.

mod graphile;
mod river;

use std::path::PathBuf;

use onceward::NewJob;
use tokio::process::Command;

use crate::pairs::{self, Pair};
use crate::server::Database;
use crate::store::Store;
use crate::watch::Rate;
use crate::{Outcome, ours};

const ROUNDS: usize = 3;

/// How each is set up, and what it keeps of a job that is done.
const SET_UP: &str = "  onceward: keeps a done job in its history, 90 days
  riverqueue bench: as it comes (fetches each 2 ms, completes up to 5,000 in a statement, 50 connections); keeps a done job, a day
  graphile_worker: as its own benchmark (5,000 fetched ahead, completions gathered for 5 ms, 100 connections); deletes a done job
  above 1: onceward is faster";

/// One way to drain.
#[derive(Clone, Copy, PartialEq)]
enum Queue {
    Onceward { at_once: usize },
    River { at_once: usize },
    Graphile { at_once: usize, queues: usize },
}

use Queue::{Graphile, Onceward, River};

/// What is drained in each round: ours, and beside it the peers with as many jobs at once. 2,000 is what River's
/// benchmark takes by itself, 500 what Graphile Worker's does.
const SIDES: [(Queue, [Queue; 2]); 2] = [
    (Onceward { at_once: 500 }, [River { at_once: 500 }, Graphile { at_once: 500, queues: 1 }]),
    (Onceward { at_once: 2000 }, [River { at_once: 2000 }, Graphile { at_once: 2000, queues: 4 }]),
];

pub(crate) async fn compare(jobs: usize) -> Outcome<()> {
    println!("postgres, {jobs} jobs, {ROUNDS} rounds\n{SET_UP}");
    let mut rounds = Vec::new();
    for number in 0..ROUNDS {
        rounds.push(round(jobs, number % 2 == 1).await?);
    }
    for (ours, peers) in SIDES {
        for peer in peers {
            let pairs = rounds.iter().map(|round| pair(round, ours, peer)).collect::<Option<Vec<_>>>();
            pairs::report(
                &format!("{} : {}", ours.name(), peer.name()),
                pairs.ok_or("a round left one out")?,
            );
        }
    }
    Ok(())
}

/// All of them once, in one order or the other.
async fn round(jobs: usize, backwards: bool) -> Outcome<Vec<(Queue, Rate)>> {
    let mut queues: Vec<Queue> =
        SIDES.iter().flat_map(|(ours, peers)| [*ours].into_iter().chain(*peers)).collect();
    if backwards {
        queues.reverse();
    }
    let mut rates = Vec::new();
    for queue in queues {
        rates.push((queue, queue.drain(jobs).await?));
    }
    Ok(rates)
}

fn pair(round: &[(Queue, Rate)], ours: Queue, peer: Queue) -> Option<Pair> {
    let rate = |of: Queue| round.iter().find(|(queue, _)| *queue == of).map(|(_, rate)| *rate);
    Some(Pair { this: rate(ours)?, other: rate(peer)? })
}

impl Queue {
    fn name(self) -> String {
        match self {
            Onceward { at_once } => format!("onceward, {at_once} at once"),
            River { at_once } => format!("riverqueue bench, {at_once} at once"),
            Graphile { at_once, queues } => {
                format!("graphile_worker, {at_once} at once, {queues} local queues")
            }
        }
    }

    async fn drain(self, jobs: usize) -> Outcome<Rate> {
        match self {
            Onceward { at_once } => drain_ours(jobs, at_once).await,
            River { at_once } => river::drain(jobs, at_once).await,
            Graphile { at_once, queues } => graphile::drain(jobs, at_once, queues).await,
        }
    }
}

/// With the payload that River's benchmark has.
async fn drain_ours(jobs: usize, at_once: usize) -> Outcome<Rate> {
    let store = Store::fresh("postgres").await?;
    let numbers: Vec<usize> = (0..jobs).collect();
    for batch in numbers.chunks(1000) {
        let job = |num: &usize| NewJob::untyped("bench", "noop", format!("{{\"num\":{num}}}"));
        store.once.enqueue_each(batch.iter().map(job).collect()).await?;
    }
    let rate = ours::drain(&store, jobs, at_once).await?;
    store.drop().await?;
    Ok(rate)
}

/// One of those that `./dev` has built, told its database.
fn program(name: &str, database: &Database) -> Outcome<Command> {
    let folder = std::env::var_os("ONCEWARD_BENCH_PEERS").map(PathBuf::from).unwrap_or_default();
    let program = folder.join(name);
    if !program.is_file() {
        return Err(format!("{} is not there; `./dev bench peers` builds it", program.display()).into());
    }
    let mut command = Command::new(program);
    command.env("DATABASE_URL", &database.url).kill_on_drop(true);
    Ok(command)
}
