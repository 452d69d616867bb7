//! The model: what the store should hold, in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward_db::Time;

use super::command::{Kind, Mode};
use super::platform::Platform;
use super::rows::{EffectRow, JobRow, KeyRow, Rows};
use crate::{Class, Fallback, JobId, State, payload};

pub(super) const KIND: &str = "walk";
pub(super) const LEASE: Duration = Duration::from_mins(1);
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
pub(super) const LAG: Duration = Duration::from_secs(30);
pub(super) const WINDOW: Duration = Duration::from_hours(1);

pub(super) struct Model {
    pub(super) now: Time,
    pub(super) jobs: BTreeMap<JobId, Job>,
    pub(super) keys: BTreeMap<u8, Key>,
    pub(super) platform: Platform,
    pub(super) skipped: i64,
    /// Attempts by the figure that counts them.
    pub(super) attempts: BTreeMap<&'static str, i64>,
    pub(super) not_before: Option<Time>,
    pub(super) paused: bool,
}

pub(super) struct Job {
    pub(super) row: JobRow,
    pub(super) effects: Vec<Effect>,
    pub(super) key: Option<u8>,
    /// Its key is held for a time only.
    pub(super) lapses: bool,
    /// A person has sent it again, knowing that it may have happened.
    pub(super) dared: bool,
}

#[derive(Clone)]
pub(super) struct Effect {
    pub(super) row: EffectRow,
    pub(super) class: Kind,
}

pub(super) struct Key {
    pub(super) job: JobId,
    pub(super) payload: u8,
    pub(super) expires_at: Option<Time>,
    pub(super) mode: Mode,
}

impl Model {
    pub(super) fn new(now: Time) -> Self {
        let (jobs, keys, attempts) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let platform = Platform::default();
        Self { now, jobs, keys, platform, skipped: 0, attempts, not_before: None, paused: false }
    }

    /// The job, if this token holds its lease.
    pub(super) fn held(&mut self, id: JobId, token: &str) -> Option<&mut Job> {
        self.jobs.get_mut(&id).filter(|job| job.row.token.as_deref() == Some(token))
    }

    pub(super) fn rows(&self) -> Rows {
        let effects = self.jobs.iter().filter(|(_, job)| !job.effects.is_empty());
        let key = |(key, held): (&u8, &Key)| {
            let payload_hash = payload::hash(KIND, &body(held.payload)).unwrap_or_default();
            let row = KeyRow { job: held.job, payload_hash, expires_at: held.expires_at };
            (payload::key_hash(&key_name(*key)), row)
        };
        Rows {
            jobs: self.jobs.iter().map(|(id, job)| (*id, job.row.clone())).collect(),
            effects: effects
                .map(|(id, job)| (*id, job.effects.iter().map(|effect| effect.row.clone()).collect()))
                .collect(),
            keys: self.keys.iter().map(key).collect(),
            figures: self.figures(),
        }
    }

    fn figures(&self) -> BTreeMap<String, i64> {
        let mut figures = BTreeMap::from([("skipped".to_owned(), self.skipped)]);
        for job in self.jobs.values() {
            *figures.entry(job.row.state.to_string()).or_default() += 1;
        }
        figures.extend(self.attempts.iter().map(|(name, n)| ((*name).to_owned(), *n)));
        figures.retain(|_, n| *n != 0);
        figures
    }
}

impl Job {
    /// Counts its open effects anew.
    pub(super) fn count_open(&mut self) {
        self.row.open = self.effects.iter().filter(|effect| effect.row.is_open()).map(|_| 1).sum();
    }

    pub(super) fn newest(&mut self, step: &str) -> Option<&mut Effect> {
        self.effects.iter_mut().rev().find(|effect| effect.row.step == step)
    }

    /// Until when an open effect may still happen.
    pub(super) fn quiet_until(&self) -> Option<Time> {
        let open = self.effects.iter().filter(|effect| effect.row.is_open());
        open.filter_map(|effect| effect.row.quiet_until).max()
    }
}

impl Kind {
    pub(super) fn class(self) -> Class {
        match self {
            Self::Blind => Class::Blind,
            Self::LookUp => Class::LookUp { lag: LAG },
            Self::Keyed => Class::Keyed { window: WINDOW, fallback: Fallback::Blind },
            Self::KeyedThenLookUp => Class::Keyed { window: WINDOW, fallback: Fallback::LookUp { lag: LAG } },
        }
    }

    pub(super) fn is_keyed(self) -> bool {
        matches!(self, Self::Keyed | Self::KeyedThenLookUp)
    }

    pub(super) fn looks(self) -> bool {
        matches!(self, Self::LookUp | Self::KeyedThenLookUp)
    }

    pub(super) fn lag(self) -> Duration {
        if self.looks() { LAG } else { Duration::ZERO }
    }
}

pub(super) fn is_over(state: State) -> bool {
    matches!(state, State::Done | State::Cancelled)
}

/// Done, dead or cancelled.
pub(super) fn is_settled(state: State) -> bool {
    is_over(state) || state == State::Dead
}

pub(super) fn body(payload: u8) -> String {
    format!("{{\"n\":{payload}}}")
}

pub(super) fn key_name(key: u8) -> String {
    format!("key-{key}")
}
