//! Keeps the leases of running jobs, and tells a job what becomes of its lease.

mod told;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

pub(crate) use self::told::{Phase, Told};
use crate::lease::Lease;
use crate::store::leases::{Extend, Keep};
use crate::{Engine, JobId, Onceward};

/// The leases that this worker holds.
#[derive(Debug, Clone)]
pub(crate) struct Heartbeat {
    once: Onceward,
    lease: Duration,
    held: Arc<Mutex<HashMap<JobId, Held>>>,
    stuck: Arc<watch::Sender<Option<JobId>>>,
}

#[derive(Debug)]
struct Held {
    token: String,
    /// The lease is ours at least until then, by the monotonic clock.
    until: Instant,
    /// Not extended beyond: a handler that never ends must not hold its job for ever.
    limit: Instant,
    told: Arc<Told>,
}

impl Heartbeat {
    pub(crate) fn new(once: Onceward, lease: Duration) -> Self {
        Self { once, lease, held: Arc::default(), stuck: Arc::new(watch::Sender::new(None)) }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<JobId, Held>> {
        // The map is whole after any panic: each change of it is one call.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a lease into care. `asked` is from before the claim, so that the lease is never thought longer than it is.
    pub(crate) fn add(&self, lease: &Lease, asked: Instant, longest: Duration) -> Arc<Told> {
        let told = Arc::<Told>::default();
        let (until, limit) = (asked + self.lease, asked + longest);
        self.held().insert(lease.job, Held { token: lease.token.clone(), until, limit, told: told.clone() });
        told
    }

    /// Whether a lease is in care and has not run out, whatever its job was told.
    pub(crate) fn holds(&self, lease: &Lease) -> bool {
        let (held, now) = (self.held(), Instant::now());
        held.get(&lease.job).is_some_and(|one| one.token == lease.token && one.until > now)
    }

    pub(crate) fn remove(&self, lease: &Lease) {
        let mut held = self.held();
        if held.get(&lease.job).is_some_and(|one| one.token == lease.token) {
            held.remove(&lease.job);
        }
    }

    /// Tells every job.
    pub(crate) fn tell_all(&self, phase: Phase) {
        self.held().values().for_each(|held| held.told.tell(phase));
    }

    /// Names a job whose handler blocks its thread, past its time and deaf to every signal.
    pub(crate) fn stuck(&self) -> watch::Receiver<Option<JobId>> {
        self.stuck.subscribe()
    }

    /// Extends until dropped. Three chances a lease.
    pub(crate) async fn run(self) {
        let mut tick = tokio::time::interval(self.lease / 3);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            self.beat().await;
            self.lose_expired();
        }
    }

    async fn beat(&self) {
        let (asked, keeps) = (Instant::now(), self.keeps());
        if keeps.is_empty() {
            return;
        }
        let named: Vec<(JobId, String)> = keeps.iter().map(|keep| (keep.id, keep.token.clone())).collect();
        match tokio::time::timeout(self.lease / 3, self.once.db().fold::<Extend>(keeps)).await {
            Ok(Ok(answers)) => {
                named.iter().zip(answers).for_each(|(one, kept)| self.answered(one, kept, asked));
            }
            Ok(Err(error)) => tracing::warn!(%error, "leases could not be extended; tried again"),
            Err(_) => tracing::warn!("leases could not be extended in time; tried again"),
        }
    }

    fn keeps(&self) -> Vec<Keep> {
        let now = Instant::now();
        let lease = crate::store::micros_of(self.lease);
        let held = self.held();
        let live = held.iter().filter(|(_, one)| one.limit > now);
        live.map(|(id, one)| Keep { id: *id, token: one.token.clone(), lease }).collect()
    }

    fn answered(&self, (id, token): &(JobId, String), kept: bool, asked: Instant) {
        let mut held = self.held();
        let Some(one) = held.get_mut(id).filter(|one| one.token == *token) else { return };
        if kept {
            one.until = asked + self.lease;
        } else if self.once.engine() == Engine::Sqlite {
            // PostgreSQL passes over a row that is being settled, so there only the end of its time is certain.
            one.until = asked;
        }
    }

    /// A handler is dropped as soon as it lets go of its thread; one that does not for another lease is stuck.
    fn lose_expired(&self) {
        let now = Instant::now();
        for (id, one) in self.held().iter().filter(|(_, one)| one.until <= now) {
            if one.told.phase() != Phase::Lost {
                tracing::warn!(job = id, "lease lost");
                one.told.tell(Phase::Lost);
            } else if one.until + self.lease <= now {
                self.stuck.send_replace(Some(*id));
            }
        }
    }
}
