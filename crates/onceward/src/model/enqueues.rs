//! The model of enqueuing: one job per key, as long as the key is held.

use std::time::Duration;

use onceward_db::Time;

use super::command::{Ask, Mode};
use super::rows::JobRow;
use super::state::{Job, Key, Model, body};
use crate::{JobId, State};

/// What an enqueue gives.
#[derive(Debug, PartialEq)]
pub(super) enum Took {
    New(JobId),
    Updated(JobId),
    Skipped { existing: JobId, state: State, changed: bool },
    Conflict(JobId),
}

pub(super) fn later(now: Time) -> Time {
    now.after(Duration::from_secs(20))
}

impl Model {
    /// `fresh`: the id of the job, if it is a new one.
    pub(super) fn enqueue(&mut self, ask: &Ask, fresh: JobId) -> Took {
        let Some((key, mode)) = ask.key else { return self.insert(ask, fresh) };
        match self.keys.get(&key).filter(|held| held.expires_at.is_none_or(|at| at > self.now)) {
            None => {
                let expires_at = (mode == Mode::ForAnHour).then(|| self.now.after(Duration::from_hours(1)));
                self.keys.insert(key, Key { job: fresh, payload: ask.payload, expires_at, mode });
                self.insert(ask, fresh)
            }
            Some(held) => {
                let (existing, changed) = (held.job, held.payload != ask.payload);
                self.again(ask, key, existing, changed)
            }
        }
    }

    fn again(&mut self, ask: &Ask, key: u8, existing: JobId, changed: bool) -> Took {
        if changed && !ask.update {
            return Took::Conflict(existing);
        }
        let now = self.now;
        let Some(job) = self.jobs.get_mut(&existing) else { return Took::Conflict(existing) };
        let waits = matches!(job.row.state, State::Pending | State::Dead) && job.effects.is_empty();
        if !(changed && waits) {
            self.skipped += 1;
            return Took::Skipped { existing, state: job.row.state, changed };
        }
        (job.row.payload, job.row.held) = (body(ask.payload), ask.held);
        if ask.later {
            job.row.run_at = later(now);
        }
        self.keys.entry(key).and_modify(|held| held.payload = ask.payload);
        Took::Updated(existing)
    }

    fn insert(&mut self, ask: &Ask, id: JobId) -> Took {
        let row = JobRow {
            state: State::Pending,
            payload: body(ask.payload),
            held: ask.held,
            run_at: if ask.later { later(self.now) } else { self.now },
            attempts: 0,
            tries: 0,
            crashes: 0,
            lone: false,
            open: 0,
            stop: false,
            checks: 0,
            check_at: None,
            purpose: None,
            token: None,
            owner: None,
            leased_until: None,
            settled: None,
            discard_at: None,
            finished_at: None,
        };
        let lapses = ask.key.is_some_and(|(_, mode)| mode == Mode::ForAnHour);
        let key = ask.key.map(|(key, _)| key);
        self.jobs.insert(id, Job { row, effects: Vec::new(), key, lapses, dared: false });
        Took::New(id)
    }
}
