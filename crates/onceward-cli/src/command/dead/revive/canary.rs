//! The first few jobs, and whether they fail again.

use std::time::Duration;

use onceward::{Filter, JobId, JobView, State};

use crate::command::Run;
use crate::command::select::jobs;
use crate::exit::Exit;
use crate::output::call;
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;

/// How often to look without being told of a change: a message may be lost.
const POLL: Duration = Duration::from_secs(1);

/// What became of the first few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sang {
    /// All are done.
    Well,
    /// One failed again, or the wait was interrupted: the others stay dead.
    Badly(Exit),
}

/// Whether a worker serves the queues of these jobs; without one nobody would ever know how the first ones fare.
///
/// # Errors
/// `no_worker`: the queue, and how to get it served. Nothing was revived.
pub(super) async fn served(store: &Store, ids: &[JobId]) -> Result<(), Stop> {
    match unserved(store, ids).await? {
        None => Ok(()),
        Some(queue) => Err(no_worker(&queue, "nothing was revived")),
    }
}

/// The first queue of these jobs that no worker serves.
async fn unserved(store: &Store, ids: &[JobId]) -> Result<Option<String>, Stop> {
    let workers = store.once.status().await?.workers;
    let is_served = |job: &JobView| workers.iter().any(|worker| worker.queues.contains(&job.queue));
    let page = store.once.jobs(&Filter::ids(ids.iter().copied()), ids.len().max(1), None).await?;
    Ok(page.items.iter().find(|job| !is_served(job)).map(|job| job.queue.clone()))
}

fn no_worker(queue: &str, so_far: &str) -> Stop {
    let text = format!(
        "no worker serves {queue}, so nobody would run the first ones; {so_far}. Start `onceward work` beside this \
         command and run it again"
    );
    Stop::failed("no_worker", text)
}

/// Waits until all are done, or the first fails again.
pub(super) async fn watch(run: &Run, store: &Store, ids: &[JobId]) -> Result<Sang, Stop> {
    let mut signals = Signals::catch()?;
    run.output.note(&format!("waiting for the first {}", jobs(ids.len())));
    let mut changes = store.once.db().changes();
    loop {
        let page = store.once.jobs(&Filter::ids(ids.iter().copied()), ids.len().max(1), None).await?;
        if let Some(sang) = judge(&page.items) {
            if let Sang::Badly(_) = sang {
                call("the first ones failed again; the others stay dead: onceward dead groups");
            }
            return Ok(sang);
        }
        tokio::select! {
            () = changes.next() => {}
            () = tokio::time::sleep(POLL) => {
                // A worker that leaves is told from one that is slow: it is not there any more.
                if let Some(queue) = unserved(store, ids).await? {
                    return Err(no_worker(&queue, "the first ones wait, the others stay dead"));
                }
            }
            exit = signals.next() => return Ok(Sang::Badly(exit)),
        }
    }
}

/// A failed try is enough: the others would fail like it.
fn judge(jobs: &[JobView]) -> Option<Sang> {
    let dead = jobs.iter().any(|job| matches!(job.state, State::Dead | State::Cancelled));
    let doubt = jobs.iter().any(|job| job.state == State::InDoubt);
    let failed = jobs.iter().any(|job| job.tries > 0 || job.crashes > 0);
    let done = jobs.iter().all(|job| job.state == State::Done);
    match () {
        () if done => Some(Sang::Well),
        () if doubt => Some(Sang::Badly(Exit::InDoubt)),
        () if dead => Some(Sang::Badly(Exit::Dead)),
        () if failed => Some(Sang::Badly(Exit::Unsettled)),
        () => None,
    }
}
