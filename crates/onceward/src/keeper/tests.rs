//! What only the inside can show.

use std::time::Duration;

use super::{Duty, Guard, Keeper, Kept, Look, keep};
use crate::store::duties::{Lost, Reap};
use crate::store::leases::{Claim, Extend, Keep, Known, Want};
use crate::store::schedules::Fire;
use crate::store::workers::{Beat, Forget, Sign};
use crate::{NewJob, Onceward, Schedule, State, Time, schedule::Missed, testing};

type Verdict = Result<(), Box<dyn std::error::Error>>;

const MINUTE: i64 = 60_000_000;

fn nine() -> Time {
    Time::from_micros(1_796_115_600_000_000)
}

/// Claims one job for a minute and gives its lease.
async fn claimed(once: &Onceward) -> Result<Keep, Box<dyn std::error::Error>> {
    once.set_clock(nine());
    once.enqueue(NewJob::untyped("mail", "welcome", "{}")).await?;
    let want = Want {
        queue: "mail".to_owned(),
        most: 1,
        kinds: [Known { kind: "welcome".to_owned(), version: 1 }].into(),
        owner: "w".to_owned(),
        token: "t".to_owned(),
        lease: MINUTE,
        lone: false,
    };
    let taken = once.db().fold::<Claim>(vec![want]).await?.pop().ok_or("no answer")?;
    let job = taken.jobs.first().ok_or("nothing claimed")?;
    Ok(Keep { id: job.lease.job, token: job.lease.token.clone(), lease: MINUTE })
}

#[tokio::test]
async fn a_lease_that_is_extended_is_not_reaped_in_the_same_turn() -> Verdict {
    let once = testing::store().await?;
    let lease = claimed(&once).await?;
    once.set_clock(nine().after(Duration::from_secs(61)));
    // Both wait before the writer looks; whoever asked first, extending comes first.
    let lost = Lost { gone: Vec::new(), by_time: true };
    let reaped = once.db().submit::<Reap>(vec![lost.clone()]).await?;
    let extended = once.db().submit::<Extend>(vec![lease]).await?;
    assert_eq!(extended.answers().await?, [true]);
    assert_eq!(reaped.answers().await?.concat(), []);
    once.set_clock(nine().after(Duration::from_secs(122)));
    assert_eq!(once.db().fold::<Reap>(vec![lost]).await?.concat(), [State::Pending]);
    Ok(())
}

#[tokio::test]
async fn nothing_is_reaped_by_time_while_the_clock_is_not_trusted() -> Verdict {
    let once = testing::store().await?;
    claimed(&once).await?;
    once.set_clock(nine().after(Duration::from_secs(61)));
    let lease = Duration::from_mins(1);
    let mut keeper = Keeper::new(once.clone(), lease, lease);
    let look = |seconds: u64, database: Time| {
        let at = Duration::from_secs(seconds);
        Look { database, before: at, after: at }
    };
    let slept = nine().after(Duration::from_hours(8));
    keeper.guard = Guard::default().seen(look(0, nine()), lease).seen(look(1, slept), lease);
    let mut kept = Kept::default();
    keeper.round(Duty::QUICK, &mut kept).await?;
    assert_eq!(kept, Kept::default());
    keeper.guard = keeper.guard.seen(look(61, slept.after(lease)), lease);
    keeper.round(Duty::QUICK, &mut kept).await?;
    assert_eq!(kept.reaped, 1);
    Ok(())
}

#[tokio::test]
async fn a_process_is_seen_while_it_gives_signs_of_life() -> Verdict {
    let once = testing::store().await?;
    once.set_clock(nine());
    let sign = |boot: &str| Sign { boot: boot.to_owned(), queues: vec!["mail".to_owned()] };
    once.db().fold::<Beat>(vec![sign("a"), sign("b")]).await?;
    once.set_clock(nine().after(Duration::from_secs(31)));
    once.db().fold::<Beat>(vec![sign("b")]).await?;
    let live = once.status().await?.workers;
    assert_eq!(live.iter().map(|worker| worker.boot.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!((live[0].started_at, live[0].queues.as_slice()), (nine(), ["mail".to_owned()].as_slice()));
    let forgotten = once.db().fold::<Forget>(vec![Duration::from_secs(10)]).await?.concat();
    assert_eq!(forgotten, ["a"]);
    Ok(())
}

#[tokio::test]
async fn many_processes_that_fire_at_once_fire_a_time_once() -> Verdict {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let mut handles = Vec::new();
    for _ in 0..5 {
        let once = Onceward::open(&url).await?;
        once.set_clock(nine());
        handles.push(once);
    }
    let schedule = Schedule {
        name: "digest".to_owned(),
        cron: "* * * * *".to_owned(),
        timezone: "UTC".to_owned(),
        queue: "mail".to_owned(),
        kind: "digest".to_owned(),
        version: 1,
        payload: "{}".to_owned(),
        missed: Missed::All,
    };
    handles[0].schedule(schedule).await?;
    let mut firing = tokio::task::JoinSet::new();
    for once in handles {
        once.set_clock(nine().after(Duration::from_mins(7)));
        // Without taking the duty first.
        firing.spawn(async move { once.db().fold::<Fire>(vec![()]).await });
    }
    let mut jobs = 0;
    while let Some(fired) = firing.join_next().await {
        jobs += fired??.iter().map(|fired| fired.jobs).sum::<u64>();
    }
    assert_eq!(jobs, 7);
    Ok(())
}

#[tokio::test]
async fn a_keeper_shows_itself_and_ends_when_told() -> Verdict {
    let once = testing::store().await?;
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let hour = Duration::from_hours(1);
    let keeper = tokio::spawn(keep(
        once.clone(),
        ["mail".to_owned()].into(),
        hour,
        hour,
        std::future::ready(()),
        stopping,
    ));
    while once.status().await?.workers.is_empty() {
        assert!(!keeper.is_finished());
    }
    assert_eq!(once.status().await?.workers[0].boot, once.db().boot().id());
    stop.send_replace(true);
    Ok(keeper.await?)
}
