//! A queue whose peer is down waits as a whole, and its jobs spend no tries on it.
//!
//! ```text
//! Closed ── `failures` outages in a row ──▶ Open ── pause over, one job goes ──▶ HalfOpen
//!    ▲                                        ▲                                    │  │
//!    │                                        └──────── outage: pause × 2 ─────────┘  │
//!    └─────────────────────────── success, or any answer ────────────────────────────┘
//! ```
//!
//! A probe that was a look and found nothing leaves it half open, and the next probe goes at once.
//!
//! An *outage* is a connect error, a time-out or a 5xx. Nothing else opens a circuit: a refused text, a
//! revoked token or a rate limit are answers, and an answer means that the peer is up.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Time;
use crate::time::duration;

/// When a circuit opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CircuitPolicy {
    /// Outages in a row that open it; at least 1, and below the tries of a job.
    pub failures: u32,
    /// The first pause; it doubles with each probe that fails.
    #[serde(with = "duration")]
    pub pause: Duration,
    /// The longest pause.
    #[serde(with = "duration")]
    pub max: Duration,
}

impl Default for CircuitPolicy {
    fn default() -> Self {
        Self { failures: 3, pause: Duration::from_secs(30), max: Duration::from_mins(15) }
    }
}

/// Which key of a policy is wrong, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitError {
    /// It would never be closed.
    NoFailures,
    /// Jobs would be dead (the second value: their tries) before it opens (the first).
    TooManyFailures(u32, u32),
    /// It would never be open.
    Pause,
    /// A longest pause (the first value) below the first one (the second).
    Max(Duration, Duration),
}

impl CircuitPolicy {
    /// Refuses a policy that makes no sense beside jobs of that many tries, and names the key.
    pub fn validate(&self, max_attempts: u32) -> Result<(), CircuitError> {
        match *self {
            Self { failures: 0, .. } => Err(CircuitError::NoFailures),
            Self { failures, .. } if failures >= max_attempts => {
                Err(CircuitError::TooManyFailures(failures, max_attempts))
            }
            Self { pause: Duration::ZERO, .. } => Err(CircuitError::Pause),
            Self { pause, max, .. } if max < pause => Err(CircuitError::Max(max, pause)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for CircuitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFailures => write!(f, "circuit.failures is 0; expected at least 1"),
            Self::TooManyFailures(found, tries) => write!(
                f,
                "circuit.failures is {found}; expected fewer than retry.max_attempts, which is {tries}"
            ),
            Self::Pause => write!(f, "circuit.pause is 0s; expected a wait, such as 30s"),
            Self::Max(found, pause) => write!(
                f,
                "circuit.max is {}; expected at least circuit.pause, which is {}",
                duration::format(*found),
                duration::format(*pause)
            ),
        }
    }
}

impl std::error::Error for CircuitError {}

/// What a queue knows about its peer; kept with the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Circuit {
    /// Whether jobs may go.
    pub state: CircuitState,
    /// When a job of this queue last succeeded.
    pub last_success_at: Option<Time>,
}

/// Whether the jobs of a queue may go to its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CircuitState {
    /// They may.
    Closed {
        /// Outages since the last answer.
        failures: u32,
    },
    /// They wait.
    Open {
        /// When one of them may probe.
        until: Time,
        /// The pause that ends then.
        #[serde(with = "duration")]
        pause: Duration,
        /// When the outage was noticed.
        since: Time,
    },
    /// One of them is probing.
    HalfOpen {
        /// When another one may probe, should nothing be heard of this one (it crashed, or was interrupted).
        until: Time,
        /// The pause before this probe.
        #[serde(with = "duration")]
        pause: Duration,
        /// When the outage was noticed.
        since: Time,
    },
}

impl Default for CircuitState {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

impl CircuitState {
    /// When the outage was noticed; `None` while closed.
    pub const fn open_since(&self) -> Option<Time> {
        match *self {
            Self::Closed { .. } => None,
            Self::Open { since, .. } | Self::HalfOpen { since, .. } => Some(since),
        }
    }
}

/// A change worth recording and telling people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitEvent {
    /// The queue waits from now on.
    Opened {
        /// When it is probed.
        until: Time,
    },
    /// A probe failed.
    StillOpen {
        /// When the next one goes.
        until: Time,
        /// When the outage was noticed.
        since: Time,
    },
    /// The queue moves again.
    Closed {
        /// When the outage had been noticed.
        since: Time,
    },
}

/// A circuit after something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// To store.
    pub circuit: Circuit,
    /// To record, if it changed.
    pub event: Option<CircuitEvent>,
}

/// How many jobs a circuit lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// Any number.
    All,
    /// One, as a probe: call [`on_probe`] when it goes.
    One,
    /// None before that instant.
    None {
        /// When to ask again.
        until: Time,
    },
}

/// After a connect error, a time-out or a 5xx.
///
/// While open nothing changes: it is the late answer of a job that went before.
#[must_use]
pub fn on_outage(circuit: Circuit, policy: &CircuitPolicy, now: Time) -> Step {
    let (state, event) = match circuit.state {
        CircuitState::Closed { failures } => {
            let failures = failures.saturating_add(1);
            if failures < policy.failures {
                (CircuitState::Closed { failures }, None)
            } else {
                let pause = policy.pause.min(policy.max);
                let until = now.after(pause);
                (CircuitState::Open { until, pause, since: now }, Some(CircuitEvent::Opened { until }))
            }
        }
        open @ CircuitState::Open { .. } => (open, None),
        CircuitState::HalfOpen { pause, since, .. } => {
            let pause = pause.saturating_mul(2).min(policy.max);
            let until = now.after(pause);
            (CircuitState::Open { until, pause, since }, Some(CircuitEvent::StillOpen { until, since }))
        }
    };
    Step { circuit: Circuit { state, ..circuit }, event }
}

/// After a job of the queue succeeded.
#[must_use]
pub fn on_success(circuit: Circuit, now: Time) -> Step {
    let last_success_at = circuit.last_success_at.max(Some(now));
    on_answer(Circuit { last_success_at, ..circuit })
}

/// After a failure that is not an outage: the peer answered, so it is up, but no job succeeded.
///
/// Not for a failure before anything was sent: that says nothing about the peer.
#[must_use]
pub fn on_answer(circuit: Circuit) -> Step {
    let event = circuit.state.open_since().map(|since| CircuitEvent::Closed { since });
    Step { circuit: Circuit { state: CircuitState::default(), ..circuit }, event }
}

/// After an attempt that met no outage and does not know what happened, such as a look that found nothing. A probe that
/// ended so has told nothing about sending: the next one need not wait for the pause.
#[must_use]
pub fn on_unclear(circuit: Circuit, now: Time) -> Step {
    let state = match circuit.state {
        CircuitState::HalfOpen { until, pause, since } => {
            CircuitState::HalfOpen { until: until.min(now), pause, since }
        }
        other => other,
    };
    Step { circuit: Circuit { state, ..circuit }, event: None }
}

/// How many jobs may go now. An open circuit whose pause is over lets exactly one through.
pub fn probes(circuit: &Circuit, now: Time) -> Allowance {
    match circuit.state {
        CircuitState::Closed { .. } => Allowance::All,
        CircuitState::Open { until, .. } | CircuitState::HalfOpen { until, .. } if until > now => {
            Allowance::None { until }
        }
        CircuitState::Open { .. } | CircuitState::HalfOpen { .. } => Allowance::One,
    }
}

/// When a job was claimed under [`Allowance::One`]; in the same transaction, or two probes go.
#[must_use]
pub fn on_probe(circuit: Circuit, now: Time) -> Circuit {
    let state = match circuit.state {
        CircuitState::Open { pause, since, .. } | CircuitState::HalfOpen { pause, since, .. } => {
            CircuitState::HalfOpen { until: now.after(pause), pause, since }
        }
        closed @ CircuitState::Closed { .. } => closed,
    };
    Circuit { state, ..circuit }
}

/// Whether a job that is due since `waiting_since` has waited behind this outage for longer than that.
pub fn gave_up(circuit: &Circuit, give_up_after: Duration, waiting_since: Time, now: Time) -> bool {
    circuit.state.open_since().is_some_and(|since| now.since(since.max(waiting_since)) > give_up_after)
}

/// Whether an outage (as this job met it) spends one of the job's tries.
///
/// It does if another job of the queue succeeded since this job's last failure: then it is the job, not the
/// peer. So a night without the peer spends nothing. A job that never failed has no such mark (`None`), and its
/// first outage spends nothing and becomes the mark. A job that always gets a 5xx from a healthy peer therefore
/// runs once more than its tries; one that is alone in its queue is ended by [`gave_up`].
pub fn spends_try(last_success_of_another_job: Option<Time>, last_failure_of_this_job: Option<Time>) -> bool {
    match (last_success_of_another_job, last_failure_of_this_job) {
        (Some(success), Some(failure)) => success > failure,
        _ => false,
    }
}
