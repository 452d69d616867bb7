//! Posts whose time passed while nobody was running: a greeting of the morning is not sent in the evening unasked.

use std::time::Duration;

use onceward::{Error, JobId, Onceward, QueueView};
use onceward_db::{Sql, sql};

use crate::configured::Configured;

const MISSED: Sql = sql!("missed");
/// Why they wait.
const HELD: &str = "missed";

/// Holds what is too late on these channels; a person releases it, or not. Says how many.
///
/// Time behind our own pause, circuit or rate does not count, nor does a backlog that a worker is at.
pub(crate) async fn hold<'c>(
    once: &Onceward,
    channels: impl Iterator<Item = &'c Configured>,
) -> Result<usize, Error> {
    let status = once.status().await?;
    let worked = |name: &str| status.workers.iter().any(|worker| worker.queues.iter().any(|it| it == name));
    let moving = |name: &str| status.queues.iter().find(|queue| queue.name == name).is_some_and(is_free);
    let mut held = 0;
    // What was enqueued under a former name waits in the queue of that name.
    let queues = channels.flat_map(|it| [Some(&it.name), it.was.as_ref()].map(|name| (it, name)));
    let queues = queues.filter_map(|(channel, name)| Some((channel, name?)));
    for (channel, queue) in queues.filter(|(_, name)| !worked(name) && moving(name)) {
        let jobs = late(once, queue, channel.late_after).await?;
        if jobs.is_empty() {
            continue;
        }
        held += jobs.len();
        once.hold(jobs.clone(), HELD).await?;
        // With a time of its own: once released, it is not missed a second time.
        let now = once.db().clock().test_time().unwrap_or_else(onceward::Time::now);
        once.shift(jobs, now).await?;
    }
    Ok(held)
}

fn is_free(queue: &QueueView) -> bool {
    let closed = queue.circuit.as_ref().is_none_or(|circuit| circuit.state == "closed");
    queue.paused.is_none() && queue.not_before.is_none() && closed
}

async fn late(once: &Onceward, queue: &str, after: Duration) -> Result<Vec<JobId>, Error> {
    let micros = i64::try_from(after.as_micros()).unwrap_or(i64::MAX / 4);
    let args = vec![queue.into(), micros.into(), once.db().clock().test_time().into()];
    let rows = once.db().reader().await?.conn().rows(&MISSED, args).await?;
    Ok(rows.iter().map(|row| row.int("job_id")).collect::<Result<_, _>>()?)
}
