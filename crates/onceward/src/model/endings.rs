//! The model of what becomes of a job when an attempt ends.

use std::time::Duration;

use super::command::{End, Mode};
use super::enqueues::later;
use super::state::{Job, Model, is_settled};
use crate::retry::RetryPolicy;
use crate::{JobId, Lease, State};

/// Two failures are enough.
pub(super) const POLICY: RetryPolicy = RetryPolicy {
    max_attempts: 2,
    base: Duration::from_secs(10),
    factor: 2.0,
    max: Duration::from_hours(1),
    jitter: 0.0,
};
const CRASHES: i64 = 3;
const LOOKS: i64 = 12;

#[derive(Debug, Clone, Copy)]
pub(super) enum Ending {
    Returned(End),
    Expired,
}

impl Model {
    /// Ends an attempt; gives the job's state, or `None` when the lease was lost. Twice gives the same twice.
    pub(super) fn settle(&mut self, lease: &Lease, ending: Ending) -> Option<State> {
        let now = self.now;
        let Some(job) = self.held(lease.job, &lease.token) else {
            let job = self.jobs.get(&lease.job)?;
            return (job.row.settled.as_deref() == Some(lease.token.as_str())).then_some(job.row.state);
        };
        let verified = job.row.purpose.as_deref() == Some("verify");
        let before = job.row.clone();
        let mut figure = match ending {
            Ending::Returned(end) => returned(job, end, now),
            Ending::Expired => expired(job, now),
        };
        if job.row.open > 0 {
            figure = "attempts_in_doubt";
            (job.row.tries, job.row.run_at) = (before.tries, before.run_at);
            // A look that the queue as a whole stands in the way of is none.
            let wait = match ending {
                Ending::Returned(End::RateLimited) => Some(later(now).max(now.after(POLICY.base))),
                Ending::Returned(End::AuthNeeded) => Some(now.after(POLICY.base)),
                _ => None,
            };
            let looked = verified && wait.is_none();
            in_doubt(job, before.checks + i64::from(looked), wait.filter(|_| verified));
            if looked && job.row.check_at.is_some_and(|at| at <= now) {
                job.row.check_at = Some(now.after(POLICY.wait(job.row.checks.try_into().unwrap_or(1), 0.5)));
            }
        } else if job.row.state == State::Pending && job.row.stop {
            (job.row.state, job.row.run_at) = (State::Cancelled, before.run_at);
        }
        let row = &mut job.row;
        let token = row.token.take();
        if !matches!(ending, Ending::Expired) {
            row.settled = token;
        }
        (row.purpose, row.owner, row.leased_until, row.held) = (None, None, None, false);
        row.finished_at = is_settled(row.state).then_some(now);
        let state = row.state;
        *self.attempts.entry(figure).or_default() += 1;
        self.heed(ending);
        self.free_key(lease.job, state);
        Some(state)
    }

    /// What the attempt said of the queue as a whole.
    fn heed(&mut self, ending: Ending) {
        match ending {
            Ending::Returned(End::RateLimited) => {
                self.not_before = self.not_before.max(Some(later(self.now)));
            }
            Ending::Returned(End::AuthNeeded) => self.paused = true,
            _ => {}
        }
    }

    fn free_key(&mut self, id: JobId, state: State) {
        let now = self.now;
        let mut held = self.keys.values_mut().filter(|key| key.job == id);
        if let Some(key) = held.find(|key| key.mode == Mode::UntilSettled && is_settled(state)) {
            key.expires_at = Some(now);
        }
    }
}

/// The ledger comes first: it looks again at its own time, or a person decides.
fn in_doubt(job: &mut Job, checks: i64, not_before: Option<crate::Time>) {
    let open = job.effects.iter().filter(|effect| effect.row.is_open());
    let look_at = open.filter_map(|effect| effect.row.check_at).min();
    job.row.state = State::InDoubt;
    job.row.checks = checks;
    let look_at = look_at.map(|at| at.max(not_before.unwrap_or(at)));
    job.row.check_at = look_at.filter(|_| checks < LOOKS);
}

fn returned(job: &mut Job, end: End, now: crate::Time) -> &'static str {
    let row = &mut job.row;
    let lone = std::mem::take(&mut row.lone);
    (row.checks, row.check_at, row.state) = (0, None, State::Pending);
    match end {
        End::Receipt | End::Nothing => row.state = State::Done,
        End::Snooze => row.run_at = later(now),
        End::RateLimited => {
            row.run_at = later(now);
            return "attempts_rate_limited";
        }
        End::Interrupted => (row.run_at, row.lone) = (now, lone),
        End::AuthNeeded => row.run_at = now,
        End::Transient | End::NotCommitted => {
            row.tries += 1;
            if row.tries >= i64::from(POLICY.max_attempts) && !row.stop {
                row.state = State::Dead;
            } else {
                row.run_at = now.after(POLICY.base);
            }
            return "attempts_failed";
        }
        End::Permanent => {
            row.state = State::Dead;
            return "attempts_failed";
        }
        End::InDoubt => {
            row.state = State::InDoubt;
            return "attempts_in_doubt";
        }
    }
    if row.state == State::Done { "attempts_done" } else { "attempts_other" }
}

/// It counts only if the job was alone; it is alone next.
fn expired(job: &mut Job, now: crate::Time) -> &'static str {
    let row = &mut job.row;
    (row.checks, row.check_at) = (0, None);
    row.crashes += i64::from(row.lone);
    if row.crashes >= CRASHES {
        (row.state, row.lone) = (State::Dead, false);
    } else {
        (row.state, row.lone, row.run_at) = (State::Pending, true, now);
    }
    "attempts_crashed"
}
