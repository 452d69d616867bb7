//! What is due when a run until idle ends, and was not for this program to run.

use std::collections::{BTreeMap, BTreeSet};

use onceward::{Filter, PAGE_LIMIT, QueueView, State, Time};
use serde::Serialize;

use crate::command::queues::held_back;
use crate::config::Config;
use crate::exit::Exit;
use crate::line;
use crate::output::{call, plain};
use crate::stop::Stop;
use crate::store::Store;

/// What is left.
#[derive(Debug, Default)]
pub(super) struct Rest {
    pub(super) waiting: Vec<Waiting>,
    /// Jobs that other processes run.
    pub(super) running: u64,
}

/// Due jobs of one kind in one queue.
#[derive(Debug, Serialize)]
pub(super) struct Waiting {
    queue: String,
    kind: String,
    jobs: usize,
    /// Whether there are more than were counted.
    more: bool,
    /// What to do, where it was not said before.
    #[serde(skip)]
    advice: Option<String>,
}

impl Rest {
    /// Looks at the named queues, or at all of them when none is named.
    pub(super) async fn look(store: &Store, named: &[String]) -> Result<Self, Stop> {
        let mut rest = Self::default();
        let now = Time::now();
        for queue in store.once.queues().await? {
            if !named.is_empty() && !named.contains(&queue.name) {
                continue;
            }
            rest.running += queue.figures.running;
            if queue.oldest_due.is_some() {
                rest.waiting.extend(due(store, &queue, advice(&queue, &store.config, now), now).await?);
            }
        }
        Ok(rest)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running == 0
    }

    pub(super) fn exit(&self) -> Exit {
        if self.is_empty() { Exit::Fine } else { Exit::Unsettled }
    }

    pub(super) fn words(&self) -> Vec<String> {
        let waiting = self.waiting.iter().map(|one| {
            let (jobs, more) = (one.jobs, if one.more { " and more" } else { "" });
            format!("{jobs}{more} wait in {} (kind {})", one.queue, one.kind)
        });
        let running = (self.running > 0).then(|| format!("{} run in another process", self.running));
        waiting.chain(running).collect()
    }

    /// What can be done, once for each queue. Kinds that are not known, and secrets that lack, were said before.
    pub(super) fn advise(&self) {
        let advice: BTreeSet<&String> = self.waiting.iter().filter_map(|one| one.advice.as_ref()).collect();
        for text in advice {
            call(&plain(text));
        }
    }
}

fn advice(queue: &QueueView, config: &Config, now: Time) -> Option<String> {
    let name = &queue.name;
    if let Some(why) = held_back(queue, config, now) {
        return Some(format!("queue {name}: {why}"));
    }
    let is_configured = line::lines(config).iter().any(|line| line.name == *name);
    (!is_configured).then(|| {
        format!("queue {name} is not in the configuration: add it, or start the program that runs its jobs")
    })
}

/// The due jobs of a queue by their kind: all of a few, and some of many.
async fn due(
    store: &Store,
    queue: &QueueView,
    advice: Option<String>,
    now: Time,
) -> Result<Vec<Waiting>, Stop> {
    let filter =
        Filter { queue: Some(queue.name.clone()), held: Some(false), ..Filter::state(State::Pending) };
    let (mut kinds, mut after) = (BTreeMap::<String, usize>::new(), None);
    while kinds.is_empty() {
        let page = store.once.jobs(&filter, PAGE_LIMIT, after).await?;
        for job in page.items.into_iter().filter(|job| job.run_at <= now) {
            *kinds.entry(job.kind).or_default() += 1;
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let (queue, more) = (&queue.name, after.is_some());
    let waiting = kinds.into_iter();
    Ok(waiting
        .map(|(kind, jobs)| Waiting { queue: queue.clone(), kind, jobs, more, advice: advice.clone() })
        .collect())
}
