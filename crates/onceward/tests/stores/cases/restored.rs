//! After a store lost its last commits: what people are told, and what they let go.

use std::time::Duration;

use onceward::{
    Cancelled, Cause, Class, Context, Dedup, Done, Enqueued, NewJob, Onceward, Outcome, Receipt, Resolution,
    ReviveOptions, SendError, State, Worker,
};

use super::lineage::{Platform, Tried, later, lose, nine, not_sent, one_job, promote, run};
use crate::harness::{Store, Verdict};

pub(crate) async fn a_clock_that_was_ahead_hides_no_loss_from_a_person(store: &Store) -> Verdict {
    one_job(store).await?;
    store.once.set_clock(nine().after(Duration::from_secs(69)));
    let worker = Worker::builder(&store.once).register_fn("post", 1, (), not_sent).queue("blog", 5).build()?;
    assert_eq!(worker.run_until_idle().await?.again, 1);
    store.execute(&format!("UPDATE @job SET run_at = {}", store.instant(nine()))).await?;
    let scheduled = NewJob::untyped("blog", "post", "2").run_in(Duration::from_hours(1));
    let scheduled = store.once.enqueue(scheduled).await?.id();
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let due = once.jobs(&onceward::Filter::default(), 10, None).await?.items.pop().unwrap();
    assert!(due.restored && due.id != scheduled);
    assert_eq!(once.cancel(due.id).await?, [(due.id, Cancelled::Restored)]);
    once.reschedule(scheduled, once.db().clock().test_time().unwrap()).await?;
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.in_doubt, platform.arrived()), (1, 0));
    once.close().await;
    Ok(())
}

/// Two steps that do not wait for each other; once the platform is up, the second is left for later.
async fn two_steps(ctx: Context<bool>) -> Outcome {
    let step = |name| ctx.effect(name, "1".to_owned()).class(Class::Deterministic).timeout(Duration::from_secs(10));
    let down = || SendError::NotSent(Cause::new("connect_refused", "nobody listens"));
    if *ctx.app() {
        step("first").send(async |_| Ok(Receipt::default())).await?;
        return Ok(Done::Snooze(nine().after(Duration::from_hours(1))));
    }
    let first = step("first").send(async |_| Err(down())).await;
    let second = step("second").send(async |_| Err(down())).await?;
    first?;
    Ok(second.into())
}

pub(crate) async fn a_step_that_was_found_out_says_nothing_of_another(store: &Store) -> Verdict {
    one_job(store).await?;
    let work = async |once: &Onceward, up: bool| -> Tried<onceward::Report> {
        let worker = Worker::builder(once).register_fn("post", 1, up, two_steps).queue("blog", 5).build()?;
        Ok(worker.run_until_idle().await?)
    };
    assert_eq!(work(&store.once, false).await?.again, 1);
    store.execute(&format!("UPDATE @job SET run_at = {}", store.instant(nine()))).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    later(&once, Duration::from_secs(30));
    work(&once, true).await?;
    let job = once.jobs(&onceward::Filter::default(), 10, None).await?.items.pop().unwrap();
    assert!(job.restored);
    assert_eq!(once.cancel(job.id).await?, [(job.id, Cancelled::Restored)], "the second may be out");
    once.close().await;
    Ok(())
}

/// Jobs of each sort that only a person lets go: dead, held, and due in an hour.
async fn three_that_wait_for_a_person(store: &Store) -> Tried<[i64; 3]> {
    store.once.set_clock(nine());
    let dead = store.once.enqueue(NewJob::untyped("blog", "post", "1")).await?.id();
    store.execute("UPDATE @job SET state = 'dead'").await?;
    let held = store.once.enqueue(NewJob::untyped("blog", "post", "2").hold("approval")).await?.id();
    let later = NewJob::untyped("blog", "post", "3").run_in(Duration::from_hours(1));
    Ok([dead, held, store.once.enqueue(later).await?.id()])
}

pub(crate) async fn what_a_person_lets_go_after_a_loss_may_have_been_sent(store: &Store) -> Verdict {
    let [dead, held, scheduled] = three_that_wait_for_a_person(store).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    assert_eq!(once.restored().await?[0].jobs, 3);
    let payload = ReviveOptions { set_payload: Some("9".to_owned()), ..ReviveOptions::default() };
    let left = once.revive(dead, &payload).await?.left;
    assert_eq!(left[0].1.code, "effect_open", "it may have happened with its present payload");
    assert_eq!(once.revive(dead, &ReviveOptions::default()).await?.revived, [dead]);
    once.release(held, None).await?;
    once.reschedule(scheduled, once.db().clock().test_time().unwrap()).await?;
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.in_doubt, platform.arrived()), (3, 0), "a person is asked");
    once.close().await;
    Ok(())
}

pub(crate) async fn what_a_person_moves_after_a_promotion_may_have_been_sent(store: &Store) -> Verdict {
    for (by_a_rule, expected) in [(true, (2, 0)), (false, (1, 1))] {
        let [_, _, scheduled] = three_that_wait_for_a_person(store).await?;
        let Some(once) = promote(store, nine()).await? else { return Ok(()) };
        let now = once.db().clock().test_time().unwrap();
        let moved = if by_a_rule { once.shift(scheduled, now).await? } else { once.reschedule(scheduled, now).await? };
        assert_eq!(moved, [(scheduled, Ok(()))]);
        let platform = Platform::new(Class::Blind, false, false);
        let report = run(&once, &platform).await?;
        assert_eq!((report.done, report.in_doubt), expected, "one is new; by a rule: {by_a_rule}");
        once.close().await;
    }
    Ok(())
}

pub(crate) async fn whoever_says_so_sends_what_may_have_been_lost_again(store: &Store) -> Verdict {
    let [dead, held, scheduled] = three_that_wait_for_a_person(store).await?;
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let repeat = ReviveOptions { may_repeat: true, ..ReviveOptions::default() };
    assert_eq!(once.revive(dead, &repeat).await?.revived, [dead]);
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 1));
    assert_eq!(once.cancel(held).await?, [(held, Cancelled::Restored)], "nobody knows that it was never sent");
    assert_eq!(once.cancel(scheduled).await?, [(scheduled, Cancelled::Restored)]);
    assert!(!once.job(dead).await?.restored, "it is done, and its receipt says where");
    once.keep_house(Duration::from_hours(7 * 24)).await?;
    for cancelled in [held, scheduled] {
        assert!(once.job(cancelled).await?.restored, "still nobody knows");
    }
    once.close().await;
    Ok(())
}

pub(crate) async fn who_has_looked_says_so_of_what_still_waits(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    let post = |id: &str, payload: &str| {
        NewJob::untyped("blog", "post", payload).dedup(id, Dedup::Forever).run_in(Duration::from_hours(1)).update()
    };
    let [absent, there, nobody_knows] = [
        store.once.enqueue(post("absent", "1")).await?.id(),
        store.once.enqueue(post("there", "1")).await?.id(),
        store.once.enqueue(post("nobody_knows", "1")).await?.id(),
    ];
    let known = once_resolved(&store.once, absent).await;
    assert_eq!(known, Err("not_in_doubt"), "nothing is lost yet");
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    assert_eq!(once_resolved(&once, absent).await, Ok(State::Pending));
    let url = Some("https://social.example/1".to_owned());
    assert_eq!(once.resolve(there, Resolution::Happened { url: url.clone() }).await?, State::Done);
    assert_eq!(once.resolve(nobody_knows, Resolution::GiveUp).await?, State::Dead);
    assert_eq!((once.job(there).await?.url, once.job(absent).await?.restored), (url, false));
    assert!(matches!(once.enqueue(post("absent", "2")).await?, Enqueued::Updated(_)), "it can be edited");
    let platform = Platform::new(Class::Blind, false, false);
    assert_eq!(run(&once, &platform).await?.done, 0, "its time is as it was");
    later(&once, Duration::from_hours(2));
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 1));
    once.close().await;
    Ok(())
}

async fn once_resolved(once: &Onceward, job: i64) -> Result<State, &'static str> {
    once.resolve(job, Resolution::DidNotHappen).await.map_err(|error| match error {
        onceward::Error::NotNow { code, .. } => code,
        other => panic!("{other}"),
    })
}

pub(crate) async fn what_may_have_been_lost_is_not_edited_in_place(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    let post = |payload| NewJob::untyped("blog", "post", payload).dedup("post-1", Dedup::Forever).update();
    let id = store.once.enqueue(post("1")).await?.id();
    assert!(matches!(store.once.enqueue(post("2")).await?, Enqueued::Updated(_)));
    let folder = tempfile::tempdir()?;
    let once = lose(store, &folder).await?;
    let again = once.enqueue(post("3")).await?;
    assert!(matches!(again, Enqueued::Skipped { changed: true, .. }), "{again:?}");
    assert_eq!(once.job(id).await?.payload, "2", "its key has gone out with these bytes, if at all");
    once.close().await;
    Ok(())
}

pub(crate) async fn what_an_edit_brings_forward_after_a_loss_may_have_been_sent(store: &Store) -> Verdict {
    store.once.set_clock(nine());
    let friday = nine().after(Duration::from_hours(72));
    let post = |id: &str, payload: &str, at| {
        NewJob::untyped("blog", "post", payload).dedup(id, Dedup::Forever).run_at(at).update()
    };
    for id in ["moved", "kept"] {
        store.once.enqueue(post(id, "1", friday)).await?;
    }
    let Some(once) = promote(store, nine()).await? else {
        let folder = tempfile::tempdir()?;
        let once = lose(store, &folder).await?;
        let edit = once.enqueue(post("kept", "2", friday)).await?;
        assert!(matches!(edit, Enqueued::Skipped { changed: true, .. }), "whenever it is due: {edit:?}");
        once.close().await;
        return Ok(());
    };
    let tuesday = nine().after(Duration::from_hours(1));
    for (id, at) in [("moved", tuesday), ("kept", friday)] {
        assert!(matches!(once.enqueue(post(id, "2", at)).await?, Enqueued::Updated(_)), "{id}");
    }
    let platform = Platform::new(Class::Blind, false, false);
    later(&once, Duration::from_hours(1));
    let report = run(&once, &platform).await?;
    assert_eq!((report.in_doubt, report.done, platform.arrived()), (1, 1, 1), "as if a person had moved it; one is new");
    later(&once, Duration::from_hours(72));
    assert_eq!((run(&once, &platform).await?.done, platform.arrived()), (1, 2), "its time was never another");
    once.close().await;
    Ok(())
}
