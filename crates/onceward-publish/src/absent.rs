//! Posts that wait for a channel that is not configured any more: held, so that everyone sees why, and released by
//! themselves once it is configured again.

use std::collections::{BTreeMap, BTreeSet};

use onceward::{Error, Filter, Job, JobId, Onceward, PAGE_LIMIT, State, Time};

use crate::configured::Configured;
use crate::post::Post;

/// Why posts are held whose channel is not configured any more.
pub const CHANNEL_MISSING: &str = "channel_missing";

/// Holds the posts of channels that neither are among these nor have a worker elsewhere, and releases those held
/// for that reason whose channel is back.
pub(crate) async fn hold(once: &Onceward, channels: impl Iterator<Item = &Configured>) -> Result<(), Error> {
    let status = once.status().await?;
    // What was enqueued under a former name waits in the queue of that name.
    let configured = channels.flat_map(|it| [Some(&it.name), it.was.as_ref()]).flatten();
    let worked = status.workers.iter().flat_map(|worker| &worker.queues);
    let served: BTreeSet<&String> = configured.chain(worked).collect();
    for queue in status.queues.iter().filter(|queue| !served.contains(&queue.name)) {
        let waits = queue.figures.pending > queue.figures.held;
        let posts = Filter { queue: Some(queue.name.clone()), held: Some(false), ..posts() };
        if waits && !once.jobs(&posts, 1, None).await?.items.is_empty() {
            once.hold(posts, CHANNEL_MISSING).await?;
        }
    }
    // Nobody let them go: they keep their times, and may be too late by now.
    for (at, back) in held(once, &served).await? {
        once.release(back, Some(at)).await?;
    }
    Ok(())
}

fn posts() -> Filter {
    Filter { kind: Some(Post::KIND.to_owned()), ..Filter::state(State::Pending) }
}

/// Those whose channel is back, by their times.
async fn held(once: &Onceward, served: &BTreeSet<&String>) -> Result<BTreeMap<Time, Vec<JobId>>, Error> {
    let filter = Filter { held_reason: Some(CHANNEL_MISSING.to_owned()), ..posts() };
    let (mut back, mut after) = (BTreeMap::<Time, Vec<JobId>>::new(), None);
    loop {
        let page = once.jobs(&filter, PAGE_LIMIT, after).await?;
        for job in page.items.iter().filter(|job| served.contains(&job.queue)) {
            back.entry(job.run_at).or_default().push(job.id);
        }
        after = page.next;
        if after.is_none() {
            return Ok(back);
        }
    }
}
