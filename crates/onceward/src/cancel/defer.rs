//! When a job that waits may run: now, later, or not before someone releases it.

use crate::store::jobs::{Standing, Verb};
use crate::{Error, JobId, Left, Onceward, Selection, State, Time, job};

/// What became of each job.
type Answers = Vec<(JobId, Result<(), Left>)>;

impl Onceward {
    /// Makes jobs due now: pending ones run, ones in doubt are looked at. A held job is left as it is, as `held`.
    pub async fn run_now(&self, which: impl Into<Selection>) -> Result<Answers, Error> {
        self.each(&which.into(), &RunNow).await
    }

    /// Holds pending jobs until a release, with the reason shown (`approval`, `paused` …).
    ///
    /// # Errors
    /// `Invalid` when the reason is empty, longer than 500 bytes, or has U+0000.
    pub async fn hold(&self, which: impl Into<Selection>, reason: &str) -> Result<Answers, Error> {
        job::reason(reason)?;
        self.each(&which.into(), &Hold(reason.to_owned())).await
    }

    /// Lets held jobs go, at their own time, or now if that is over; or at another one.
    pub async fn release(&self, which: impl Into<Selection>, run_at: Option<Time>) -> Result<Answers, Error> {
        self.each(&which.into(), &Release(run_at)).await
    }

    /// Moves pending jobs to another time. A held job stays held.
    pub async fn reschedule(&self, which: impl Into<Selection>, run_at: Time) -> Result<Answers, Error> {
        self.each(&which.into(), &Reschedule(run_at)).await
    }

    /// Moves pending jobs as [`Onceward::reschedule`] does, where a program does so by a rule: no person asked for that
    /// time, in commits that the store lost either, so they go out as scheduled ones do.
    pub async fn shift(&self, which: impl Into<Selection>, run_at: Time) -> Result<Answers, Error> {
        self.each(&which.into(), &Shift(run_at)).await
    }
}

fn pending(job: &Standing) -> Result<(), Left> {
    if job.state == State::Pending { Ok(()) } else { Err(Left::state(job.id, State::Pending, job.state)) }
}

#[derive(Debug, Clone)]
struct RunNow;

impl Verb for RunNow {
    type Good = ();
    const FROM: &'static [State] = &[State::Pending, State::InDoubt];
    const WHOLE: bool = true;

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        if job.state == State::InDoubt {
            return crate::doubt::look(job);
        }
        pending(job)?;
        if let Some(reason) = &job.held_reason {
            let text = format!("job {} is held ({reason}); release it first", job.id);
            return Err(Left::new("held", text));
        }
        job.run_at = job.now;
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Hold(String);

impl Verb for Hold {
    type Good = ();
    const FROM: &'static [State] = &[State::Pending];

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        pending(job)?;
        job.held_reason = Some(self.0.clone());
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Release(Option<Time>);

impl Verb for Release {
    type Good = ();
    const FROM: &'static [State] = &[State::Pending];

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        pending(job)?;
        if job.held_reason.take().is_none() {
            return Err(Left::new("not_held", format!("job {} is not held; nothing was changed", job.id)));
        }
        job.run_at = self.0.unwrap_or(job.run_at.max(job.now));
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Reschedule(Time);

impl Verb for Reschedule {
    type Good = ();
    const FROM: &'static [State] = &[State::Pending];

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        pending(job)?;
        job.run_at = self.0;
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Shift(Time);

impl Verb for Shift {
    type Good = ();
    const FROM: &'static [State] = &[State::Pending];
    const A_PERSON_MOVES: bool = false;

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        Reschedule(self.0).decide(job)
    }
}
