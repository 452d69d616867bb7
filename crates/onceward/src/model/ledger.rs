//! The model of the effect ledger.

use std::time::Duration;

use onceward_db::Time;

use super::command::Kind;
use super::rows::EffectRow;
use super::state::{Effect, Job, Model, TIMEOUT, WINDOW};
use crate::effect::EffectState;
use crate::{JobId, Lease, State};

/// What a lease must have beyond the time that a request may take.
const MARGIN: Duration = Duration::from_secs(1);
/// The longest wait between two repeats.
const LONGEST: Duration = Duration::from_hours(1);

impl Model {
    /// Freezes a request, or finds the frozen one.
    pub(super) fn prepare(
        &mut self,
        lease: &Lease,
        step: &str,
        class: Kind,
        request: &str,
    ) -> Option<Effect> {
        let job = self.held(lease.job, &lease.token)?;
        let generation = match job.newest(step) {
            Some(effect) if effect.row.state == "refused" && effect.row.request != request => {
                effect.row.generation + 1
            }
            Some(effect) => return Some(effect.clone()),
            None => 1,
        };
        let effect = Effect { row: prepared(step, generation, request), class };
        job.effects.push(effect.clone());
        job.effects.sort_by_key(|effect| (effect.row.step.clone(), effect.row.generation));
        Some(effect)
    }

    /// Makes the intent durable; gives when the request must be there.
    pub(super) fn begin(&mut self, lease: &Lease, step: &str) -> Option<Time> {
        let now = self.now;
        let job = self.held(lease.job, &lease.token)?;
        let until = job.row.leased_until.filter(|until| *until >= now.after(TIMEOUT + MARGIN))?;
        if job.row.stop {
            return None;
        }
        let deadline = now.after(TIMEOUT);
        let effect = job.newest(step)?;
        let quiet = until.max(deadline).after(effect.class.lag());
        let row = &mut effect.row;
        (row.state, row.token) = ("sending".to_owned(), Some(lease.token.clone()));
        row.sends += 1;
        row.first_sent_at.get_or_insert(now);
        (row.last_sent_at, row.quiet_until) = (Some(now), Some(quiet));
        row.check_at = match effect.class {
            Kind::Blind => None,
            Kind::LookUp => Some(quiet),
            Kind::Keyed | Kind::KeyedThenLookUp => {
                let end = row.first_sent_at.unwrap_or(now).after(WINDOW / 10 * 9);
                let doubled = (1..row.sends).fold(TIMEOUT, |wait, _| (wait * 2).min(LONGEST));
                let repeat = now.after(doubled).min(end.before(TIMEOUT)).max(deadline);
                let over = repeat >= end && effect.class == Kind::KeyedThenLookUp;
                Some(if over { quiet } else { repeat })
            }
        };
        job.count_open();
        Some(deadline)
    }

    /// An answer counts if its token wrote the intent, whoever has the lease now.
    pub(super) fn answer(
        &mut self,
        lease: &Lease,
        (step, send): (&str, u32),
        state: EffectState,
        check_at: Option<Time>,
    ) -> bool {
        let ours = |effect: &&mut Effect| {
            effect.row.step == step
                && (effect.row.sends == i64::from(send) || state == EffectState::Accepted)
                && effect.row.is_open()
                && effect.row.token.as_deref() == Some(&lease.token)
        };
        let Some(job) = self.jobs.get_mut(&lease.job) else { return false };
        let Some(effect) = job.effects.iter_mut().find(ours) else { return false };
        (effect.row.state, effect.row.check_at) = (state.as_str().to_owned(), check_at);
        self.close(lease.job);
        true
    }

    /// A look found it.
    pub(super) fn found(&mut self, lease: &Lease, step: &str) -> bool {
        let Some(effect) = self.open(lease, step) else { return false };
        (effect.row.state, effect.row.check_at) = ("accepted".to_owned(), None);
        effect.row.looks += 1;
        self.close(lease.job);
        true
    }

    /// A look did not find it.
    pub(super) fn looked(&mut self, lease: &Lease, step: &str, absent: bool, check_at: Option<Time>) -> bool {
        let Some(effect) = self.open(lease, step) else { return false };
        (effect.row.state, effect.row.check_at) = ("unknown".to_owned(), check_at);
        effect.row.looks += 1;
        effect.row.absent += i64::from(absent);
        true
    }

    /// It was absent often enough.
    pub(super) fn gone(&mut self, lease: &Lease, step: &str) -> bool {
        let Some(effect) = self.open(lease, step) else { return false };
        (effect.row.state, effect.row.check_at) = ("prepared".to_owned(), None);
        (effect.row.looks, effect.row.absent) = (0, 0);
        self.close(lease.job);
        true
    }

    fn open(&mut self, lease: &Lease, step: &str) -> Option<&mut Effect> {
        let job = self.held(lease.job, &lease.token)?;
        job.effects.iter_mut().find(|effect| effect.row.step == step && effect.row.is_open())
    }

    /// A doubt with nothing open is looked at again at once.
    fn close(&mut self, id: JobId) {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let before = job.row.open;
        job.count_open();
        if job.row.state == State::InDoubt && before > job.row.open && job.row.open == 0 {
            job.row.check_at = Some(now);
        }
    }
}

impl Job {
    /// Whether one more look could settle an open effect.
    pub(super) fn may_be_found_out(effect: &Effect, now: Time) -> bool {
        let window = super::state::WINDOW / 10 * 9;
        effect.row.is_open()
            && match effect.class {
                Kind::Blind => false,
                Kind::LookUp | Kind::KeyedThenLookUp => true,
                Kind::Keyed => effect.row.first_sent_at.is_some_and(|first| now < first.after(window)),
            }
    }
}

fn prepared(step: &str, generation: i64, request: &str) -> EffectRow {
    EffectRow {
        step: step.to_owned(),
        generation,
        request: request.to_owned(),
        closes: step == "step-0",
        state: "prepared".to_owned(),
        token: None,
        sends: 0,
        looks: 0,
        absent: 0,
        first_sent_at: None,
        last_sent_at: None,
        quiet_until: None,
        check_at: None,
    }
}
