//! What becomes of a job when an attempt ends. Pure: facts in, decision out.

use std::time::Duration;

use crate::circuit::{self, Circuit, CircuitPolicy};
use crate::lease::{Facts, Purpose};
use crate::retry::RetryPolicy;
use crate::{Cause, Done, Failure, Outcome, Receipt, State, Time};

/// Looks at a doubt after which a person must decide.
const MAX_CHECKS: u32 = 12;
/// Crashes, running alone, after which a job is dead.
pub(crate) const MAX_CRASHES: u32 = 3;
/// How long a job may wait behind an open circuit.
pub(crate) const GIVE_UP_AFTER: Duration = Duration::from_hours(72);

/// How an attempt ended.
#[derive(Debug, Clone)]
pub(crate) enum Ending {
    /// Its handler returned, or was stopped and handed back.
    Returned(Outcome),
    /// Its lease ran out: the worker crashed, or lost touch with the store.
    Expired,
}

/// What is known of the queue, where it matters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueueFacts {
    pub policy: Option<CircuitPolicy>,
    pub circuit: Circuit,
    /// `None` when the queue has no circuit.
    pub now: Option<Time>,
}

/// What an ending means for the queue as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Signal {
    Success,
    Outage,
    Answered,
    /// It is not known what happened, and no outage was met: a look that did not find it, an answer that says nothing.
    Unclear,
    WaitUntil(Time),
    AuthNeeded(Cause),
}

/// The decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settlement {
    pub state: State,
    pub run_at: Option<Time>,
    pub tries: u32,
    pub crashes: u32,
    pub lone: bool,
    pub checks: u32,
    pub check_at: Option<Time>,
    pub waiting_since: Option<Time>,
    pub failure: Option<(&'static str, Cause)>,
    pub receipt: Option<Receipt>,
    pub outcome: &'static str,
    pub signal: Option<Signal>,
}

impl Settlement {
    /// All that it means for the queue: whoever is down may have named a time as well.
    pub(crate) fn signals(&self) -> Vec<Signal> {
        let until = self.failure.as_ref().and_then(|(_, cause)| cause.until);
        self.signal.iter().cloned().chain(until.map(Signal::WaitUntil)).collect()
    }
}

/// Decides. `unit` in 0..1 is the random part of a wait.
pub(crate) fn settle(facts: &Facts, ending: &Ending, queue: &QueueFacts, unit: f64) -> Settlement {
    let proposal = match ending {
        Ending::Returned(outcome) => returned(facts, outcome, queue, unit),
        Ending::Expired => expired(facts),
    };
    if facts.open > 0 {
        return in_doubt(facts, proposal, away(ending, queue), unit);
    }
    match proposal.state {
        // Someone cancelled it while it ran; nothing is open, so nothing happened that must be told.
        State::Pending if facts.stop => Settlement { state: State::Cancelled, run_at: None, ..proposal },
        _ => proposal,
    }
}

/// Why a queue as a whole waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Away {
    /// Its peer is down.
    Down,
    /// Its peer wants it to wait, or a person to log in.
    Told,
}

/// Whether an attempt failed for a reason that holds for the whole queue, which waits for it.
fn away(ending: &Ending, queue: &QueueFacts) -> Option<Away> {
    match ending {
        Ending::Returned(Err(Failure::RateLimited { .. } | Failure::AuthNeeded { .. })) => Some(Away::Told),
        Ending::Returned(Err(failure)) if failure.cause().outage && queue.policy.is_some() => {
            Some(Away::Down)
        }
        _ => None,
    }
}

/// The ledger says that something may have happened: whatever the handler says, that comes first. While the peer is
/// away no look is spent: a night without it parks nothing.
fn in_doubt(facts: &Facts, proposal: Settlement, away: Option<Away>, unit: f64) -> Settlement {
    let looked = facts.purpose == Purpose::Verify;
    let checks = facts.checks + u32::from(looked && away.is_none());
    let since = (away == Some(Away::Down)).then(|| facts.waiting_since.unwrap_or(facts.now));
    let given_up = since.is_some_and(|since| facts.now.since(since) > GIVE_UP_AFTER);
    let policy = facts.policy.unwrap_or(RetryPolicy::GENERIC);
    let after = |failures| facts.now.after(policy.wait(failures, unit));
    let look_at = facts.look_at.map(|at| match away {
        Some(_) if looked => at.max(after(1)).max(proposal.run_at.unwrap_or(facts.now)),
        // The look came to nothing that the ledger knows of: it is made again like a try, and not at once.
        None if looked && at <= facts.now => after(checks),
        _ => at,
    });
    Settlement {
        state: State::InDoubt,
        run_at: None,
        receipt: None,
        checks,
        check_at: look_at.filter(|_| checks < MAX_CHECKS && !given_up),
        tries: facts.tries,
        waiting_since: since,
        outcome: "in_doubt",
        ..proposal
    }
}

fn keep(facts: &Facts, state: State, outcome: &'static str) -> Settlement {
    Settlement {
        state,
        run_at: None,
        tries: facts.tries,
        crashes: facts.crashes,
        lone: false,
        checks: 0,
        check_at: None,
        waiting_since: None,
        failure: None,
        receipt: None,
        outcome,
        signal: None,
    }
}

fn returned(facts: &Facts, outcome: &Outcome, queue: &QueueFacts, unit: f64) -> Settlement {
    match outcome {
        Ok(done) => fine(facts, done, queue),
        Err(failure) => {
            let class = failure.class();
            let mut settled = failed(facts, failure, queue, unit);
            settled.failure.get_or_insert_with(|| (class, failure.cause().clone()));
            settled
        }
    }
}

fn fine(facts: &Facts, done: &Done, queue: &QueueFacts) -> Settlement {
    let success = queue.policy.map(|_| Signal::Success);
    match done {
        Done::Receipt(receipt) => {
            Settlement { receipt: Some(receipt.clone()), signal: success, ..keep(facts, State::Done, "done") }
        }
        Done::Nothing => Settlement { signal: success, ..keep(facts, State::Done, "done") },
        Done::Snooze(until) => Settlement {
            run_at: Some(*until),
            waiting_since: facts.waiting_since,
            ..keep(facts, State::Pending, "snoozed")
        },
        Done::Interrupted => Settlement {
            run_at: Some(facts.now),
            waiting_since: facts.waiting_since,
            lone: facts.lone,
            ..keep(facts, State::Pending, "interrupted")
        },
        // The job is still running here, so that transaction was not committed.
        Done::InTransaction => {
            let cause = Cause::new("not_committed", "the transaction of complete_in was not committed");
            retry(facts, &cause, None, 0.5)
        }
    }
}

fn failed(facts: &Facts, failure: &Failure, queue: &QueueFacts, unit: f64) -> Settlement {
    match failure {
        Failure::Transient { cause, .. } if cause.outage && queue.policy.is_some() => {
            outage(facts, cause, queue, unit)
        }
        Failure::Transient { cause, retry_after } => {
            Settlement { signal: answered(queue), ..retry(facts, cause, *retry_after, unit) }
        }
        Failure::RateLimited { until, .. } => Settlement {
            run_at: Some(*until),
            signal: Some(Signal::WaitUntil(*until)),
            ..keep(facts, State::Pending, "rate_limited")
        },
        Failure::AuthNeeded { cause } => Settlement {
            run_at: Some(facts.now),
            signal: Some(Signal::AuthNeeded(cause.clone())),
            ..keep(facts, State::Pending, "auth_needed")
        },
        Failure::Permanent { .. } => {
            Settlement { signal: answered(queue), ..keep(facts, State::Dead, "dead") }
        }
        // A lost answer is an outage like any other. Without a ledger nobody can look: a person decides.
        Failure::InDoubt { cause } if cause.outage && queue.policy.is_some() => {
            Settlement { signal: Some(Signal::Outage), ..keep(facts, State::InDoubt, "in_doubt") }
        }
        Failure::InDoubt { .. } => Settlement {
            signal: queue.policy.map(|_| Signal::Unclear),
            ..keep(facts, State::InDoubt, "in_doubt")
        },
    }
}

fn answered(queue: &QueueFacts) -> Option<Signal> {
    queue.policy.map(|_| Signal::Answered)
}

/// One more failed try, and its wait; or the last one.
fn retry(facts: &Facts, cause: &Cause, retry_after: Option<Duration>, unit: f64) -> Settlement {
    let policy = facts.policy.unwrap_or(RetryPolicy::GENERIC);
    let tries = facts.tries.saturating_add(1);
    let failure = Some(("transient", cause.clone()));
    // Someone who cancelled it has nothing left to decide: it is not dead but cancelled.
    if policy.exhausted(tries) && !facts.stop {
        return Settlement { tries, failure, ..keep(facts, State::Dead, "dead") };
    }
    let wait = policy.wait(tries, unit).max(retry_after.unwrap_or_default());
    Settlement {
        tries,
        failure,
        run_at: Some(facts.now.after(wait)),
        ..keep(facts, State::Pending, "failed")
    }
}

/// The peer is down: unless others get through, that says nothing about this job.
fn outage(facts: &Facts, cause: &Cause, queue: &QueueFacts, unit: f64) -> Settlement {
    let signal = Some(Signal::Outage);
    if circuit::spends_try(queue.circuit.last_success_at, facts.failed_at) {
        return Settlement { signal, ..retry(facts, cause, None, unit) };
    }
    let since = facts.waiting_since.unwrap_or(facts.now);
    if facts.now.since(since) > GIVE_UP_AFTER {
        let cause =
            Cause::new("channel_down", format!("gave up after 3 days without an answer: {}", cause.text));
        return Settlement {
            signal,
            failure: Some(("permanent", cause)),
            ..keep(facts, State::Dead, "dead")
        };
    }
    let policy = facts.policy.unwrap_or(RetryPolicy::GENERIC);
    let run_at = Some(facts.now.after(policy.wait(1, unit)));
    Settlement { signal, run_at, waiting_since: Some(since), ..keep(facts, State::Pending, "outage") }
}

/// A crash counts against a job only if nothing else could have caused it.
fn expired(facts: &Facts) -> Settlement {
    let crashes = facts.crashes + u32::from(facts.lone);
    let cause = Cause::new("crashed", "the worker stopped before this attempt ended");
    let failure = Some(("crashed", cause));
    if crashes >= MAX_CRASHES {
        return Settlement { crashes, failure, ..keep(facts, State::Dead, "crashed") };
    }
    let run_at = Some(facts.now);
    Settlement { crashes, lone: true, failure, run_at, ..keep(facts, State::Pending, "crashed") }
}
