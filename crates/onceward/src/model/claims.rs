//! The model of leases: who gets which job, and whose time is over.

use onceward_db::Time;

use super::endings::Ending;
use super::rows::JobRow;
use super::state::{Job, LEASE, Model};
use crate::{JobId, Lease, Purpose, State};

impl Model {
    /// Doubts first, then what is due; the longest due first.
    pub(super) fn claim(&mut self, most: u32, lone: bool, token: &str, owner: &str) -> Vec<(JobId, Purpose)> {
        let most = most as usize;
        if self.paused || self.not_before.is_some_and(|at| at > self.now) {
            return Vec::new();
        }
        let mut jobs: Vec<(JobId, Purpose)> = Vec::new();
        jobs.extend(self.due(lone, doubt).into_iter().take(most).map(|id| (id, Purpose::Verify)));
        let free = most - jobs.len();
        jobs.extend(self.due(lone, work).into_iter().take(free).map(|id| (id, Purpose::Run)));
        let until = self.now.after(LEASE);
        for (id, purpose) in &jobs {
            if let Some(job) = self.jobs.get_mut(id) {
                (job.row.state, job.row.purpose) = (State::Running, Some(purpose.as_str().to_owned()));
                (job.row.token, job.row.owner) = (Some(token.to_owned()), Some(owner.to_owned()));
                job.row.leased_until = Some(until);
                job.row.attempts += 1;
            }
        }
        jobs.sort_unstable_by_key(|(id, _)| *id);
        jobs
    }

    fn due(&self, lone: bool, at: fn(&Job) -> Option<Time>) -> Vec<JobId> {
        let fits = |(id, job): (&JobId, &Job)| {
            let at = at(job).filter(|at| *at <= self.now && job.row.lone == lone)?;
            Some((at, *id))
        };
        let mut due: Vec<(Time, JobId)> = self.jobs.iter().filter_map(fits).collect();
        due.sort_unstable();
        due.into_iter().map(|(_, id)| id).collect()
    }

    pub(super) fn extend(&mut self, lease: &Lease) -> bool {
        let until = self.now.after(LEASE);
        let job = self.held(lease.job, &lease.token);
        job.map(|job| job.row.leased_until = Some(until)).is_some()
    }

    /// Leases that ran out.
    pub(super) fn expired(&self) -> Vec<Lease> {
        self.leases(|row| row.leased_until.is_some_and(|until| until < self.now))
    }

    pub(super) fn leases(&self, which: impl Fn(&JobRow) -> bool) -> Vec<Lease> {
        let lease = |(id, job): (&JobId, &Job)| Some(Lease { job: *id, token: job.row.token.clone()? });
        self.jobs.iter().filter(|(_, job)| which(&job.row)).filter_map(lease).collect()
    }

    /// Takes leases back, as far as they are still held; gives what became of each.
    pub(super) fn take_back(&mut self, leases: &[Lease]) -> Vec<Option<State>> {
        leases.iter().map(|lease| self.settle(lease, Ending::Expired)).collect()
    }
}

fn doubt(job: &Job) -> Option<Time> {
    job.row.check_at.filter(|_| job.row.state == State::InDoubt)
}

fn work(job: &Job) -> Option<Time> {
    (job.row.state == State::Pending && !job.row.held).then_some(job.row.run_at)
}
