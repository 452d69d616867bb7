//! An imaginary platform. It knows keys, shows late what it accepted, and counts what it did.

use onceward_db::Time;

use super::command::{Fate, Kind};
use super::state::{LAG, WINDOW};
use crate::effect::Entry;
use crate::{JobId, Lease};

#[derive(Default)]
pub(super) struct Platform {
    accepted: Vec<Accepted>,
    /// Sent, and perhaps not yet there.
    pub(super) requests: Vec<Request>,
}

struct Accepted {
    job: JobId,
    step: String,
    at: Time,
}

/// A request that left.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) lease: Lease,
    pub(super) step: String,
    pub(super) class: Kind,
    pub(super) fate: Fate,
    /// It is there by then, or never.
    pub(super) deadline: Time,
    pub(super) arrived: bool,
    /// Its sender waits for the answer.
    pub(super) awaited: bool,
    /// The ledger's row when it was sent.
    pub(super) entry: Entry,
    /// When it is looked for if nothing is heard.
    pub(super) look_at: Option<Time>,
}

impl Platform {
    /// What was sent arrives at the last moment.
    pub(super) fn advance(&mut self, now: Time) {
        for at in 0..self.requests.len() {
            let deadline = self.requests[at].deadline;
            if deadline <= now {
                self.arrive(at, deadline);
            }
        }
        self.requests.retain(|request| request.awaited || !request.arrived);
    }

    pub(super) fn arrive(&mut self, at: usize, now: Time) {
        let request = &mut self.requests[at];
        if request.arrived {
            return;
        }
        request.arrived = true;
        let request = request.clone();
        let known = request.class.is_keyed() && self.knows_key(&request, now);
        if request.fate == Fate::Accepts && !known {
            self.accepted.push(Accepted { job: request.lease.job, step: request.step, at: now });
        }
    }

    /// The key goes with the step: the same bytes within its window are accepted once.
    fn knows_key(&self, request: &Request, now: Time) -> bool {
        self.of(request.lease.job, &request.step).any(|accepted| now < accepted.at.after(WINDOW))
    }

    fn of<'a>(&'a self, job: JobId, step: &'a str) -> impl Iterator<Item = &'a Accepted> {
        self.accepted.iter().filter(move |accepted| accepted.job == job && accepted.step == step)
    }

    pub(super) fn acceptances(&self, job: JobId, step: &str) -> usize {
        self.of(job, step).count()
    }

    /// Whether a look finds it.
    pub(super) fn shows(&self, job: JobId, step: &str, now: Time) -> bool {
        self.of(job, step).any(|accepted| accepted.at.after(LAG) <= now)
    }

    /// The sender is gone, or waits no longer. What it sent arrives all the same.
    pub(super) fn abandon(&mut self, lease: &Lease) {
        self.requests
            .iter_mut()
            .filter(|request| request.lease == *lease)
            .for_each(|request| request.awaited = false);
    }

    pub(super) fn awaits(&self, lease: &Lease, step: &str) -> bool {
        self.requests.iter().any(|request| request.awaited && request.lease == *lease && request.step == step)
    }
}

/// The id that the platform gives; the same for the same key.
pub(super) fn remote_id(job: JobId, step: &str) -> String {
    format!("{job}/{step}")
}
