//! Many processes on one store: no job is claimed twice, no caller hears that the database is locked, and nobody starves.
//!
//! The long form (`ONCEWARD_LONG=1`, or `tests/long/run --long`) has five times the jobs on PostgreSQL.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use onceward_tests::Verdict;
use onceward_tests::actor::{Actor, Ended};
use onceward_tests::fact::Fact;
use onceward_tests::history::{Held, flaws};
use onceward_tests::orders::{Act, Orders, Work};
use onceward_tests::store::Store;

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const MOST: Duration = Duration::from_mins(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_share_one_file() -> Verdict {
    share(&Store::sqlite().await?, 8, 20_000).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_processes_share_one_database() -> Verdict {
    let jobs = if std::env::var_os("ONCEWARD_LONG").is_some() { 100_000 } else { 20_000 };
    share(&Store::postgres().await?, 20, jobs).await
}

async fn share(store: &Store, processes: usize, jobs: usize) -> Verdict {
    let ids: HashSet<i64> = store.fill(vec![Act::Nothing.job(); jobs]).await?.into_iter().collect();
    let (took, crew) = run(store, processes).await?;
    let held = store.held().await?;
    check(&ids, &crew, &held);
    println!("{}", figures(&crew, jobs, took));
    Ok(())
}

async fn run(store: &Store, processes: usize) -> Verdict<(Duration, Vec<Ended>)> {
    let url = if store.is_sqlite() { store.url().to_owned() } else { format!("{}?pool=4", store.url()) };
    let work = Work { concurrency: 50, lease: Duration::from_secs(30), until_idle: true, ..Work::default() };
    let orders = Orders { on_go: true, ..Orders::work(&url, work) };
    let mut actors = Vec::new();
    for _ in 0..processes {
        actors.push(Actor::ready(ACTOR, &orders).await?.0);
    }
    let began = Instant::now();
    for actor in &mut actors {
        actor.go()?;
    }
    let mut crew = Vec::new();
    for actor in actors {
        crew.push(actor.ends(MOST).await?);
    }
    Ok((began.elapsed(), crew))
}

fn check(ids: &HashSet<i64>, crew: &[Ended], held: &Held) {
    for one in crew {
        let failed: Vec<&Fact> = one.facts().filter(|fact| matches!(fact, Fact::Failed { .. })).collect();
        assert!(one.status.success() && failed.is_empty(), "{failed:?}\n{}", one.log);
        // Warnings and errors alone are logged: a worker that nothing was refused has nothing to say.
        assert_eq!(one.log, "");
    }
    let runs: Vec<(i64, i64, &str)> = crew.iter().flat_map(Ended::facts).filter_map(run_of).collect();
    let ran: HashSet<i64> = runs.iter().map(|(job, ..)| *job).collect();
    assert_eq!(runs.len(), ids.len(), "as many runs as jobs");
    assert_eq!(&ran, ids, "each job ran");
    assert!(runs.iter().all(|(_, claim_no, _)| *claim_no == 1));
    assert_eq!(held.count("done"), ids.len());
    assert_eq!(held.attempts.len(), ids.len(), "as many attempts as jobs");
    assert_eq!(flaws(crew.iter().flat_map(Ended::facts), held), []);
    let shares = shares(crew);
    assert!(2 * shares[0] >= shares[shares.len() / 2], "someone starved: {shares:?}");
}

fn run_of(fact: &Fact) -> Option<(i64, i64, &str)> {
    if let Fact::Started { job, claim_no, token, .. } = fact { Some((*job, *claim_no, token)) } else { None }
}

/// How many jobs each process ran, the fewest first.
fn shares(crew: &[Ended]) -> Vec<usize> {
    let mut shares: Vec<usize> = crew.iter().map(|one| one.facts().filter_map(run_of).count()).collect();
    shares.sort_unstable();
    shares
}

fn figures(crew: &[Ended], jobs: usize, took: Duration) -> String {
    let mut batches: HashMap<&str, usize> = HashMap::new();
    crew.iter()
        .flat_map(Ended::facts)
        .filter_map(run_of)
        .for_each(|(.., token)| *batches.entry(token).or_default() += 1);
    let shares = shares(crew);
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let (rate, batch) = (jobs as f64 / took.as_secs_f64(), jobs as f64 / batches.len() as f64);
    format!(
        "{} processes, {jobs} jobs in {took:.1?}: {rate:.0} a second (each fifth took {}), {batch:.1} a claim; \
         fewest {}, median {}, most {}",
        crew.len(),
        fifths(crew),
        shares[0],
        shares[shares.len() / 2],
        shares[shares.len() - 1],
    )
}

/// A store that slows down as its history or its backlog grows shows it here.
fn fifths(crew: &[Ended]) -> String {
    let heard = crew.iter().flat_map(|one| &one.heard);
    let mut runs: Vec<Instant> =
        heard.filter(|heard| run_of(&heard.fact).is_some()).map(|heard| heard.at).collect();
    runs.sort_unstable();
    let fifths = runs.chunks(runs.len().div_ceil(5));
    let took: Vec<String> =
        fifths.map(|fifth| format!("{:.1?}", fifth[fifth.len() - 1] - fifth[0])).collect();
    took.join(", ")
}
