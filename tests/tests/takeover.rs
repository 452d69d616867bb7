//! A worker that is gone, stalled or told to stop: its jobs run elsewhere, soon, and nothing that it does late counts.

use std::time::{Duration, Instant};

use onceward_tests::actor::{Actor, Ended, STARTED};
use onceward_tests::fact::Fact;
use onceward_tests::history::flaws;
use onceward_tests::orders::{Act, Orders, Produce, Work};
use onceward_tests::store::Store;
use onceward_tests::wait::until;
use onceward_tests::{Verdict, laws};
use rustix::process::Signal;

laws! {
    a_killed_workers_job_runs_elsewhere_and_blames_nobody,
    a_stalled_process_changes_nothing_when_it_wakes,
    a_heartbeat_comes_through_a_saturated_writer,
    a_lease_belongs_to_a_boot_not_to_a_host_name,
    a_worker_told_to_stop_finishes_or_hands_back,
    two_hundred_producers_in_eight_processes_make_one_job,
}

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const LEASE: Duration = Duration::from_secs(2);
/// Of a worker that is not woken.
const POLL: Duration = Duration::from_secs(1);
/// How often some keeper looks for leases that ran out, and what a busy machine adds.
const SLACK: Duration = Duration::from_secs(2);
/// So long that nothing in a test waits for its end.
const LONG: Duration = Duration::from_mins(2);

fn work(lease: Duration) -> Work {
    Work { lease, ..Work::default() }
}

/// A worker of one job, in the middle of it.
async fn working_on(store: &Store, act: Act, work: Work) -> Verdict<(i64, Actor, String)> {
    let job = store.once().enqueue(act.job()).await?.id();
    let (actor, boot) = Actor::ready(ACTOR, &Orders::work(store.url(), work)).await?;
    started(&actor, job, STARTED).await?;
    Ok((job, actor, boot))
}

async fn started(actor: &Actor, job: i64, within: Duration) -> Verdict<Instant> {
    let what = format!("job {job} starts");
    let starts = |fact: &Fact| matches!(fact, Fact::Started { job: it, .. } if *it == job).then_some(());
    Ok(actor.says(&what, within, starts).await?.0)
}

async fn done(store: &Store, job: i64) -> Verdict {
    until(&format!("job {job} is done"), STARTED, async || {
        Ok((store.job(job).await?.state == "done").then_some(()))
    })
    .await
}

async fn stopped(actor: Actor) -> Verdict<Ended> {
    actor.signal(Signal::TERM)?;
    actor.ends(STARTED).await
}

fn report(ended: &Ended) -> Verdict<(u64, u64, u64)> {
    let report = ended.facts().find_map(|fact| match fact {
        Fact::Report { done, again, lost, .. } => Some((*done, *again, *lost)),
        _ => None,
    });
    Ok(report.ok_or_else(|| format!("no report: {ended:?}"))?)
}

async fn no_flaws(store: &Store, ended: &[&Ended]) -> Verdict {
    let found = flaws(ended.iter().flat_map(|one| one.facts()), &store.held().await?);
    assert_eq!(found, []);
    Ok(())
}

async fn a_killed_workers_job_runs_elsewhere_and_blames_nobody(store: &Store) -> Verdict {
    // Where the store's host can tell that a process is gone, nobody waits for a lease.
    let lease = if store.is_sqlite() { LONG } else { LEASE };
    let most = if store.is_sqlite() { POLL + SLACK } else { LEASE + POLL + SLACK };
    let (job, first, _) = working_on(store, Act::HangOnce, work(lease)).await?;
    let (second, _) = Actor::ready(ACTOR, &Orders::work(store.url(), work(lease))).await?;
    let killed = Instant::now();
    let first = first.kill()?;
    let took = started(&second, job, most).await?.duration_since(killed);
    println!("taken over {took:.2?} after SIGKILL, with a lease of {lease:?}");
    done(store, job).await?;
    let second = stopped(second).await?;
    assert!(second.status.success(), "{second:?}");
    let held = store.job(job).await?;
    assert_eq!((held.attempts, held.tries, held.crashes), (2, 0, 0));
    let outcomes: Vec<String> = store.attempts(job).await?.into_iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, ["crashed", "done"]);
    no_flaws(store, &[&first, &second]).await
}

async fn a_stalled_process_changes_nothing_when_it_wakes(store: &Store) -> Verdict {
    let act = Act::StallOnce { ms: 1000 };
    let (job, stalled, _) = working_on(store, act, work(LEASE)).await?;
    freeze_between_turns(&stalled, store).await?;
    let (other, boot) = Actor::ready(ACTOR, &Orders::work(store.url(), work(LEASE))).await?;
    started(&other, job, LEASE + POLL + SLACK + STARTED).await?;
    let before = store.job(job).await?;
    assert_eq!(before.lease_owner.as_ref(), Some(&boot));
    stalled.signal(Signal::CONT)?;
    let refused = |fact: &Fact| match fact {
        Fact::Refused { job: it, code } if *it == job => Some(code.clone()),
        _ => None,
    };
    assert_eq!(stalled.says("its late settling is refused", STARTED, refused).await?.1, "lease_lost");
    let stalled = stopped(stalled).await?;
    // Whoever settles late hears where the job is now, or that its lease is lost; never that it is done.
    let (done_here, again, lost) = report(&stalled)?;
    assert_eq!((done_here, again + lost), (0, 1), "{stalled:?}");
    // It is still the other's job, under the same lease.
    assert_eq!(store.job(job).await?, before);
    done(store, job).await?;
    let other = stopped(other).await?;
    assert_eq!(report(&other)?, (1, 0, 0), "{other:?}");
    let attempts = store.attempts(job).await?;
    let outcomes: Vec<&str> = attempts.iter().map(|one| one.outcome.as_str()).collect();
    assert_eq!(outcomes, ["crashed", "done"]);
    assert_eq!(attempts[1].worker, Some(boot));
    no_flaws(store, &[&stalled, &other]).await
}

/// A process that stands still in the middle of a write keeps all others from writing to the same SQLite file, until it
/// goes on or is killed. That is not what is tested here.
async fn freeze_between_turns(actor: &Actor, store: &Store) -> Verdict {
    until("the actor is frozen between two writes", LEASE / 4, async || {
        actor.freeze()?;
        if store.is_between_turns()? {
            return Ok(Some(()));
        }
        actor.signal(Signal::CONT)?;
        Ok(None)
    })
    .await
}

async fn a_heartbeat_comes_through_a_saturated_writer(store: &Store) -> Verdict {
    let taken = Act::Take { ms: 3 * 2000 };
    let job = store.once().enqueue(taken.job()).await?.id();
    let noise = Produce { queue: "noise".to_owned(), act: Act::Nothing, tasks: 64, each: None, key: None };
    let orders = Orders { produce: Some(noise), ..Orders::work(store.url(), work(LEASE)) };
    let (busy, _) = Actor::ready(ACTOR, &orders).await?;
    started(&busy, job, STARTED).await?;
    let (other, _) = Actor::ready(ACTOR, &Orders::work(store.url(), work(LEASE))).await?;
    done(store, job).await?;
    let (busy, other) = (stopped(busy).await?, stopped(other).await?);
    let enqueued = busy.facts().filter(|fact| matches!(fact, Fact::Enqueued { .. })).count();
    println!("{enqueued} jobs were enqueued beside a job of three leases");
    assert_eq!(report(&busy)?, (1, 0, 0), "{}", busy.log);
    assert_eq!(report(&other)?, (0, 0, 0));
    assert_eq!(store.job(job).await?.attempts, 1);
    no_flaws(store, &[&busy, &other]).await
}

async fn a_lease_belongs_to_a_boot_not_to_a_host_name(store: &Store) -> Verdict {
    let orders = Orders::work(store.url(), work(LEASE));
    let host = [("HOSTNAME", "worker-1")];
    let job = store.once().enqueue(Act::HangOnce.job()).await?.id();
    let first = Actor::start_with(ACTOR, &orders, &host)?;
    let claimed = started(&first, job, STARTED).await?;
    let first = first.kill()?;
    let second = Actor::start_with(ACTOR, &orders, &host)?;
    let taken = started(&second, job, LEASE + POLL + SLACK + STARTED).await?;
    done(store, job).await?;
    let second = stopped(second).await?;
    if !store.is_sqlite() {
        assert!(taken.duration_since(claimed) >= LEASE, "taken over {:?} after the claim", taken - claimed);
    }
    let boots: Vec<String> = [&first, &second].iter().flat_map(|one| one.facts().filter_map(boot)).collect();
    let workers: Vec<String> = store.attempts(job).await?.into_iter().filter_map(|one| one.worker).collect();
    assert_ne!(boots[0], boots[1]);
    assert_eq!(workers, boots);
    no_flaws(store, &[&first, &second]).await
}

fn boot(fact: &Fact) -> Option<String> {
    if let Fact::Ready { boot } = fact { Some(boot.clone()) } else { None }
}

async fn a_worker_told_to_stop_finishes_or_hands_back(store: &Store) -> Verdict {
    let grace = Duration::from_secs(2);
    let orders = Work { lease: LONG, grace, ..Work::default() };
    let finishes = store.once().enqueue(Act::Take { ms: 1000 }.job()).await?.id();
    let (hangs, first, _) = working_on(store, Act::HangOnce, orders).await?;
    started(&first, finishes, STARTED).await?;
    let (second, _) = Actor::ready(ACTOR, &Orders::work(store.url(), orders)).await?;
    let told = Instant::now();
    let first = stopped(first).await?;
    let ended = told.elapsed();
    let again = started(&second, hangs, POLL + SLACK).await?.duration_since(told);
    done(store, hangs).await?;
    let second = stopped(second).await?;
    println!(
        "ended {ended:.2?} after SIGTERM with a grace of {grace:?}; what was handed back ran after {again:.2?}"
    );
    assert!(first.status.success() && ended < grace + SLACK, "{first:?}");
    assert_eq!(report(&first)?, (1, 1, 0));
    assert_eq!(store.job(finishes).await?.attempts, 1);
    let held = store.job(hangs).await?;
    assert_eq!((held.state.as_str(), held.tries, held.crashes), ("done", 0, 0));
    let outcomes: Vec<String> = store.attempts(hangs).await?.into_iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, ["interrupted", "done"]);
    no_flaws(store, &[&first, &second]).await
}

async fn two_hundred_producers_in_eight_processes_make_one_job(store: &Store) -> Verdict {
    let key = Some("welcome-7".to_owned());
    let produce = Produce { queue: "mail".to_owned(), act: Act::Nothing, tasks: 25, each: Some(1), key };
    let orders = Orders { on_go: true, ..Orders::produce(store.url(), produce) };
    let mut actors = Vec::new();
    for _ in 0..8 {
        actors.push(Actor::ready(ACTOR, &orders).await?.0);
    }
    for actor in &mut actors {
        actor.go()?;
    }
    let mut all = Vec::new();
    for actor in actors {
        all.push(actor.ends(STARTED).await?);
    }
    let enqueued: Vec<(i64, bool)> = all
        .iter()
        .flat_map(Ended::facts)
        .filter_map(|fact| if let Fact::Enqueued { job, new } = fact { Some((*job, *new)) } else { None })
        .collect();
    assert!(all.iter().all(|one| one.status.success()), "{all:?}");
    assert_eq!((enqueued.len(), enqueued.iter().filter(|(_, new)| *new).count()), (200, 1));
    assert!(enqueued.iter().all(|(job, _)| *job == enqueued[0].0));
    assert_eq!(store.held().await?.jobs.len(), 1);
    no_flaws(store, &all.iter().collect::<Vec<_>>()).await
}
