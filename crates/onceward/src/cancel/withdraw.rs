//! Taking back what has not left, in the transaction that puts something else in its place.

use onceward_db::Conn;

use super::Cancelled;
use crate::store::jobs::{Past, Standing, Verb, change};
use crate::{Error, JobId, Left, Onceward, State};

impl Onceward {
    /// Cancels jobs that wait or are dead, in the caller's transaction, and only if nothing of them has left: all of
    /// them, or none.
    ///
    /// For crates that keep tables of their own beside the queue's. Takes what [`Onceward::enqueue_in`] takes.
    ///
    /// # Errors
    /// `NotNow` or `NotFound` by the first job that cannot be withdrawn. Then nothing was changed, and the transaction
    /// is as good as before.
    pub async fn withdraw_in<'c>(
        &self,
        tx: impl Into<Conn<'c>>,
        jobs: &[JobId],
    ) -> Result<Vec<Cancelled>, Error> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let mut conn = self.adopt(tx).await?;
        // The first look takes the locks, so that the second finds the same.
        self.withdraw(&mut conn, jobs, Withdraw { look: true }).await?;
        self.withdraw(&mut conn, jobs, Withdraw { look: false }).await
    }

    async fn withdraw(
        &self,
        conn: &mut Conn<'_>,
        jobs: &[JobId],
        verb: Withdraw,
    ) -> Result<Vec<Cancelled>, Error> {
        let asked: Vec<_> = jobs.iter().map(|job| (*job, verb)).collect();
        let answers = change(conn, &asked, self.db().clock().test_time()).await?;
        answers.into_iter().map(|answer| answer.map_err(Error::from)).collect()
    }
}

#[derive(Debug, Clone, Copy)]
struct Withdraw {
    look: bool,
}

impl Verb for Withdraw {
    type Good = Cancelled;
    const FROM: &'static [State] = &[State::Pending, State::Dead];
    const WHOLE: bool = true;

    fn decide(&self, job: &mut Standing) -> Result<Cancelled, Left> {
        if !Self::FROM.contains(&job.state) {
            return Err(Left::state(job.id, State::Pending, job.state));
        }
        if !job.steps.is_empty() {
            let text = format!("something of job {} was sent, or may have been; nothing was changed", job.id);
            return Err(Left::new("effect_open", text));
        }
        job.end(State::Cancelled);
        Ok(if job.past == Past::Known { Cancelled::Cancelled } else { Cancelled::Restored })
    }

    fn dry_run(&self) -> bool {
        self.look
    }
}
