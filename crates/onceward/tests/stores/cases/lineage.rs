//! A store that lost its last commits: what may have been sent in them is found out before it is sent again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::schedule::Missed;
use onceward::{
    Class, Context, Fallback, JobTarget, NewJob, NewRow, Onceward, Outbox, Outcome, Receipt, Relay, Resolution,
    Schedule, Seen, Time, Worker,
};

use crate::harness::{Store, Verdict};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

/// A platform that knows whether something is there, and counts what arrives.
#[derive(Clone)]
struct Platform {
    class: Class,
    looks: bool,
    arrived: Arc<Mutex<Vec<String>>>,
    there: bool,
}

impl Platform {
    fn new(class: Class, looks: bool, there: bool) -> Self {
        Self { class, looks, arrived: Arc::default(), there }
    }

    fn arrived(&self) -> usize {
        self.arrived.lock().unwrap().len()
    }
}

async fn handler(ctx: Context<Platform>) -> Outcome {
    let it = ctx.app().clone();
    let effect = ctx.effect("post", ctx.job().payload.clone()).class(it.class).timeout(Duration::from_secs(10));
    let seen = if it.there { Seen::Found(Receipt::id("there")) } else { Seen::Absent };
    let arrived = it.arrived.clone();
    let send = async move |intent: onceward::Intent<String>| {
        arrived.lock().unwrap().push(intent.key);
        Ok(Receipt::default())
    };
    let receipt = if it.looks {
        effect.verify(async |_| seen.clone()).send(send).await?
    } else {
        effect.send(send).await?
    };
    Ok(receipt.into())
}

async fn run(once: &Onceward, platform: &Platform) -> Tried<onceward::Report> {
    let worker =
        Worker::builder(once).register_fn("post", 1, platform.clone(), handler).queue("blog", 5).build()?;
    Ok(worker.run_until_idle().await?)
}

fn nine() -> Time {
    Time::from_micros(1_796_115_600_000_000)
}

fn later(once: &Onceward, time: Duration) {
    let now = once.db().clock().test_time().unwrap_or_else(nine);
    once.set_clock(now.after(time));
}

/// The store as it was at nine, which goes on a minute later: a backup in the place of an SQLite file; on PostgreSQL a
/// person says so, and `tests/tests/failover.rs` promotes a standby.
async fn lose(store: &Store, folder: &tempfile::TempDir) -> Tried<Onceward> {
    let later = nine().after(Duration::from_mins(1));
    if !store.is_sqlite() {
        let once = store.another().await?;
        once.set_clock(later);
        once.take_for_backup(Some(nine())).await?;
        return Ok(once);
    }
    let file = folder.path().join("backup.db");
    Onceward::back_up(store.once.db(), &file).await?;
    let once = Onceward::open(&format!("sqlite://{}", file.display())).await?;
    once.set_clock(later);
    // The backup was made by the machine's clock, which is not the test's.
    once.take_for_backup(Some(nine())).await?;
    Ok(once)
}

async fn one_job(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    store.once.enqueue(NewJob::untyped("blog", "post", "1")).await?;
    Ok(())
}

pub(crate) async fn a_step_that_may_have_been_lost_is_found_out_before_it_is_sent(store: &Store) -> Verdict {
    let lag = Duration::from_secs(20);
    let keyed = Class::Keyed { window: Duration::from_hours(24), fallback: Fallback::Blind };
    one_job(store).await?;
    for (class, there, looks, arrives) in [
        (keyed, true, false, 1),
        (Class::Deterministic, true, false, 1),
        (Class::LookUp { lag }, true, true, 0),
        (Class::LookUp { lag }, false, true, 1),
    ] {
        let folder = tempfile::tempdir()?;
        let once = lose(store, &folder).await?;
        assert_eq!(once.status().await?.restored[0].jobs, 1);
        let platform = Platform::new(class, looks, there);
        let report = run(&once, &platform).await?;
        if looks {
            assert_eq!((report.in_doubt, platform.arrived()), (1, 0), "{class:?}: within the quiet period");
            for _ in 0..3 {
                later(&once, Duration::from_mins(5));
                run(&once, &platform).await?;
            }
        }
        assert_eq!(platform.arrived(), arrives, "{class:?}, there: {there}");
        assert_eq!(once.status().await?.totals.in_doubt, 0);
        assert_eq!(once.restored().await?, [], "what is over is none of it");
        if !store.is_sqlite() {
            // One database for all of them.
            once.set_clock(nine());
            once.enqueue(NewJob::untyped("blog", "post", "1")).await?;
        }
        once.close().await;
    }
    Ok(())
}

pub(crate) async fn a_blind_step_that_may_have_been_lost_is_parked_until_a_person_tells(store: &Store) -> Verdict {
    one_job(store).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!(run(&once, &platform).await?.in_doubt, 1);
    later(&once, Duration::from_hours(48));
    run(&once, &platform).await?;
    assert_eq!(platform.arrived(), 0, "never sent by itself");
    let groups = once.doubt_groups().await?;
    assert_eq!(groups.iter().map(|group| group.code.as_deref()).collect::<Vec<_>>(), [Some("restored")]);
    let parked = once.jobs(&onceward::Filter::state(onceward::State::InDoubt), 10, None).await?.items;
    once.resolve(parked[0].id, Resolution::DidNotHappen).await?;
    assert_eq!(run(&once, &platform).await?.done, 1);
    assert_eq!(platform.arrived(), 1);
    once.close().await;
    Ok(())
}

pub(crate) async fn what_comes_due_after_a_loss_goes_out_as_ever(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    store.once.enqueue(NewJob::untyped("blog", "post", "1").run_in(Duration::from_hours(1))).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    once.enqueue(NewJob::untyped("blog", "post", "2")).await?;
    later(&once, Duration::from_hours(1));
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!(run(&once, &platform).await?.done, 2);
    assert_eq!(platform.arrived(), 2);
    once.close().await;
    Ok(())
}

pub(crate) async fn what_a_schedule_or_an_outbox_gave_before_a_loss_may_have_been_sent(store: &Store) -> Verdict {
    store.once.set_clock(nine().before(Duration::from_mins(1)));
    let schedule = Schedule {
        name: "digest".to_owned(),
        cron: "* * * * *".to_owned(),
        timezone: "UTC".to_owned(),
        queue: "blog".to_owned(),
        kind: "post".to_owned(),
        version: 1,
        payload: "1".to_owned(),
        missed: Missed::All,
    };
    store.once.schedule(schedule).await?;
    // A row of an application's database, which lost nothing.
    let application = Store::sqlite().await?;
    let outbox = Outbox::open(&application.url).await?;
    outbox.migrate().await?;
    outbox.set_clock(nine());
    outbox.enqueue(NewRow::untyped("blog", "post", "2")).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let relay = Relay::new(outbox, Arc::new(JobTarget::new(once.clone(), "blog")));
    assert_eq!(relay.run_until_idle().await?.sent, 1);
    assert_eq!(once.keep_house(Duration::from_hours(24)).await?.fired, 2);
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.in_doubt, platform.arrived()), (3, 0));
    later(&once, Duration::from_mins(1));
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 1), "the next time is as ever");
    once.close().await;
    Ok(())
}

pub(crate) async fn no_number_is_given_again_after_a_loss(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    let before = store.once.enqueue(NewJob::untyped("blog", "post", "1")).await?.id();
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let after = once.enqueue(NewJob::untyped("blog", "post", "2")).await?.id();
    assert!(after > before + 1_000_000, "{after}");
    once.close().await;
    Ok(())
}
