//! Messages become jobs, in one write; what can be none is kept as a dead one.

use onceward::{Cause, Enqueued, Error, NewJob, Time};

use super::{Intake, Rules, Taken};
use crate::source::{Delivery, Source};
use crate::unreadable::{Known, dead_jobs};
use crate::wire;

/// Messages that can be no job, by their places, and why.
type Wrong = Vec<(usize, Cause)>;

impl<S: Source> Intake<S> {
    pub(super) async fn make_jobs(&self, messages: &[Delivery<S::Tag>]) -> Result<(Taken, Wrong), Error> {
        let (now, mut taken) = (Time::now(), Taken::default());
        let (mut jobs, mut places, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (at, Delivery { message, .. }) in messages.iter().enumerate() {
            match wire::job(message, &self.rules.defaults, self.rules.horizon, now) {
                Ok(job) => {
                    jobs.push(job);
                    places.push(at);
                }
                Err(cause) => wrong.push((at, cause)),
            }
        }
        for (at, answer) in places.into_iter().zip(self.enqueue(jobs).await?) {
            match answer {
                Ok(Enqueued::New(_) | Enqueued::Updated(_)) => taken.jobs += 1,
                Ok(Enqueued::Skipped { .. }) => taken.repeats += 1,
                Err(error) => wrong.push((at, Cause::new(error.code(), error.to_string()))),
            }
        }
        Ok((taken, wrong))
    }

    pub(super) async fn keep_dead(
        &self,
        messages: &[Delivery<S::Tag>],
        wrong: &[(usize, Cause)],
    ) -> Result<(), Error> {
        let others = self.bury(messages, wrong, Known::ById).await?;
        self.bury(messages, &others, Known::ByAll).await.map(drop)
    }

    /// Keeps them as dead jobs; gives those whose id another message has.
    async fn bury(
        &self,
        messages: &[Delivery<S::Tag>],
        wrong: &[(usize, Cause)],
        known: Known,
    ) -> Result<Wrong, Error> {
        let Rules { defaults, horizon, .. } = &self.rules;
        let (mut jobs, mut of) = (Vec::new(), Vec::new());
        for one @ (at, cause) in wrong {
            for job in dead_jobs(&messages[*at].message, defaults, *horizon, cause, known) {
                jobs.push(job);
                of.push(one);
            }
        }
        let mut others = Vec::new();
        for (one, answer) in of.into_iter().zip(self.enqueue(jobs).await?) {
            match answer {
                Err(Error::MessageConflict { .. }) if known == Known::ById => others.push(one.clone()),
                answer => drop(answer?),
            }
        }
        Ok(others)
    }

    async fn enqueue(&self, jobs: Vec<NewJob>) -> Result<Vec<Result<Enqueued, Error>>, Error> {
        if jobs.is_empty() { Ok(Vec::new()) } else { self.once.enqueue_each(jobs).await }
    }
}
