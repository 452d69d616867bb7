//! What must hold after every step, whatever the model says.

use std::collections::BTreeMap;

use super::drive::{Verdict, World, agree, stored};
use super::rows::{JobRow, Rows};
use super::state::is_over;
use crate::{JobId, State};

impl World<'_> {
    /// Reads the store, compares it with the model, and asks the laws.
    pub(super) async fn check(&mut self) -> Verdict {
        let rows = {
            let mut reader = stored(self.once().db().reader().await)?;
            stored(Rows::read(&mut reader.conn()).await)?.kept()
        };
        self.never_accepted_twice()?;
        for (id, job) in &rows.jobs {
            let before = self.seen.get(id);
            law(
                before.is_none_or(|before| !is_over(before.state) || before == job),
                "what is over stays",
                *id,
            )?;
            law(before.is_none_or(|before| before.attempts <= job.attempts), "attempts grow", *id)?;
            let leased = job.token.is_some() && job.leased_until.is_some();
            law(leased == (job.state == State::Running), "running means leased", *id)?;
            law(job.state != State::Pending || job.open == 0, "nothing is sent over an open effect", *id)?;
        }
        self.one_live_job_for_each_key(&rows.jobs)?;
        let expected = self.model.rows().kept();
        agree("figures", &expected.figures, &rows.figures)?;
        for (id, job) in &rows.jobs {
            agree(&format!("job {id}"), &expected.jobs.get(id), &Some(job))?;
        }
        agree("effects", &expected.effects, &rows.effects)?;
        agree("keys", &expected.keys, &rows.keys)?;
        agree("jobs", &expected.jobs.len(), &rows.jobs.len())?;
        self.seen = rows.jobs;
        Ok(())
    }

    fn never_accepted_twice(&self) -> Verdict {
        for (id, job) in self.model.jobs.iter().filter(|(_, job)| !job.dared) {
            for effect in &job.effects {
                let once = self.model.platform.acceptances(*id, &effect.row.step) <= 1;
                law(once, "at most one acceptance for a step", *id)?;
            }
        }
        Ok(())
    }

    /// A key held for an hour may have a new job while its old one still waits.
    fn one_live_job_for_each_key(&self, jobs: &BTreeMap<JobId, JobRow>) -> Verdict {
        let mut holders = BTreeMap::<u8, JobId>::new();
        for (id, job) in self.model.jobs.iter().filter(|(_, job)| !job.lapses) {
            let live = jobs.get(id).is_some_and(|row| !super::state::is_settled(row.state));
            if let (Some(key), true) = (job.key, live) {
                law(holders.insert(key, *id).is_none(), "one job for each key", *id)?;
            }
        }
        Ok(())
    }
}

fn law(holds: bool, name: &str, job: JobId) -> Verdict {
    if holds { Ok(()) } else { Err(super::drive::broken(format!("law broken by job {job}: {name}"))) }
}
