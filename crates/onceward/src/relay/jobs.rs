//! A queue of jobs as a target: in the same database, or in another.

use std::collections::BTreeSet;
use std::time::Duration;

use super::target::{Handing, Handover, Order, Target};
use crate::outbox::{Message, REPLAY_WINDOW};
use crate::{Cause, Enqueued, Error, NewJob, Onceward};

/// A repeat of a message is known for longer than it can be replayed.
const HORIZON: Duration = REPLAY_WINDOW.saturating_add(Duration::from_hours(24));

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
        let (mut order, mut could_conflict) = (Order::default(), BTreeSet::new());
        let mut said: Vec<Option<Handover>> = vec![None; messages.len()];
        let mut jobs: Vec<(usize, NewJob)> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let key = message.ordering_key.as_deref();
            if order.is_behind(message) || key.is_some_and(|key| could_conflict.contains(key)) {
                said[at] = Some(Handover::Behind);
                continue;
            }
            match message.job(HORIZON) {
                Ok(job) => jobs.push((at, job)),
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
        match self.once.enqueue_each(jobs).await {
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

fn handover(answer: Result<Enqueued, Error>) -> Handover {
    match answer {
        Ok(_) => Handover::Taken,
        Err(error) => refused(&error),
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
