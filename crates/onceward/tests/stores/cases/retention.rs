//! Finished jobs are dropped when they are old enough. What must stay, stays.

use std::time::Duration;

use onceward::{Dedup, Done, Enqueued, Filter, Kept, NewJob, State, Time, Worker};

use crate::harness::{Store, Verdict};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

const WEEK: Duration = Duration::from_hours(7 * 24);

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

async fn keep_at(store: &Store, time: &str) -> Tried<Kept> {
    store.once.set_clock(time.parse()?);
    Ok(store.once.keep_house(WEEK).await?)
}

/// Runs all that is due to its good end.
async fn work(store: &Store) -> Verdict {
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, (), |_| async { Ok(Done::Nothing) })
        .queue("mail", 20)
        .without_keeper()
        .build()?;
    worker.run_until_idle().await?;
    Ok(())
}

fn pending(time: &str) -> Tried<Time> {
    Ok(time.parse()?)
}

pub(crate) async fn a_finished_job_is_kept_for_its_time_and_then_dropped_with_its_attempts(
    store: &Store,
) -> Verdict {
    keep_at(store, "2026-12-01T09:00:00Z").await?;
    store.once.enqueue(job()).await?;
    work(store).await?;
    keep_at(store, "2026-12-08T23:59:00Z").await?;
    assert_eq!(store.count("job_all", "state = 'done'").await?, 1, "a day too long rather than too short");
    keep_at(store, "2026-12-09T00:59:01Z").await?;
    assert_eq!(store.count("job_all", "true").await?, 0);
    assert_eq!(store.count("attempt", "true").await?, 0);
    let totals = store.once.status().await?.totals;
    assert_eq!((totals.done, totals.pending, totals.running), (0, 0, 0));
    assert_eq!(totals.attempts["done"], 1, "what happened is not undone");
    Ok(())
}

pub(crate) async fn what_is_not_finished_is_never_dropped(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    for state in ["pending", "dead", "in_doubt"] {
        store.once.enqueue(job()).await?;
        let finished = store.instant(store.clock());
        let end = format!(
            "UPDATE @job SET state = '{state}', finished_at = {finished}, run_at = {finished}
             WHERE id = (SELECT max(id) FROM @job)"
        );
        store.execute(&end).await?;
    }
    let tried = "INSERT INTO @attempt (job_id, number, purpose, finished_at, outcome)
                 SELECT id, 1, 'run', finished_at, 'failed' FROM @job";
    store.execute(tried).await?;
    keep_at(store, "2027-12-01T09:00:00Z").await?;
    assert_eq!((store.count("job", "true").await?, store.count("attempt", "true").await?), (3, 3));
    Ok(())
}

pub(crate) async fn a_dedup_key_outlives_its_job(store: &Store) -> Verdict {
    keep_at(store, "2026-12-01T09:00:00Z").await?;
    let first = store.once.enqueue(job().dedup("welcome-7", Dedup::Forever)).await?.id();
    work(store).await?;
    keep_at(store, "2027-02-01T09:00:00Z").await?;
    assert_eq!(store.count("job_all", "true").await?, 0);
    let again = store.once.enqueue(job().dedup("welcome-7", Dedup::Forever)).await?;
    let Enqueued::Skipped { existing, state, changed, .. } = again else {
        return Err(format!("{again:?}").into());
    };
    assert_eq!((existing, state, changed), (first, State::Done, false));
    Ok(())
}

pub(crate) async fn a_key_that_ran_out_is_dropped_with_its_time(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    store.once.enqueue(job().dedup("a", Dedup::Forever)).await?;
    store.once.enqueue(job().dedup("b", Dedup::For(Duration::from_hours(1)))).await?;
    keep_at(store, "2026-12-08T12:00:00Z").await?;
    assert_eq!(store.count("dedup", "true").await?, 2);
    keep_at(store, "2026-12-09T12:00:00Z").await?;
    assert_eq!(store.count("dedup", "expires_at IS NULL").await?, 1);
    assert_eq!(store.count("dedup", "true").await?, 1);
    Ok(())
}

pub(crate) async fn more_than_a_batch_is_dropped_in_one_go(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let held = NewJob::untyped("mail", "welcome", "{}").run_at(pending("2027-01-01T00:00:00Z")?);
    store.once.enqueue_each(vec![job(); 1203]).await?;
    store.once.enqueue(held).await?;
    let cancel = Filter { states: vec![State::Pending], ..Filter::default() };
    store.once.cancel(cancel).await?;
    store.once.enqueue(job()).await?;
    keep_at(store, "2026-12-20T09:00:00Z").await?;
    assert_eq!(store.count("job_all", "true").await?, 1);
    let totals = store.once.status().await?.totals;
    assert_eq!((totals.cancelled, totals.pending), (0, 1));
    Ok(())
}

/// To make one takes the history away from those who write to it, for as long as it takes.
pub(crate) async fn the_first_days_are_prepared_before_anybody_works(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    store.once.migrate().await?;
    if !store.is_sqlite() {
        for day in ["20261201", "20261204"] {
            assert_eq!(store.count(&format!("job_history_{day}"), "true").await?, 0);
        }
    }
    assert_eq!(keep_at(store, "2026-12-01T09:00:00Z").await?.prepared_days, 0, "none is left to the keeper");
    Ok(())
}

pub(crate) async fn a_day_of_the_history_goes_as_a_whole(store: &Store) -> Verdict {
    let prepared = keep_at(store, "2026-12-01T09:00:00Z").await?.prepared_days;
    if store.is_sqlite() {
        assert_eq!(prepared, 0);
        return Ok(());
    }
    assert_eq!(prepared, 4);
    assert_eq!(keep_at(store, "2026-12-02T09:00:00Z").await?.prepared_days, 1);
    store.once.enqueue(job()).await?;
    work(store).await?;
    assert_eq!(store.count("job_history_20261202", "state = 'done'").await?, 1);
    let kept = keep_at(store, "2026-12-10T09:00:00Z").await?;
    assert_eq!((kept.dropped, kept.dropped_days), (0, 2), "1 and 2 December");
    assert_eq!(store.count("attempt", "true").await?, 0);
    assert_eq!(store.once.status().await?.totals.done, 0);
    Ok(())
}

pub(crate) async fn a_day_that_began_without_a_partition_is_dropped_by_rows(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    store.once.enqueue_each(vec![job(); 3]).await?;
    store.once.cancel(Filter::state(State::Pending)).await?;
    let prepared = keep_at(store, "2026-12-01T09:00:00Z").await?.prepared_days;
    assert_eq!(prepared, if store.is_sqlite() { 0 } else { 3 }, "the first day has rows already");
    assert_eq!(keep_at(store, "2026-12-20T09:00:00Z").await?.dropped, 3);
    assert_eq!(store.count("job_all", "true").await?, 0);
    Ok(())
}
