//! Writing down how attempts ended, a batch at a time, until it is written or the leases are gone.

use std::sync::Arc;

use onceward_db::{ErrorKind, Pending};

use super::attempt::Shared;
use super::{Heard, Told};
use crate::backoff::Backoff;
use crate::settle::Ending;
use crate::store::settle::{Ended, Settle, Settled};
use crate::{Cause, Done, Receipt, State};

/// Settles a batch that has its place in the next turn. Settling twice gets the same answer twice.
pub(super) async fn settle(
    shared: Arc<Shared>,
    mut batch: Vec<Arc<Ended>>,
    pending: Option<Pending<Settled>>,
) {
    let (mut pending, mut failures) = (pending, 0);
    while !batch.is_empty() {
        let answer = match pending.take() {
            Some(pending) => pending.answers().await,
            None => shared.once.db().fold::<Settle>(batch.clone()).await,
        };
        match answer {
            Ok(settled) => {
                shared.settling.over("writing outcomes");
                return told(&shared, &batch, &settled);
            }
            Err(error) => {
                if shared.settling.is_news() {
                    tracing::error!(jobs = batch.len(), %error, "outcomes could not be written; tried again");
                }
                if matches!(error.kind(), ErrorKind::Constraint | ErrorKind::Decode) {
                    batch = apart(&shared, batch);
                }
            }
        }
        batch = without_lost(&shared, batch);
        tokio::time::sleep(Backoff::STORE.after(failures)).await;
        failures += 1;
    }
}

fn told(shared: &Shared, batch: &[Arc<Ended>], settled: &[Settled]) {
    forget(shared, batch);
    let state = |(one, settled): (&Arc<Ended>, &Settled)| match settled {
        Settled::To(state) => Some(*state),
        Settled::LeaseLost => {
            tracing::warn!(job = one.lease.job, "settled too late: the lease was lost; nothing was changed");
            None
        }
    };
    say(shared, batch, batch.iter().zip(settled).map(state));
}

fn say(shared: &Shared, batch: &[Arc<Ended>], states: impl Iterator<Item = Option<State>>) {
    let told = |(one, state): (&Arc<Ended>, Option<State>)| {
        let place = (!one.is_fine()).then(|| one.queue.clone());
        Told { state, place }
    };
    let all = batch.iter().zip(states).map(told).collect();
    // The loop may be gone already; then nobody counts.
    drop(shared.told.send(Heard::Settled(all)));
}

fn forget(shared: &Shared, batch: &[Arc<Ended>]) {
    for one in batch {
        shared.heartbeat.remove(&one.lease);
    }
}

/// One bad row must not hold up the others: each goes alone, and a lone one goes without what the store choked on.
fn apart(shared: &Arc<Shared>, batch: Vec<Arc<Ended>>) -> Vec<Arc<Ended>> {
    if let [one] = batch.as_slice() {
        return vec![Arc::new(Ended { ending: plain(&one.ending), ..Ended::clone(one) })];
    }
    for one in batch {
        tokio::spawn(boxed(shared.clone(), one));
    }
    Vec::new()
}

/// A future that contains itself needs a box.
fn boxed(shared: Arc<Shared>, one: Arc<Ended>) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(settle(shared, vec![one], None))
}

fn without_lost(shared: &Shared, batch: Vec<Arc<Ended>>) -> Vec<Arc<Ended>> {
    let (held, lost): (Vec<_>, Vec<_>) =
        batch.into_iter().partition(|one| shared.heartbeat.holds(&one.lease));
    if !lost.is_empty() {
        say(shared, &lost, std::iter::repeat(None));
        forget(shared, &lost);
    }
    held
}

/// The same ending without what the store might choke on: recording an outcome cannot fail.
fn plain(ending: &Ending) -> Ending {
    Ending::Returned(match ending {
        Ending::Returned(Ok(Done::Receipt(receipt))) => {
            Ok(Done::Receipt(Receipt { detail: serde_json::Value::Null, ..receipt.clone() }))
        }
        Ending::Returned(Err(failure)) => {
            let cause =
                Cause::new(failure.cause().code.clone(), "the text of this error could not be stored");
            Err(failure.clone().because(cause))
        }
        Ending::Returned(Ok(done)) => Ok(done.clone()),
        Ending::Expired => Ok(Done::Interrupted),
    })
}
