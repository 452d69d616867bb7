//! Jobs whose effect may have happened: looking again, or a person's word.

use crate::dead::{Group, quiet, repeat};
use crate::effect::EffectState;
use crate::store::doubt::Step;
use crate::store::jobs::{Change, Past, Standing, Verb};
use crate::{Cause, Error, JobId, Left, Onceward, Receipt, Selection, State};

/// What a person found out about a job in doubt, or about one that waits and may have been sent in commits that the store
/// lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It happened.
    Happened {
        /// Where it can be seen.
        url: Option<String>,
    },
    /// It did not happen. Taken only after the quiet period: until then it still may. A job that waits goes on waiting, and
    /// its ledger has no such period: whoever says so has looked for it.
    DidNotHappen,
    /// Nobody will find out: dead.
    GiveUp,
}

impl Onceward {
    /// Jobs in doubt by why they are, the largest group first.
    pub async fn doubt_groups(&self) -> Result<Vec<Group>, Error> {
        let mut reader = self.db().reader().await?;
        Ok(crate::store::doubt::groups(&mut reader.conn()).await?)
    }

    /// Looks at jobs in doubt again, now, with a fresh budget of looks. Where nothing can look, a person must.
    pub async fn verify(&self, which: impl Into<Selection>) -> Result<Vec<(JobId, Result<(), Left>)>, Error> {
        self.each(&which.into(), &Verify).await
    }

    /// Settles a doubt by a person's word; gives the job's new state.
    ///
    /// # Errors
    /// `NotFound`; `NotNow` with `not_in_doubt` when it was settled meanwhile, or with `quiet_period` and until when
    /// it may still happen. Then nothing was changed.
    pub async fn resolve(&self, id: JobId, resolution: Resolution) -> Result<State, Error> {
        if let Resolution::Happened { url: Some(url) } = &resolution {
            check_url(url)?;
        }
        let mut answers = self.db().fold::<Change<Resolve>>(vec![(id, Resolve(resolution))]).await?;
        Ok(answers.pop().unwrap_or_else(|| Err(Left::not_found(id)))?)
    }
}

fn check_url(url: &str) -> Result<(), Error> {
    if url.len() > 2048 || url.chars().any(char::is_control) {
        return Err(Error::invalid("bad_url", "the address: expected at most 2048 bytes on one line"));
    }
    Ok(())
}

#[derive(Debug, Clone)]
struct Verify;

impl Verb for Verify {
    type Good = ();
    const FROM: &'static [State] = &[State::InDoubt];
    const WHOLE: bool = true;

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        look(job)
    }
}

pub(crate) fn look(job: &mut Standing) -> Result<(), Left> {
    if job.state != State::InDoubt {
        return Err(Left::state(job.id, State::InDoubt, job.state));
    }
    job.look_now();
    if job.check_at.is_none() {
        let text =
            format!("nothing can look whether job {} happened: a person must, then resolve it", job.id);
        return Err(Left::new("cannot_look", text));
    }
    Ok(())
}

#[derive(Debug, Clone)]
struct Resolve(Resolution);

impl Verb for Resolve {
    type Good = State;
    const FROM: &'static [State] = &[State::InDoubt];
    const WHOLE: bool = true;

    fn decide(&self, job: &mut Standing) -> Result<State, Left> {
        if job.state == State::Pending && job.past == Past::MaybeSent {
            return waiting(job, &self.0);
        }
        if job.state != State::InDoubt {
            return Err(Left::state(job.id, State::InDoubt, job.state));
        }
        match &self.0 {
            Resolution::Happened { url } => happened(job, url.as_deref()),
            Resolution::DidNotHappen => did_not_happen(job)?,
            Resolution::GiveUp => give_up(job),
        }
        Ok(job.state)
    }
}

/// A job that waits, and of which only lost commits could tell more.
fn waiting(job: &mut Standing, resolution: &Resolution) -> Result<State, Left> {
    match resolution {
        Resolution::DidNotHappen => job.past = Past::AnsweredFor,
        Resolution::Happened { .. } if !job.steps.is_empty() => {
            let text =
                format!("part of job {} is on its way: it is found out step by step when it runs", job.id);
            return Err(Left::new("effect_open", text));
        }
        Resolution::Happened { url } => happened(job, url.as_deref()),
        Resolution::GiveUp => give_up(job),
    }
    Ok(job.state)
}

fn happened(job: &mut Standing, url: Option<&str>) {
    let said = serde_json::json!({ "said_by": "a person" });
    for step in job.open_steps() {
        step.state = EffectState::Accepted;
        step.view.check_at = None;
        step.view.response = Some(serde_json::json!({ "detail": said }).to_string());
        step.view.remote_url = step.view.remote_url.take().or(url.map(str::to_owned));
    }
    job.open = 0;
    if !is_complete(&job.steps) {
        return go_on(job);
    }
    let seen = job.steps.iter().rev().find_map(|step| step.view.remote_url.clone());
    job.url = url.map(str::to_owned).or(seen).or(job.url.take());
    job.result = Some(Receipt { id: None, url: job.url.clone(), detail: said });
    job.end(State::Done);
}

/// Whether nothing is left for the handler: every step is accepted and one of them closes the job, or a handler
/// without a ledger said that it was in doubt. An older generation of a step was refused and edited.
fn is_complete(steps: &[Step]) -> bool {
    let newest = |step: &&Step| {
        !steps.iter().any(|s| s.view.step == step.view.step && s.view.generation > step.view.generation)
    };
    let accepted = steps.iter().filter(newest).all(|step| step.state == EffectState::Accepted);
    steps.is_empty() || accepted && steps.iter().any(|step| step.view.closes)
}

fn did_not_happen(job: &mut Standing) -> Result<(), Left> {
    if let Some(until) = job.quiet_until() {
        return Err(quiet(job.id, until));
    }
    repeat(job);
    go_on(job);
    Ok(())
}

/// Back to its handler, unless someone said no meanwhile.
fn go_on(job: &mut Standing) {
    if job.stop {
        job.end(State::Cancelled);
    } else {
        job.pend(job.now);
    }
}

/// Its effects stay open: whoever revives it is told.
fn give_up(job: &mut Standing) {
    job.end(State::Dead);
    job.error = Some(Cause::new("given_up", "given up by a person; it may have happened"));
}
