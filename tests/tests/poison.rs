//! Jobs that panic, kill their process, never end or cannot be read, among a thousand good ones: each good job is done
//! once, each bad one is dead with the code of what it did, and workers are lost a bounded number of times.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use onceward::NewJob;
use onceward_tests::actor::{Actor, Ended};
use onceward_tests::fact::Fact;
use onceward_tests::history::{Job, flaws};
use onceward_tests::orders::{Act, KIND, Orders, QUEUE, Work};
use onceward_tests::store::{Store, table};
use onceward_tests::wait::until;
use onceward_tests::{Verdict, laws};

laws! { poison_dies_alone_and_good_jobs_are_done }

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// Jobs that end their process: one is found in a crash among others, then crashes three times alone.
const KILLERS: usize = 2;
const CRASHES: usize = 1 + 3;
const MOST: Duration = Duration::from_secs(150);

const GOOD_BEFORE_EACH: usize = 167;

/// What is poison, and what it dies of.
const POISON: [(&str, &str); 6] = [
    (r#"{"do":"panic"}"#, "panicked"),
    (r#"{"do":"abort"}"#, "crashed"),
    (r#"{"do":"loop"}"#, "timed_out"),
    (r#"{"do":"block"}"#, "crashed"),
    (r#"{"do":"rant"}"#, "rant"),
    (r#"{"do":"something else"}"#, "payload_unreadable"),
];

async fn poison_dies_alone_and_good_jobs_are_done(store: &Store) -> Verdict {
    let (good, poison) = enqueue(store).await?;
    let began = Instant::now();
    let mut crew = Crew::hire(store, 2)?;
    let open = format!("{} WHERE state NOT IN ('done', 'dead')", table(store.url(), "job"));
    until("every job is done or dead", MOST, async || {
        crew.tend().await?;
        Ok((store.number("count(*)", &open).await? == 0).then_some(()))
    })
    .await
    .map_err(|e| format!("{e}; {} workers were lost", crew.lost.len()))?;
    println!(
        "{} good jobs and {} bad ones in {:.1?}; {} workers were lost",
        good.len(),
        poison.len(),
        began.elapsed(),
        crew.lost.len()
    );
    let lost = crew.lost.len();
    let all = crew.dismiss()?;
    let held = store.held().await?;
    let jobs: HashMap<i64, &Job> = held.jobs.iter().map(|job| (job.id, job)).collect();
    assert!(good.iter().all(|id| jobs[id].state == "done"));
    for (id, code) in poison {
        let job = jobs[&id];
        assert_eq!((job.state.as_str(), job.error_code.as_deref()), ("dead", Some(code)), "{job:?}");
        assert!(job.crashes <= 3 && (code != "crashed" || job.crashes == 3), "{job:?}");
        let alone = all.iter().flat_map(Ended::facts).filter(|fact| ran_alone(fact, id)).count();
        assert!(alone <= 3, "job {id} ran alone {alone} times");
    }
    assert!(lost <= KILLERS * CRASHES, "{lost} workers were lost");
    assert_eq!(flaws(all.iter().flat_map(Ended::facts), &held), []);
    Ok(())
}

fn ran_alone(fact: &Fact, id: i64) -> bool {
    matches!(fact, Fact::Started { job, lone: true, .. } if *job == id)
}

/// The bad ones lie between the good ones.
async fn enqueue(store: &Store) -> Verdict<(Vec<i64>, HashMap<i64, &'static str>)> {
    let (mut good, mut poison) = (Vec::new(), HashMap::new());
    for (payload, code) in POISON {
        good.extend(store.fill(vec![Act::Nothing.job(); GOOD_BEFORE_EACH]).await?);
        let bad = NewJob::untyped(QUEUE, KIND, payload).retry(onceward_tests::orders::QUICK);
        poison.insert(store.fill(vec![bad]).await?[0], code);
    }
    Ok((good, poison))
}

/// Workers, each replaced when it ends.
struct Crew {
    orders: Orders,
    actors: Vec<Actor>,
    lost: Vec<Ended>,
}

impl Crew {
    fn hire(store: &Store, size: usize) -> Verdict<Self> {
        let (lease, longest) = (Duration::from_secs(1), Duration::from_secs(2));
        let orders = Orders::work(store.url(), Work { lease, longest, ..Work::default() });
        let actors = (0..size).map(|_| Actor::start(ACTOR, &orders)).collect::<Verdict<_>>()?;
        Ok(Self { orders, actors, lost: Vec::new() })
    }

    async fn tend(&mut self) -> Verdict {
        for at in 0..self.actors.len() {
            if self.actors[at].has_ended()? {
                let next = Actor::start(ACTOR, &self.orders)?;
                self.lost.push(std::mem::replace(&mut self.actors[at], next).ends(MOST).await?);
            }
        }
        Ok(())
    }

    /// All that ever worked.
    fn dismiss(self) -> Verdict<Vec<Ended>> {
        let mut all = self.lost;
        for actor in self.actors {
            all.push(actor.kill()?);
        }
        Ok(all)
    }
}
