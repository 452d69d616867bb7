//! Giving up on dead jobs for good, after a time to change one's mind.

use std::time::Duration;

use crate::store::jobs::{Standing, Verb};
use crate::{Error, JobId, Left, Onceward, Selection, State, Time};

/// For how long a discard can be undone.
const UNDO: Duration = Duration::from_mins(5);

impl Onceward {
    /// Marks dead jobs to be cancelled in five minutes. Until then [`Onceward::undiscard`] takes it back. One that is
    /// marked already is left as it is, as `discarded`.
    pub async fn discard(
        &self,
        which: impl Into<Selection>,
    ) -> Result<Vec<(JobId, Result<(), Left>)>, Error> {
        self.each(&which.into(), &Discard).await
    }

    /// Takes a discard back, within its five minutes.
    pub async fn undiscard(
        &self,
        which: impl Into<Selection>,
    ) -> Result<Vec<(JobId, Result<(), Left>)>, Error> {
        self.each(&which.into(), &Undiscard).await
    }
}

#[derive(Debug, Clone)]
struct Discard;

impl Verb for Discard {
    type Good = ();
    const FROM: &'static [State] = &[State::Dead];

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        if job.state != State::Dead {
            return Err(Left::state(job.id, State::Dead, job.state));
        }
        // A second click must not move the end.
        if let Some(at) = job.discard_at {
            return Err(already(job.id, at));
        }
        job.discard_at = Some(job.now.after(UNDO));
        Ok(())
    }
}

/// A job that is about to be ended stands apart until then.
pub(super) fn already(id: JobId, at: Time) -> Left {
    Left::new(
        "discarded",
        format!("job {id} is discarded, final at {at}; to keep it, undiscard it before that"),
    )
}

#[derive(Debug, Clone)]
struct Undiscard;

impl Verb for Undiscard {
    type Good = ();
    const FROM: &'static [State] = &[State::Dead];

    fn decide(&self, job: &mut Standing) -> Result<(), Left> {
        match job.discard_at {
            _ if job.state != State::Dead => Err(Left::state(job.id, State::Dead, job.state)),
            None => Err(Left::new("not_discarded", format!("job {} is not discarded", job.id))),
            Some(at) if at <= job.now => {
                let text =
                    format!("the discard of job {} could be undone until {at}; enqueue it anew", job.id);
                Err(Left::new("too_late", text))
            }
            Some(_) => {
                job.discard_at = None;
                Ok(())
            }
        }
    }
}
