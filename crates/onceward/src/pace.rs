//! How many jobs a claim may take from a queue now.

mod rate;

pub use rate::{Rate, RateError, Taken, take};

use crate::Time;
use crate::circuit::{Allowance, Circuit, probes};

/// All that can hold back the jobs of a queue, read under the lock of its row.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// A person, or a lost login, stopped it.
    pub paused: bool,
    /// The peer asked for quiet until then.
    pub not_before: Option<Time>,
    /// What is known of the peer.
    pub circuit: Circuit,
    /// How many jobs may run at once, of all workers together; `None`: any number.
    pub concurrency: Option<u32>,
    /// How many run now.
    pub running: u32,
    /// How many may start in a span of time; `None`: any number.
    pub rate: Option<Rate>,
    /// What [`take`] left behind last time.
    pub tat: Option<Time>,
}

/// What a claim may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many jobs; at most what was wanted.
    pub take: u32,
    /// Whether that one job is a probe: then [`crate::circuit::on_probe`] is stored with the claim.
    pub probe: bool,
    /// To store with the claim, even when nothing was taken.
    pub tat: Option<Time>,
    /// When there will be (more) room. `None` when the clock does not decide it: there is room still, or
    /// room comes when a job settles or a person resumes the queue.
    pub wait_until: Option<Time>,
}

/// How many more jobs may run at once.
pub fn slots(concurrency: Option<u32>, running: u32) -> u32 {
    concurrency.map_or(u32::MAX, |most| most.saturating_sub(running))
}

/// How many of `want` jobs a claim may take. It takes them: `tat` counts them as started.
///
/// When fewer jobs are found than there is room for, ask again with their number and store that answer.
#[must_use]
pub fn room(gate: &Gate, want: u32, now: Time) -> Room {
    let shut = |wait_until| Room { take: 0, probe: false, tat: gate.tat, wait_until };
    if gate.paused {
        return shut(None);
    }
    let (most, closed_until) = match probes(&gate.circuit, now) {
        Allowance::All => (u32::MAX, None),
        Allowance::One => (1, None),
        Allowance::None { until } => (0, Some(until)),
    };
    let wait_until = gate.not_before.filter(|at| *at > now).max(closed_until);
    if wait_until.is_some() {
        return shut(wait_until);
    }
    let free = slots(gate.concurrency, gate.running).min(most).min(want);
    let taken = match gate.rate {
        Some(rate) => take(rate, gate.tat, now, free),
        None => Taken { granted: free, tat: gate.tat, next: None },
    };
    Room {
        take: taken.granted,
        probe: most == 1 && taken.granted == 1,
        tat: taken.tat,
        wait_until: taken.next,
    }
}

/// Whether nothing but the clock gives room again: not where the peer may be back, or a person lets the queue go on.
pub fn is_firm(gate: &Gate, now: Time) -> bool {
    gate.not_before.is_none_or(|at| at <= now)
        && !matches!(probes(&gate.circuit, now), Allowance::None { .. })
}

/// How many doubts may be looked at. Looks take no share of the rate, but a peer that is down, or asked for quiet, is
/// not asked either.
pub fn looks(gate: &Gate, want: u32, now: Time) -> u32 {
    if gate.paused || gate.not_before.is_some_and(|at| at > now) {
        return 0;
    }
    let most = match probes(&gate.circuit, now) {
        Allowance::All => u32::MAX,
        Allowance::One => 1,
        Allowance::None { .. } => 0,
    };
    slots(gate.concurrency, gate.running).min(most).min(want)
}

/// Whether a job that runs may send once more; a claim has room for one request of each job. Gives what is to be
/// stored, else when to come back.
///
/// # Errors
/// The time before which it may not.
pub fn further(gate: &Gate, now: Time) -> Result<Option<Time>, Time> {
    if gate.paused {
        // Its job waits for the person who resumes the queue, not for the clock.
        return Err(now);
    }
    if let Some(at) = gate.not_before.filter(|at| *at > now) {
        return Err(at);
    }
    let Some(rate) = gate.rate else { return Ok(gate.tat) };
    match take(rate, gate.tat, now, 1) {
        Taken { granted: 0, next, .. } => Err(next.unwrap_or(now)),
        Taken { tat, .. } => Ok(tat),
    }
}
