//! The model of what people do. Each gives the job's state afterwards, or the code of why it was left as it is.

use std::time::Duration;

use super::command::{Deed, Mode};
use super::rows::JobRow;
use super::state::{Job, Model, body, is_over, is_settled};
use crate::{JobId, State, Time};

/// For how long a discard can be undone.
const UNDO: Duration = Duration::from_mins(5);

type Answer = Result<State, &'static str>;

impl Model {
    /// `alone`: the job was named by its id.
    pub(super) fn person(&mut self, id: JobId, deed: Deed, alone: bool) -> Answer {
        let now = self.now;
        let holder = self.jobs.get(&id).and_then(|job| self.keys.get(&job.key?)).map(|key| key.job);
        let Some(job) = self.jobs.get_mut(&id) else { return Err("not_found") };
        expects(job.row.state, deed)?;
        let before = job.row.state;
        match deed {
            Deed::Cancel => cancel(&mut job.row, now),
            Deed::Hold => job.row.held = true,
            Deed::Release if !std::mem::take(&mut job.row.held) => return Err("not_held"),
            Deed::Release => {}
            Deed::Discard if job.row.discard_at.is_some() => return Err("discarded"),
            Deed::Discard => job.row.discard_at = Some(now.after(UNDO)),
            Deed::Undiscard => undiscard(&mut job.row, now)?,
            Deed::Verify => verify(job, now)?,
            Deed::SaysItHappened => happened(job, now),
            Deed::SaysItDidNot => did_not_happen(job, now)?,
            Deed::GivesUp => end(&mut job.row, State::Dead, now),
            Deed::Revive { payload, may_repeat } => {
                if holder.is_some_and(|holder| holder != id) && job.row.discard_at.is_none() {
                    return Err("key_taken");
                }
                revive(job, payload, may_repeat, alone, now)?;
            }
        }
        let (after, payload) =
            (job.row.state, if let Deed::Revive { payload, .. } = deed { payload } else { None });
        self.key_follows(id, before != after, after, payload);
        Ok(after)
    }

    fn key_follows(&mut self, id: JobId, moved: bool, state: State, payload: Option<u8>) {
        let now = self.now;
        let Some(key) = self.keys.values_mut().find(|key| key.job == id) else { return };
        key.payload = payload.unwrap_or(key.payload);
        if key.mode == Mode::UntilSettled && (moved || payload.is_some()) {
            key.expires_at = is_settled(state).then(|| key.expires_at.unwrap_or(now));
        }
    }

    /// Ends what was discarded and can no longer be kept; gives how many.
    pub(super) fn carry_out_discards(&mut self) -> u64 {
        let now = self.now;
        let due: Vec<JobId> =
            self.jobs.iter().filter(|(_, job)| job.is_discarded(now)).map(|(id, _)| *id).collect();
        for id in &due {
            if let Some(job) = self.jobs.get_mut(id) {
                end(&mut job.row, State::Cancelled, now);
            }
            self.key_follows(*id, true, State::Cancelled, None);
        }
        due.len() as u64
    }
}

impl Job {
    fn is_discarded(&self, now: Time) -> bool {
        self.row.state == State::Dead && self.row.discard_at.is_some_and(|at| at <= now)
    }
}

/// The states that a deed acts on, and the code where the job is in another one.
fn acts_on(deed: Deed) -> (&'static [State], &'static str) {
    match deed {
        Deed::Cancel => (&[State::Pending, State::Running, State::InDoubt], "not_pending"),
        Deed::Hold | Deed::Release => (&[State::Pending], "not_pending"),
        Deed::Revive { .. } | Deed::Discard | Deed::Undiscard => (&[State::Dead], "not_dead"),
        Deed::Verify | Deed::SaysItHappened | Deed::SaysItDidNot | Deed::GivesUp => {
            (&[State::InDoubt], "not_in_doubt")
        }
    }
}

fn expects(state: State, deed: Deed) -> Result<(), &'static str> {
    let (wanted, code) = acts_on(deed);
    if wanted.contains(&state) { Ok(()) } else { Err(code) }
}

fn end(row: &mut JobRow, state: State, now: Time) {
    row.state = state;
    (row.check_at, row.discard_at, row.finished_at) = (None, None, Some(now));
}

fn pend(row: &mut JobRow, now: Time) {
    (row.state, row.run_at, row.checks) = (State::Pending, now, 0);
    (row.check_at, row.discard_at, row.finished_at) = (None, None, None);
}

/// What may have happened is found out, and never sent again.
fn cancel(row: &mut JobRow, now: Time) {
    if row.state == State::Pending { end(row, State::Cancelled, now) } else { row.stop = true }
}

fn undiscard(row: &mut JobRow, now: Time) -> Result<(), &'static str> {
    match row.discard_at {
        None => Err("not_discarded"),
        Some(at) if at <= now => Err("too_late"),
        Some(_) => {
            row.discard_at = None;
            Ok(())
        }
    }
}

fn verify(job: &mut Job, now: Time) -> Result<(), &'static str> {
    let can = job.effects.iter().any(|effect| Job::may_be_found_out(effect, now));
    if !can && job.row.check_at.is_none() {
        return Err("cannot_look");
    }
    look_now(job, now);
    Ok(())
}

fn look_now(job: &mut Job, now: Time) {
    let mut can = false;
    for effect in job.effects.iter_mut().filter(|effect| Job::may_be_found_out(effect, now)) {
        can = true;
        (effect.row.looks, effect.row.check_at) = (0, Some(now));
    }
    let row = &mut job.row;
    (row.state, row.checks, row.discard_at, row.finished_at) = (State::InDoubt, 0, None, None);
    row.check_at = if can { Some(now) } else { row.check_at.map(|at| at.min(now)) };
}

fn happened(job: &mut Job, now: Time) {
    for effect in job.effects.iter_mut().filter(|effect| effect.row.is_open()) {
        (effect.row.state, effect.row.check_at) = ("accepted".to_owned(), None);
    }
    job.count_open();
    if is_complete(job) { end(&mut job.row, State::Done, now) } else { go_on(&mut job.row, now) }
}

/// Whether its handler has nothing left to do.
fn is_complete(job: &Job) -> bool {
    let rows = || job.effects.iter().map(|effect| &effect.row);
    let replaced = |row: &super::rows::EffectRow| {
        rows().any(|other| other.step == row.step && other.generation > row.generation)
    };
    let all = rows().filter(|row| !replaced(row)).all(|row| row.state == "accepted");
    job.effects.is_empty() || all && rows().any(|row| row.closes)
}

fn did_not_happen(job: &mut Job, now: Time) -> Result<(), &'static str> {
    if job.quiet_until().is_some_and(|until| now < until) {
        return Err("quiet_period");
    }
    repeat(job);
    go_on(&mut job.row, now);
    Ok(())
}

fn repeat(job: &mut Job) {
    for effect in job.effects.iter_mut().filter(|effect| effect.row.is_open()) {
        (effect.row.state, effect.row.check_at) = ("prepared".to_owned(), None);
        (effect.row.looks, effect.row.absent) = (0, 0);
    }
    job.count_open();
}

fn go_on(row: &mut JobRow, now: Time) {
    if row.stop { end(row, State::Cancelled, now) } else { pend(row, now) }
}

fn revive(
    job: &mut Job,
    payload: Option<u8>,
    may_repeat: bool,
    alone: bool,
    now: Time,
) -> Result<(), &'static str> {
    if job.row.discard_at.is_some() {
        return Err("discarded");
    }
    if job.row.open > 0 && !alone {
        return Err("effect_open");
    }
    if payload.is_some() {
        if job.effects.iter().any(|effect| effect.row.state == "accepted") {
            return Err("effect_accepted");
        }
        if job.row.open > 0 {
            return Err("effect_open");
        }
    }
    if may_repeat && job.quiet_until().is_some_and(|until| now < until) {
        return Err("quiet_period");
    }
    let row = &mut job.row;
    (row.tries, row.crashes, row.lone, row.stop) = (0, 0, false, false);
    if row.open > 0 && !may_repeat {
        look_now(job, now);
        return Ok(());
    }
    job.dared |= job.row.open > 0;
    repeat(job);
    pend(&mut job.row, now);
    if let Some(payload) = payload {
        job.row.payload = body(payload);
        let frozen = job.effects.iter_mut().filter(|effect| effect.row.state == "prepared");
        frozen.for_each(|effect| effect.row.state = "refused".to_owned());
    }
    Ok(())
}

impl Model {
    /// The jobs, those first that a deed acts on.
    pub(super) fn candidates(&self, deed: Deed) -> Vec<JobId> {
        let (wanted, _) = acts_on(deed);
        let mut ids: Vec<JobId> = self.jobs.keys().copied().collect();
        ids.sort_by_key(|id| self.jobs.get(id).is_none_or(|job| !wanted.contains(&job.row.state)));
        ids
    }

    /// Whether a person who looked at the platform could say so.
    pub(super) fn is_true(&self, id: JobId, deed: Deed) -> bool {
        let Some(job) = self.jobs.get(&id).filter(|job| !is_over(job.row.state)) else { return true };
        let mut open = job.effects.iter().filter(|effect| effect.row.is_open());
        let there = |effect: &super::state::Effect| self.platform.acceptances(id, &effect.row.step) > 0;
        match deed {
            Deed::SaysItHappened => open.all(there),
            Deed::SaysItDidNot => !open.any(there),
            _ => true,
        }
    }
}
