//! What a dead process left in the store: intents without a receipt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use onceward::{Filter, JobId, Onceward, State};

/// More than all jobs of a lane.
const ALL: usize = 500;

/// An intent without a receipt.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) queue: String,
    pub(crate) job: JobId,
}

/// All that was ever left so in one store.
#[derive(Debug)]
pub(crate) struct Left {
    url: String,
    /// How often each step had been sent when a process died.
    sends: BTreeMap<(JobId, String), u32>,
    jobs: BTreeMap<String, BTreeSet<JobId>>,
}

impl Left {
    pub(crate) fn in_store(file: &Path) -> Self {
        Self { url: format!("sqlite://{}", file.display()), sends: BTreeMap::new(), jobs: BTreeMap::new() }
    }

    /// Looks at once after a death. An older doubt that was being looked at is not told again.
    pub(crate) async fn look(&mut self) -> Vec<Open> {
        let once = Onceward::open(&self.url).await.unwrap();
        let mut open = Vec::new();
        for job in once.jobs(&Filter::state(State::Running), ALL, None).await.unwrap().items {
            for step in once.effects(job.id).await.unwrap() {
                let known = self.sends.entry((job.id, step.step)).or_default();
                if step.state == "sending" && step.sends > *known {
                    *known = step.sends;
                    open.push(Open { queue: job.queue.clone(), job: job.id });
                }
            }
        }
        once.close().await;
        for it in &open {
            self.jobs.entry(it.queue.clone()).or_default().insert(it.job);
        }
        open
    }

    /// The jobs of a channel that were ever left so.
    pub(crate) fn ever(&self, queue: &str) -> BTreeSet<JobId> {
        self.jobs.get(queue).cloned().unwrap_or_default()
    }
}
