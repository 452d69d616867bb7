//! Saying no, and saying when.

mod defer;
mod withdraw;

use crate::store::jobs::{Change, Past, Standing, Verb};
use crate::{Error, JobId, Left, Onceward, Selection, State};

use crate::look::Walk;

/// How many jobs one transaction of a bulk verb changes.
pub(crate) const CHUNK: usize = 500;

/// What a cancel did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cancelled {
    /// It never happened and never will.
    Cancelled,
    /// It will never happen from here; it may have, in commits that the store lost.
    Restored,
    /// It may have happened already: it is settled, never sent again.
    Stopping,
    /// It was left as it is.
    Left(Left),
}

impl Onceward {
    /// Cancels jobs. One that runs or is in doubt may have happened: it is found out, and never sent again.
    ///
    /// A dead job is left as it is: [`Onceward::discard`] ends it.
    pub async fn cancel(&self, which: impl Into<Selection>) -> Result<Vec<(JobId, Cancelled)>, Error> {
        let answers = self.each(&which.into(), &Cancel).await?;
        Ok(answers.into_iter().map(|(id, answer)| (id, answer.unwrap_or_else(Cancelled::Left))).collect())
    }

    /// Does a verb to each selected job, oldest first, some at a time: each of these transactions stands for itself.
    pub(crate) async fn each<V: Verb + Clone>(
        &self,
        which: &Selection,
        verb: &V,
    ) -> Result<Vec<(JobId, Result<V::Good, Left>)>, Error> {
        let mut walk = Walk::new(self, which, V::FROM)?;
        let mut answers = Vec::new();
        loop {
            let ids = walk.next(CHUNK).await?;
            if ids.is_empty() {
                return Ok(answers);
            }
            answers.extend(self.change(ids, verb).await?);
        }
    }

    /// Does a verb to some jobs in one transaction.
    pub(crate) async fn change<V: Verb + Clone>(
        &self,
        ids: Vec<JobId>,
        verb: &V,
    ) -> Result<Vec<(JobId, Result<V::Good, Left>)>, Error> {
        let asked = ids.iter().map(|id| (*id, verb.clone())).collect();
        let answers = self.db().fold::<Change<V>>(asked).await?;
        Ok(ids.into_iter().zip(answers).collect())
    }
}

#[derive(Debug, Clone)]
struct Cancel;

impl Verb for Cancel {
    type Good = Cancelled;
    const FROM: &'static [State] = &[State::Pending, State::Running, State::InDoubt];

    fn decide(&self, job: &mut Standing) -> Result<Cancelled, Left> {
        match job.state {
            State::Pending => {
                job.end(State::Cancelled);
                Ok(if job.past == Past::Known { Cancelled::Cancelled } else { Cancelled::Restored })
            }
            State::Running | State::InDoubt => {
                job.stop = true;
                Ok(Cancelled::Stopping)
            }
            state => Err(Left::state(job.id, State::Pending, state)),
        }
    }
}
