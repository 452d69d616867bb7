//! A queue of jobs as a target: in the same database, or in another.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use super::target::{Handing, Handover, Order, Target};
use crate::job::InOrder;
use crate::outbox::{MESSAGE_HORIZON, Message};
use crate::producer::answer;
use crate::store::enqueue::Entered;
use crate::{Cause, Error, NewJob, Onceward};

/// How many hand-overs there were in this process.
static HAND_OVERS: AtomicU64 = AtomicU64::new(0);

/// The job table of a queue.
#[derive(Debug, Clone)]
pub struct JobTarget {
    once: Onceward,
    name: String,
}

impl JobTarget {
    /// A queue under a name for status and logs.
    pub fn new(once: Onceward, name: impl Into<String>) -> Self {
        Self { once, name: name.into() }
    }

    /// All that may go does so in one transaction.
    async fn enqueue(&self, messages: &[Message]) -> Vec<Handover> {
        let hand_over = HAND_OVERS.fetch_add(1, Ordering::Relaxed);
        let (mut order, mut could_conflict) = (Order::default(), BTreeSet::new());
        let mut said: Vec<Option<Handover>> = vec![None; messages.len()];
        let mut jobs: Vec<(usize, NewJob)> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let key = message.ordering_key.as_deref();
            if order.is_behind(message) || key.is_some_and(|key| could_conflict.contains(key)) {
                said[at] = Some(Handover::Behind);
                continue;
            }
            match message.job(MESSAGE_HORIZON) {
                Ok(job) => {
                    let order = key.map(|key| InOrder { hand_over, key: key.to_owned() });
                    jobs.push((at, job.in_order(order)));
                }
                Err(error) => {
                    let refused = refused(&error);
                    order.note(message, &refused);
                    said[at] = Some(refused);
                }
            }
            // Whether a dedup key is in conflict is known after the call: what follows it waits for the next.
            could_conflict.extend(key.filter(|_| message.dedup_key.is_some()));
        }
        let (places, jobs): (Vec<usize>, Vec<NewJob>) = jobs.into_iter().unzip();
        match self.once.enter(jobs).await {
            Ok(answers) => {
                for (at, answer) in places.into_iter().zip(answers) {
                    said[at] = Some(handover(answer));
                }
            }
            Err(error) => {
                let cause = Cause::new(error.code(), error.to_string()).outage();
                for at in places {
                    said[at] = Some(Handover::Later(cause.clone()));
                }
            }
        }
        said.into_iter().map(|said| said.unwrap_or(Handover::Behind)).collect()
    }
}

fn handover(entered: Entered) -> Handover {
    match entered {
        Entered::Behind => Handover::Behind,
        entered => answer(entered).map_or_else(|error| refused(&error), |_| Handover::Taken),
    }
}

fn refused(error: &Error) -> Handover {
    let text = format!("the queue does not take this row: {error} ({})", error.code());
    Handover::Refused(Cause::new(error.code(), text))
}

impl Target for JobTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(self.enqueue(messages))
    }
}
