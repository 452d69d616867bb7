//! Housekeeping: what was left behind is taken up again, once.

use std::time::Duration;

use onceward::{Kept, NewJob, Time, Worker};

use crate::harness::{Store, Verdict};

const RETENTION: Duration = Duration::from_hours(90 * 24);

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

/// The clock at nine, and so many jobs that a worker holds until a minute past.
async fn leased(store: &Store, jobs: usize) -> Result<Time, Box<dyn std::error::Error>> {
    let nine: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(nine);
    store.once.enqueue_each(vec![job(); jobs]).await?;
    let until = store.instant(nine.after(Duration::from_mins(1)));
    let hold = format!(
        "UPDATE @job SET state = 'running', purpose = 'run', lease_token = 't', lease_owner = 'w', attempts = 1,
         claim_no = 1, claimed_at = run_at, leased_until = {until} WHERE state = 'pending'"
    );
    store.execute(&hold).await?;
    Ok(nine)
}

async fn keep_after(store: &Store, seconds: u64) -> Result<Kept, Box<dyn std::error::Error>> {
    store.once.set_clock(store.clock().after(Duration::from_secs(seconds)));
    Ok(store.once.keep_house(RETENTION).await?)
}

pub(crate) async fn a_lease_that_ran_out_goes_back_and_its_job_runs_alone_next(store: &Store) -> Verdict {
    leased(store, 1).await?;
    assert_eq!(keep_after(store, 60).await?.reaped, 0, "the lease holds until its last instant");
    assert_eq!(keep_after(store, 1).await?.reaped, 1);
    let back = if store.is_sqlite() { "lone = 1" } else { "lone" };
    let back = format!("state = 'pending' AND {back} AND lease_token IS NULL AND crashes = 0 AND tries = 0");
    assert_eq!(store.count("job", &back).await?, 1);
    assert_eq!(store.count("attempt", "outcome = 'crashed' AND number = 1 AND worker = 'w'").await?, 1);
    assert_eq!(keep_after(store, 1).await?.reaped, 0);
    Ok(())
}

pub(crate) async fn a_job_that_crashes_alone_three_times_is_dead(store: &Store) -> Verdict {
    leased(store, 1).await?;
    for crashes in 0..4 {
        let kept = keep_after(store, 61).await?;
        assert_eq!((kept.reaped, kept.dead), if crashes < 3 { (1, 0) } else { (0, 1) }, "{crashes}");
        let until = store.instant(store.clock().after(Duration::from_mins(1)));
        let again = format!(
            "UPDATE @job SET state = 'running', purpose = 'run', lease_token = 't{crashes}', lease_owner = 'w',
             attempts = attempts + 1, leased_until = {until} WHERE state = 'pending'"
        );
        store.execute(&again).await?;
    }
    assert_eq!(store.count("job", "state = 'dead' AND error_code = 'crashed' AND crashes = 3").await?, 1);
    Ok(())
}

pub(crate) async fn a_lease_that_ran_out_over_an_open_effect_is_a_doubt(store: &Store) -> Verdict {
    leased(store, 1).await?;
    store.execute("UPDATE @job SET open = 1").await?;
    let kept = keep_after(store, 61).await?;
    assert_eq!((kept.reaped, kept.in_doubt), (0, 1));
    assert_eq!(store.count("job", "state = 'in_doubt'").await?, 1);
    Ok(())
}

pub(crate) async fn a_crash_of_a_thousand_jobs_is_taken_back_in_one_round(store: &Store) -> Verdict {
    leased(store, 1203).await?;
    assert_eq!(keep_after(store, 61).await?.reaped, 1203);
    assert_eq!(store.count("job", "state = 'pending'").await?, 1203);
    Ok(())
}

pub(crate) async fn ten_keepers_take_each_lease_back_once(store: &Store) -> Verdict {
    let nine = leased(store, 200).await?;
    let mut keepers = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let once = store.another().await?;
        once.set_clock(nine.after(Duration::from_secs(61)));
        keepers.spawn(async move { once.keep_house(RETENTION).await });
    }
    let mut reaped = 0;
    while let Some(kept) = keepers.join_next().await {
        reaped += kept??.reaped;
    }
    assert_eq!(reaped, 200);
    assert_eq!(store.count("attempt", "outcome = 'crashed'").await?, 200);
    Ok(())
}

pub(crate) async fn only_a_certain_death_is_taken_over_before_its_time(store: &Store) -> Verdict {
    leased(store, 1).await?;
    assert_eq!(keep_after(store, 2).await?.reaped, 0, "nobody knows this owner");
    if !store.is_sqlite() {
        return Ok(());
    }
    let path = store.url.trim_start_matches("sqlite://");
    let owner = std::path::PathBuf::from(format!("{path}-owner-w"));
    let file = std::fs::File::create(&owner)?;
    file.lock()?;
    assert_eq!(keep_after(store, 2).await?.reaped, 0, "its process holds the file");
    drop(file);
    assert_eq!(keep_after(store, 2).await?.reaped, 1);
    assert!(!owner.exists(), "an owner without leases is forgotten");
    Ok(())
}

pub(crate) async fn an_idle_store_is_not_written_to(store: &Store) -> Verdict {
    let nine: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(nine);
    store.once.keep_house(RETENTION).await?;
    let quick = "name IN ('reap', 'fold_counters', 'schedules', 'discard')";
    let untouched = if store.is_sqlite() { "next_at = 0" } else { "next_at = 'epoch'" };
    assert_eq!(store.count("duty", &format!("{quick} AND {untouched}")).await?, 4);
    Ok(())
}

pub(crate) async fn a_duty_is_not_lost_when_the_clock_goes_back(store: &Store) -> Verdict {
    leased(store, 1).await?;
    // A process with a wrong clock kept house a year ahead.
    let ahead = store.instant(store.clock().after(Duration::from_hours(365 * 24)));
    store.execute(&format!("UPDATE @duty SET next_at = {ahead}")).await?;
    assert_eq!(keep_after(store, 61).await?.reaped, 1);
    Ok(())
}

pub(crate) async fn a_discard_is_final_after_five_minutes(store: &Store) -> Verdict {
    let nine: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(nine);
    let id = store.once.enqueue(job().dedup("w", onceward::Dedup::Forever)).await?.id();
    store.execute("UPDATE @job SET state = 'dead'").await?;
    assert!(store.once.discard(id).await?.iter().all(|(_, answer)| answer.is_ok()));
    assert_eq!(keep_after(store, 299).await?.discarded, 0);
    assert_eq!(keep_after(store, 31).await?.discarded, 1);
    assert_eq!(store.count("job_all", "state = 'cancelled'").await?, 1);
    assert_eq!(store.count("dedup", "state = 'cancelled'").await?, 1);
    Ok(())
}

pub(crate) async fn a_worker_that_ended_is_not_called_alive(store: &Store) -> Verdict {
    let other = Worker::builder(&store.once).queue("other", 1).build()?;
    let worker = Worker::builder(&store.once).queue("mail", 1).build()?;
    let seen = async {
        // Asking the store takes its time, so this is no busy loop.
        while !matches!(store.once.status().await, Ok(status) if status.workers.len() == 1) {}
    };
    tokio::time::timeout(Duration::from_secs(20), Box::pin(worker.run_until(seen))).await??;
    assert!(store.once.status().await?.workers.is_empty());
    other.run_until(std::future::ready(())).await?;
    assert!(store.once.status().await?.workers.is_empty());
    Ok(())
}
