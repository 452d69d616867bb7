//! Jobs of kinds that this program cannot run. They wait for a worker that can, and that is said once for each kind.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onceward::{Filter, Onceward, State};
use tokio::task::JoinHandle;

use crate::line::Line;
use crate::output::{Output, plain};

/// How often to look.
const EVERY: Duration = Duration::from_mins(1);
/// Jobs of each queue that are looked at; a kind that comes up is found sooner or later.
const MOST: usize = 200;

/// Looks until it is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    looker: Arc<Looker>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Looker {
    output: Output,
    once: Onceward,
    queues: Vec<String>,
    kinds: &'static [&'static str],
    said: Mutex<BTreeSet<String>>,
}

impl Watch {
    pub(super) fn start(
        output: Output,
        once: &Onceward,
        lines: &[Line],
        kinds: &'static [&'static str],
    ) -> Self {
        let queues = lines.iter().map(|line| line.name.clone()).collect();
        let looker = Arc::new(Looker { output, once: once.clone(), queues, kinds, said: Mutex::default() });
        let task = tokio::spawn({
            let looker = looker.clone();
            async move {
                loop {
                    looker.look().await;
                    tokio::time::sleep(EVERY).await;
                }
            }
        });
        Self { looker, task }
    }

    /// Looks once more.
    pub(super) async fn look(&self) {
        self.looker.look().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Looker {
    async fn look(&self) {
        for queue in &self.queues {
            let waiting =
                Filter { queue: Some(queue.clone()), held: Some(false), ..Filter::state(State::Pending) };
            match self.once.jobs(&waiting, MOST, None).await {
                Ok(page) => page.items.iter().for_each(|job| self.see(queue, &job.kind)),
                Err(error) => tracing::warn!(%error, queue, "its waiting jobs could not be looked at"),
            }
        }
    }

    fn see(&self, queue: &str, kind: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.kinds.contains(&kind) && said.insert(kind.to_owned()) {
            let text = format!(
                "jobs of kind {kind} wait in {queue}: this program cannot run them, another worker must"
            );
            self.output.note(&plain(&text));
        }
    }
}
