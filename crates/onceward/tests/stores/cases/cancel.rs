//! What is cancelled before its intent never happens; after that, the answer says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{
    Cancelled, Cause, Context, Dedup, Done, Enqueued, Error, Failure, Filter, JobId, NewJob, Report,
    SendError, State, Time, Worker,
};
use sqlx::Connection;

use super::doubt::{Platform, doubtful};
use crate::harness::{Store, Verdict};

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

async fn add(store: &Store, job: NewJob) -> Result<JobId, Error> {
    Ok(store.once.enqueue(job).await?.id())
}

async fn run(store: &Store) -> Result<Report, Error> {
    let handler = |_: Context<()>| async { Ok(Done::Nothing) };
    Worker::builder(&store.once)
        .register_fn("welcome", 1, (), handler)
        .queue("mail", 5)
        .build()?
        .run_until_idle()
        .await
}

pub(crate) async fn cancelled_before_its_claim_it_never_runs(store: &Store) -> Verdict {
    let (no, yes) = (add(store, job()).await?, add(store, job()).await?);
    assert_eq!(store.once.cancel(no).await?, [(no, Cancelled::Cancelled)]);
    assert_eq!(run(store).await?.done, 1);
    assert_eq!(store.once.job(yes).await?.state, State::Done);
    let job = store.once.job(no).await?;
    assert_eq!((job.state, job.attempt_count), (State::Cancelled, 0));
    assert!(job.finished_at.is_some());
    if !store.is_sqlite() {
        assert_eq!(store.count("job", "true").await?, 0, "what is over leaves the hot table");
    }
    let figure = "what = 'cancelled' AND n = 1";
    assert_eq!(store.count("counter_delta", figure).await? + store.count("counter", figure).await?, 1);
    Ok(())
}

pub(crate) async fn a_held_job_that_is_cancelled_waits_for_nobody(store: &Store) -> Verdict {
    let id = add(store, job().hold("approval")).await?;
    store.once.cancel(id).await?;
    let job = store.once.job(id).await?;
    assert_eq!((job.state, job.held_reason), (State::Cancelled, None));
    Ok(())
}

pub(crate) async fn cancelled_while_it_runs_it_stops_and_says_so(store: &Store) -> Verdict {
    let said = Arc::new(Mutex::new(Vec::new()));
    let handler = |ctx: Context<Arc<Mutex<Vec<_>>>>| async move {
        let answer = ctx.once().cancel(ctx.job().lease.job).await?;
        ctx.app().lock().unwrap().extend(answer);
        let effect = ctx.effect("post", "x".to_owned());
        let sent = effect.send(async |_| panic!("sent after it was cancelled")).await;
        assert!(sent.is_err());
        Err(Failure::transient(Cause::new("flaky", "would be tried again")))
    };
    let id = add(store, job()).await?;
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, said.clone(), handler)
        .queue("mail", 5)
        .build()?;
    worker.run_until_idle().await?;
    assert_eq!(*said.lock().unwrap(), [(id, Cancelled::Stopping)]);
    assert_eq!(store.once.job(id).await?.state, State::Cancelled);
    Ok(())
}

pub(crate) async fn cancelled_in_doubt_it_is_found_out_and_never_sent_again(store: &Store) -> Verdict {
    let platform = Platform::that_looks();
    let id = doubtful(store, &platform).await?;
    assert_eq!(store.once.cancel(id).await?, [(id, Cancelled::Stopping)]);
    assert!(store.once.job(id).await?.stop);
    for minutes in [5, 60, 600] {
        store.once.set_clock(store.clock().after(Duration::from_mins(minutes)));
        platform.run(store).await?;
    }
    assert_eq!(platform.arrived().len(), 1, "absent twice, and still not sent again");
    Ok(())
}

/// A repeat is harmless there, but it would be a send.
pub(crate) async fn cancelled_in_doubt_where_repeats_are_harmless_it_is_looked_for(store: &Store) -> Verdict {
    let platform = Platform::that_repeats();
    let id = doubtful(store, &platform).await?;
    assert_eq!(store.once.cancel(id).await?, [(id, Cancelled::Stopping)]);
    for minutes in [5, 10] {
        store.once.set_clock(store.clock().after(Duration::from_mins(minutes)));
        platform.run(store).await?;
    }
    assert_eq!(platform.arrived().len(), 1, "not sent again");
    assert_eq!(store.once.job(id).await?.state, State::Cancelled, "twice absent, so it did not happen");
    Ok(())
}

pub(crate) async fn what_is_over_stays_as_it_is(store: &Store) -> Verdict {
    let id = add(store, job()).await?;
    run(store).await?;
    let answers = store.once.cancel(vec![id, 999, id]).await?;
    let codes: Vec<(JobId, &str)> = answers
        .iter()
        .map(|(id, answer)| (*id, if let Cancelled::Left(left) = answer { left.code } else { "changed" }))
        .collect();
    assert_eq!(codes, [(id, "not_pending"), (999, "not_found")], "each once");
    let Cancelled::Left(left) = &answers[0].1 else { return Err("it was changed".into()) };
    assert!(left.text.contains("is done"), "{}", left.text);
    assert_eq!(store.once.job(id).await?.state, State::Done);
    Ok(())
}

pub(crate) async fn a_bulk_cancel_meets_only_what_matches(store: &Store) -> Verdict {
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(add(store, job().queue(if n < 4 { "mail" } else { "other" })).await?);
    }
    run(store).await?;
    let more = [add(store, job()).await?, add(store, job()).await?];
    let filter = Filter { queue: Some("mail".to_owned()), ..Filter::default() };
    let answers = store.once.cancel(filter).await?;
    assert_eq!(answers, more.map(|id| (id, Cancelled::Cancelled)), "oldest first, what is over left out");
    assert_eq!(store.once.jobs(&Filter::state(State::Pending), 10, None).await?.items.len(), 2);
    Ok(())
}

pub(crate) async fn a_cancelled_key_is_free_only_if_it_was_held_until_then(store: &Store) -> Verdict {
    let until = || job().dedup("until", Dedup::UntilSettled);
    let ever = || job().dedup("ever", Dedup::Forever);
    let (first, second) = (add(store, until()).await?, add(store, ever()).await?);
    store.once.cancel(vec![first, second]).await?;
    assert!(matches!(store.once.enqueue(until()).await?, Enqueued::New(_)));
    let again = store.once.enqueue(ever()).await?;
    assert!(
        matches!(again, Enqueued::Skipped { existing, state: State::Cancelled, .. } if existing == second),
        "{again:?}"
    );
    assert_eq!(store.count("dedup", "state = 'cancelled'").await?, 1);
    Ok(())
}

pub(crate) async fn a_held_job_waits_for_its_release(store: &Store) -> Verdict {
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let id = add(store, job()).await?;
    assert_eq!(store.once.hold(id, "approval").await?, [(id, Ok(()))]);
    let held = store.once.run_now(id).await?;
    assert!(matches!(&held[0].1, Err(left) if left.code == "held" && left.text.contains("approval")), "{held:?}");
    assert_eq!(run(store).await?.done, 0);
    assert_eq!(store.once.job(id).await?.held_reason.as_deref(), Some("approval"));
    let at = t0.after(Duration::from_hours(1));
    assert_eq!(store.once.release(id, Some(at)).await?, [(id, Ok(()))]);
    let again = store.once.release(id, None).await?;
    assert!(matches!(&again[0].1, Err(left) if left.code == "not_held"));
    assert_eq!(run(store).await?.done, 0);
    store.once.set_clock(at);
    assert_eq!(run(store).await?.done, 1);
    Ok(())
}

pub(crate) async fn the_reason_of_a_hold_is_one_text_whoever_holds(store: &Store) -> Verdict {
    let id = add(store, job()).await?;
    for good in ["approval", "waits for Ann, who is back on Monday"] {
        assert_eq!(store.once.hold(id, good).await?, [(id, Ok(()))]);
        let held = add(store, job().hold(good)).await?;
        assert_eq!(store.once.job(held).await?.held_reason.as_deref(), Some(good));
    }
    let long = "x".repeat(501);
    for bad in ["", " ", "a\0b", &long] {
        assert_eq!(store.once.hold(id, bad).await.unwrap_err().code(), "bad_reason", "{bad:?}");
        assert_eq!(job().hold(bad).check().unwrap_err().code(), "bad_reason", "{bad:?}");
        assert_eq!(store.once.enqueue(job().hold(bad)).await.unwrap_err().code(), "bad_reason", "{bad:?}");
    }
    Ok(())
}

pub(crate) async fn a_pending_job_can_be_moved_in_time(store: &Store) -> Verdict {
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let id = add(store, job().run_at(t0.after(Duration::from_hours(9)))).await?;
    store.once.reschedule(id, t0.after(Duration::from_hours(5))).await?;
    assert_eq!(store.once.job(id).await?.run_at, t0.after(Duration::from_hours(5)));
    assert_eq!(run(store).await?.done, 0);
    store.once.run_now(id).await?;
    assert_eq!(run(store).await?.done, 1);
    let answer = store.once.reschedule(id, t0).await?;
    assert!(matches!(&answer[0].1, Err(left) if left.code == "not_pending"));
    Ok(())
}

/// Commits in either case: a refusal leaves the transaction as good as before.
async fn withdraw(store: &Store, jobs: &[JobId]) -> Result<Vec<Cancelled>, Box<dyn std::error::Error>> {
    let answer = if store.is_sqlite() {
        let mut conn = sqlx::SqliteConnection::connect(&store.url).await?;
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
        let answer = store.once.withdraw_in(&mut tx, jobs).await;
        tx.commit().await?;
        answer
    } else {
        let mut conn = sqlx::PgConnection::connect(&store.direct()?).await?;
        let mut tx = conn.begin().await?;
        let answer = store.once.withdraw_in(&mut tx, jobs).await;
        tx.commit().await?;
        answer
    };
    Ok(answer?)
}

pub(crate) async fn what_is_withdrawn_is_withdrawn_whole_or_not_at_all(store: &Store) -> Verdict {
    let refused = |ctx: Context<()>| async move {
        let no = || SendError::Refused(Failure::permanent(Cause::new("no", "no")));
        ctx.effect("post", "x".to_owned()).send(async |_| Err(no())).await?;
        Ok(Done::Nothing)
    };
    let dies = |_: Context<()>| async { Err(Failure::permanent(Cause::new("broken", "before it sent"))) };
    let kind = |kind: &str| NewJob::untyped("mail", kind, "{}");
    let (done, sent, dead) =
        (add(store, job()).await?, add(store, kind("sends")).await?, add(store, kind("dies")).await?);
    run(store).await?;
    let worker = Worker::builder(&store.once).register_fn("sends", 1, (), refused);
    worker.register_fn("dies", 1, (), dies).queue("mail", 5).build()?.run_until_idle().await?;
    let waits = add(store, job()).await?;
    for (left, code) in [(done, "not_pending"), (sent, "effect_open"), (999, "not_found")] {
        let error = withdraw(store, &[waits, dead, left]).await.unwrap_err();
        assert_eq!(error.downcast::<Error>()?.code(), code);
    }
    assert_eq!(store.once.job(waits).await?.state, State::Pending);
    assert_eq!(store.once.job(dead).await?.state, State::Dead);
    assert_eq!(withdraw(store, &[waits, dead]).await?, [Cancelled::Cancelled, Cancelled::Cancelled]);
    assert_eq!(store.once.job(dead).await?.state, State::Cancelled);
    assert_eq!(run(store).await?.done, 0);
    Ok(())
}
