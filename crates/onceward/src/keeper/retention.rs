//! Dropping what is old, in small steps that leave room for work.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Kept;
use crate::store::retention::{BATCH, Page, SMALL_BATCH, Sweep, Sweeping, pick};
use crate::{Engine, Error, Onceward, Time};

/// How many days ahead have a partition of their own: for so long everybody may be away.
const DAYS_AHEAD: i64 = 3;
const DAY: Duration = Duration::from_hours(24);

/// Drops jobs that finished before the day of that time, and keys and events from before it.
///
/// Whole days, since PostgreSQL drops its history by day: what is kept, is kept for a day too long rather than too short.
pub(super) async fn retain(once: &Onceward, before: Time, kept: &mut Kept) -> Result<(), Error> {
    let before = start_of_day(before);
    let mut after = 0;
    loop {
        let Page { old, next } = pick(&mut once.db().reader().await?.conn(), before, after).await?;
        if !old.is_empty() {
            kept.dropped += sweep(once, Sweeping::Jobs(old)).await?;
        }
        match next {
            Some(id) => after = id,
            None => break,
        }
    }
    // Only now: what hangs on their jobs is gone.
    while sweep(once, Sweeping::Partition { before }).await? > 0 {
        kept.dropped_days += 1;
    }
    sweep(once, Sweeping::Restored).await?;
    while sweep(once, Sweeping::Keys { before }).await? >= SMALL_BATCH.unsigned_abs() {}
    while sweep(once, Sweeping::Events { before }).await? >= SMALL_BATCH.unsigned_abs() {}
    Ok(())
}

pub(super) async fn discard(once: &Onceward, kept: &mut Kept) -> Result<(), Error> {
    loop {
        let discarded = sweep(once, Sweeping::Discarded).await?;
        kept.discarded += discarded;
        if discarded < BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}

/// Gives how many days of the history are new.
pub(crate) async fn prepare(once: &Onceward) -> Result<u64, Error> {
    match once.engine() {
        Engine::Sqlite => Ok(0),
        Engine::Postgres => sweep(once, Sweeping::Partitions { days: DAYS_AHEAD }).await,
    }
}

/// One small transaction, and as long a rest for the others.
async fn sweep(once: &Onceward, what: Sweeping) -> Result<u64, Error> {
    let begun = Instant::now();
    let rows = once.db().fold::<Sweep>(vec![what]).await?.iter().sum();
    sleep(begun.elapsed()).await;
    Ok(rows)
}

/// In UTC, as the partitions are cut.
fn start_of_day(time: Time) -> Time {
    let day = i64::try_from(DAY.as_micros()).unwrap_or(i64::MAX);
    Time::from_micros(time.micros() - time.micros().rem_euclid(day))
}
