//! Another budget for dead jobs. Nothing is sent over an effect that may have happened.

use crate::cancel::CHUNK;
use crate::effect::EffectState;
use crate::look::Walk;
use crate::store::jobs::{Past, Standing, Verb};
use crate::{Error, JobId, Left, Onceward, Selection, State, payload};

/// How to revive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviveOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// At most so many jobs, the oldest first.
    pub limit: Option<usize>,
    /// With another payload (JSON). For one job by its id, and only while none of its effects was accepted.
    pub set_payload: Option<String>,
    /// Send again what may have happened already. For one job by its id, and only after the quiet period of what its ledger
    /// knows. A send in commits that the store lost has none: whoever says so then has looked for it.
    pub may_repeat: bool,
}

/// What a revive did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revived {
    /// Pending now, with a new budget.
    pub revived: Vec<JobId>,
    /// In doubt now: what may have happened is found out first.
    pub to_verify: Vec<JobId>,
    /// Left as they are, and why.
    pub left: Vec<(JobId, Left)>,
}

impl Onceward {
    /// Gives dead jobs another budget of tries; attempt numbers go on. Discarded ones are left as they are.
    ///
    /// A job with an effect that may have happened is never part of a bulk revive. Alone, by its id, it goes to
    /// `in_doubt`, to be verified, or parked where nothing can look.
    ///
    /// # Errors
    /// `Invalid` when the payload breaks a limit, or an option for one job meets several.
    pub async fn revive(
        &self,
        which: impl Into<Selection>,
        options: &ReviveOptions,
    ) -> Result<Revived, Error> {
        let which = which.into();
        let alone = which.one().is_some();
        check(options, alone)?;
        let verb = Revive { alone, options: options.clone() };
        let mut walk = Walk::new(self, &which, Revive::FROM)?;
        let mut out = Revived::default();
        loop {
            let done = out.revived.len() + out.to_verify.len();
            let most = options.limit.map_or(CHUNK, |limit| limit.saturating_sub(done).min(CHUNK));
            let ids = walk.next(most).await?;
            if ids.is_empty() {
                return Ok(out);
            }
            for (id, answer) in self.change(ids, &verb).await? {
                match answer {
                    Ok(State::InDoubt) => out.to_verify.push(id),
                    Ok(_) => out.revived.push(id),
                    Err(left) => out.left.push((id, left)),
                }
            }
        }
    }
}

fn check(options: &ReviveOptions, alone: bool) -> Result<(), Error> {
    if let Some(json) = &options.set_payload {
        payload::check(json)?;
    }
    if !alone && (options.set_payload.is_some() || options.may_repeat) {
        let text = "another payload, and sending again what may have happened, are for one job by its id";
        return Err(Error::invalid("one_job_only", text));
    }
    Ok(())
}

#[derive(Debug, Clone)]
struct Revive {
    alone: bool,
    options: ReviveOptions,
}

impl Verb for Revive {
    type Good = State;
    const FROM: &'static [State] = &[State::Dead];
    const WHOLE: bool = true;

    fn dry_run(&self) -> bool {
        self.options.dry_run
    }

    fn decide(&self, job: &mut Standing) -> Result<State, Left> {
        self.may(job)?;
        (job.tries, job.crashes, job.lone, job.stop) = (0, 0, false, false);
        if job.open > 0 && !self.repeats() {
            job.look_now();
            return Ok(job.state);
        }
        repeat(job);
        if self.options.may_repeat {
            job.past = Past::AnsweredFor;
        }
        job.pend(job.now);
        if let Some(json) = &self.options.set_payload {
            thaw(job);
            job.payload = Some(json.clone());
        }
        Ok(job.state)
    }
}

impl Revive {
    /// Whether what may have happened is sent again.
    fn repeats(&self) -> bool {
        #[cfg(test)]
        if crate::planted::has(crate::planted::Planted::ReviveOverOpenEffect) {
            return true;
        }
        self.options.may_repeat
    }

    fn may(&self, job: &Standing) -> Result<(), Left> {
        let id = job.id;
        if job.state != State::Dead {
            return Err(Left::state(id, State::Dead, job.state));
        }
        if let Some(at) = job.discard_at {
            return Err(super::discard::already(id, at));
        }
        if let Some(other) = job.holder.filter(|holder| *holder != id) {
            return Err(Left::new("key_taken", format!("job {other} has the dedup key of job {id} now")));
        }
        if job.open > 0 && !self.alone {
            let text = format!("job {id} may have happened already: revive it alone, by its id, to find out");
            return Err(Left::new("effect_open", text));
        }
        if self.options.set_payload.is_some() {
            may_change(job)?;
        }
        match job.quiet_until() {
            Some(until) if self.options.may_repeat => Err(quiet(id, until)),
            _ => Ok(()),
        }
    }
}

fn may_change(job: &Standing) -> Result<(), Left> {
    if job.steps.iter().any(|step| step.state == EffectState::Accepted) {
        let text = format!("part of job {} was accepted already: enqueue a new job instead", job.id);
        return Err(Left::new("effect_accepted", text));
    }
    if job.open > 0 || job.past == Past::MaybeSent {
        let text = format!("job {} may have happened with its present payload: find that out first", job.id);
        return Err(Left::new("effect_open", text));
    }
    Ok(())
}

/// What was frozen and did not happen counts as refused, so that the new payload is frozen anew, with a key of its own.
fn thaw(job: &mut Standing) {
    for step in job.steps.iter_mut().filter(|step| step.state == EffectState::Prepared) {
        step.state = EffectState::Refused;
        step.view.response =
            Some(r#"{"code":"edited","text":"the payload was changed before it was sent"}"#.to_owned());
    }
}

/// Makes open effects ready to be sent again: a person answers for that.
pub(crate) fn repeat(job: &mut Standing) {
    for step in job.open_steps() {
        step.state = EffectState::Prepared;
        step.absent = 0;
        (step.view.looks, step.view.check_at) = (0, None);
    }
    job.open = 0;
}

pub(crate) fn quiet(id: JobId, until: crate::Time) -> Left {
    let text = format!("job {id} may still happen until {until}; say so after that");
    Left::new("quiet_period", text)
}
