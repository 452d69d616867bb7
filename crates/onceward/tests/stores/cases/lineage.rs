//! A store that lost its last commits: what may have been sent in them is found out before it is sent again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::schedule::Missed;
use onceward::{
    Cause, Class, Context, Fallback, JobTarget, NewJob, NewRow, Onceward, Outbox, Outcome,
    Receipt, Relay, Resolution, Schedule, Seen, SendError, Time, Worker,
};

use crate::harness::{Store, Verdict};

pub(super) type Tried<T> = Result<T, Box<dyn std::error::Error>>;

/// A platform that knows whether something is there, and counts what arrives.
#[derive(Clone)]
pub(super) struct Platform {
    class: Class,
    looks: bool,
    arrived: Arc<Mutex<Vec<String>>>,
    there: bool,
}

impl Platform {
    pub(super) fn new(class: Class, looks: bool, there: bool) -> Self {
        Self { class, looks, arrived: Arc::default(), there }
    }

    pub(super) fn arrived(&self) -> usize {
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

pub(super) async fn run(once: &Onceward, platform: &Platform) -> Tried<onceward::Report> {
    let worker =
        Worker::builder(once).register_fn("post", 1, platform.clone(), handler).queue("blog", 5).build()?;
    Ok(worker.run_until_idle().await?)
}

pub(super) fn nine() -> Time {
    Time::from_micros(1_796_115_600_000_000)
}

pub(super) fn later(once: &Onceward, time: Duration) {
    let now = once.db().clock().test_time().unwrap_or_else(nine);
    once.set_clock(now.after(time));
}

/// The store as it was at nine, which goes on a minute later: a backup in the place of an SQLite file; on PostgreSQL a
/// person says so, and `tests/tests/failover.rs` promotes a standby.
pub(super) async fn lose(store: &Store, folder: &tempfile::TempDir) -> Tried<Onceward> {
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

/// By the machine's own clock, and by nobody's word.
pub(crate) async fn a_backup_in_the_place_of_its_store_notices_by_itself(store: &Store) -> Verdict {
    if !store.is_sqlite() {
        // A standby that is promoted: `tests/tests/failover.rs`.
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let (file, copy) = (folder.path().join("queue.db"), folder.path().join("backup.db"));
    let url = format!("sqlite://{}", file.display());
    let once = Onceward::open(&url).await?;
    once.enqueue(NewJob::untyped("blog", "post", "1")).await?;
    Onceward::back_up(once.db(), &copy).await?;
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 1));
    once.close().await;
    for beside in ["-wal", "-shm"] {
        drop(std::fs::remove_file(folder.path().join(format!("queue.db{beside}"))));
    }
    std::fs::rename(copy, file)?;
    let once = Onceward::open(&url).await?;
    assert_eq!((run(&once, &platform).await?.in_doubt, platform.arrived()), (1, 1), "never sent again by itself");
    assert_eq!(once.restored().await?[0].jobs, 1);
    // It is one lineage from now on: what is enqueued now goes out as ever, also by the next process.
    once.enqueue(NewJob::untyped("blog", "post", "2")).await?;
    once.close().await;
    let once = Onceward::open(&url).await?;
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 2));
    once.close().await;
    Ok(())
}

/// What the server before wrote of a step looks newer than the moment at which its loss is noticed.
pub(crate) async fn a_clock_that_was_ahead_hides_no_loss(store: &Store) -> Verdict {
    one_job(store).await?;
    let ahead = nine().after(Duration::from_secs(69));
    store.once.set_clock(ahead);
    let worker = Worker::builder(&store.once).register_fn("post", 1, (), not_sent).queue("blog", 5).build()?;
    assert_eq!(worker.run_until_idle().await?.again, 1);
    store.execute(&format!("UPDATE @job SET run_at = {}", store.instant(nine()))).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.in_doubt, platform.arrived()), (1, 0));
    once.close().await;
    Ok(())
}

/// Its step is known to the ledger, and was certainly not sent.
pub(super) async fn not_sent(ctx: Context<()>) -> Outcome {
    let effect = ctx.effect("post", ctx.job().payload.clone()).class(Class::Blind).timeout(Duration::from_secs(10));
    let sent = effect.send(async |_| Err(SendError::NotSent(Cause::new("connect_refused", "nobody listens")))).await?;
    Ok(sent.into())
}

/// A server that did not let its lineage be told, and does so now.
pub(crate) async fn a_lineage_whose_name_was_unknown_is_no_other_one(store: &Store) -> Verdict {
    if store.is_sqlite() {
        return Ok(());
    }
    one_job(store).await?;
    let named = |name: &str| {
        format!("CREATE OR REPLACE FUNCTION @lineage_name() RETURNS text LANGUAGE sql AS 'SELECT {name}'")
    };
    store.execute(&named("NULL::text")).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    assert_eq!(once.restored().await?[0].jobs, 1, "a person's word counts all the same");
    let platform = Platform::new(Class::Deterministic, false, false);
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 1));
    store.execute(&named("''cluster/1''::text")).await?;
    for unknown in ["NULL", "'unknown'"] {
        store.execute(&format!("UPDATE @lineage SET name = {unknown}")).await?;
        once.enqueue(NewJob::untyped("blog", "post", "2")).await?;
        let next = store.another().await?;
        next.set_clock(nine().after(Duration::from_mins(1)));
        next.enqueue(NewJob::untyped("blog", "post", "3")).await?;
        assert_eq!(next.restored().await?, [], "{unknown}");
        assert_eq!(store.count("lineage", "name = 'cluster/1'").await?, 1, "{unknown}");
        next.close().await;
    }
    once.close().await;
    Ok(())
}

pub(super) async fn one_job(store: &Store) -> Verdict {
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

/// The store of a standby that was promoted at nine, and found a minute later; `None`: this engine has none.
pub(super) async fn promote(store: &Store, alive: Time) -> Tried<Option<Onceward>> {
    if store.is_sqlite() {
        return Ok(None);
    }
    let alive = store.instant(alive);
    store.execute("DELETE FROM @worker").await?;
    let row = format!("INSERT INTO @worker (boot, queues, started_at, seen_at) VALUES ('gone', '[]', {alive}, {alive})");
    store.execute(&row).await?;
    store.execute("UPDATE @lineage SET name = 'another/00000001'").await?;
    let once = store.another().await?;
    once.set_clock(nine().after(Duration::from_mins(1)));
    // The first write finds it.
    once.enqueue(NewJob::untyped("blog", "post", "2")).await?;
    Ok(Some(once))
}

/// What goes out and what is parked, of a job that comes due an hour after a loss and of one enqueued since.
async fn due_in_an_hour(once: &Onceward) -> Tried<(u64, u64)> {
    later(once, Duration::from_hours(1));
    let platform = Platform::new(Class::Blind, false, false);
    let report = run(once, &platform).await?;
    assert_eq!(u64::try_from(platform.arrived())?, report.done);
    Ok((report.done, report.in_doubt))
}

pub(crate) async fn what_was_not_due_may_have_been_moved_and_sent_after_a_backup(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    let hour = NewJob::untyped("blog", "post", "1").run_in(Duration::from_hours(1));
    let scheduled = store.once.enqueue(hour).await?.id();
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    assert_eq!(once.status().await?.restored[0].jobs, 1);
    assert!(once.job(scheduled).await?.restored);
    let new = once.enqueue(NewJob::untyped("blog", "post", "2")).await?.id();
    if store.is_sqlite() {
        // On PostgreSQL, what the clocks of two servers may differ makes it doubtful.
        once.reschedule(new, nine().after(Duration::from_mins(2))).await?;
        assert!(!once.job(new).await?.restored, "moved, and from after the loss");
    }
    assert_eq!(due_in_an_hour(&once).await?, (1, 1));
    once.close().await;
    Ok(())
}

/// Else each promotion would ask a person about all that is planned.
pub(crate) async fn what_comes_due_after_a_promotion_goes_out_as_ever(store: &Store) -> Verdict {
    for (alive, expected) in [(nine(), (2, 0)), (nine().before(Duration::from_hours(1)), (1, 1))] {
        store.once.set_clock(nine());
        store.once.enqueue(NewJob::untyped("blog", "post", "1").run_in(Duration::from_hours(1))).await?;
        let Some(once) = promote(store, alive).await? else { return Ok(()) };
        assert_eq!(due_in_an_hour(&once).await?, expected, "lost from {alive} on");
        once.close().await;
    }
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

pub(crate) async fn a_copy_says_what_may_have_been_sent_before_anybody_writes_to_it(store: &Store) -> Verdict {
    one_job(store).await?;
    // The last sign of life.
    let alive = store.instant(nine().before(Duration::from_mins(1)));
    let row = format!("INSERT INTO @worker (boot, queues, started_at, seen_at) VALUES ('gone', '[]', {alive}, {alive})");
    store.execute(&row).await?;
    let planned = NewJob::untyped("blog", "post", "2").run_in(Duration::from_hours(72));
    let planned = store.once.enqueue(planned).await?.id();
    store.execute("UPDATE @lineage SET name = 'copy'").await?;
    let before = store.once.status().await?.restored;
    assert_eq!(before[0].jobs, 2);
    assert!(store.once.job(planned).await?.restored);
    assert_eq!(store.count("restored", "true").await?, 0, "looking writes nothing");
    let next = store.another().await?;
    next.set_clock(nine());
    next.enqueue(NewJob::untyped("blog", "post", "3")).await?;
    assert_eq!(next.restored().await?, before, "what is then written");
    next.close().await;
    Ok(())
}

/// What people read is from when something is known to have been there, not from the beginning of time.
pub(crate) async fn without_a_worker_the_newest_job_is_the_last_sign_of_life(store: &Store) -> Verdict {
    one_job(store).await?;
    let once = store.another().await?;
    once.set_clock(nine().after(Duration::from_hours(1)));
    let restored = once.take_for_backup(None).await?;
    assert_eq!(restored[0].lost_from, nine().before(Duration::from_mins(1)));
    once.close().await;
    Ok(())
}

/// A person may say of a copy what it knows by itself.
pub(crate) async fn a_copy_that_knows_itself_is_told_nothing_new(store: &Store) -> Verdict {
    one_job(store).await?;
    let made_at = store.instant(nine().before(Duration::from_hours(2)));
    store.execute(&format!("UPDATE @lineage SET name = 'copy', lost_from = {made_at}")).await?;
    let once = store.another().await?;
    once.set_clock(nine());
    let restored = once.take_for_backup(None).await?;
    assert_eq!(restored[0].lost_from, nine().before(Duration::from_mins(121)));
    assert_eq!(store.count("event", "what = 'restored'").await?, 1, "told once");
    once.close().await;
    Ok(())
}
