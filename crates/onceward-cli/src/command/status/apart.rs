//! What stands apart in a queue: jobs that are held or discarded, and queues that nobody serves from here.

use std::collections::{BTreeMap, BTreeSet};

use onceward::{Filter, Onceward, PAGE_LIMIT, QueueView};
use onceward_publish::CHANNEL_MISSING;

use crate::line::Line;
use crate::stop::Stop;

/// What the figures of queues do not tell.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Dead jobs that somebody discarded, by queue: they ask for nobody.
    discarded: BTreeMap<String, u64>,
    /// Queues all of whose held jobs wait until their channel is configured.
    missing: BTreeSet<String>,
}

impl Apart {
    pub(super) async fn look(once: &Onceward, queues: &[QueueView], lines: &[Line]) -> Result<Self, Stop> {
        let mut apart = Self { discarded: discarded(once, queues).await?, ..Self::default() };
        for queue in queues.iter().filter(|queue| queue.figures.held > 0 && !is_served(queue, lines)) {
            let filter = Filter {
                queue: Some(queue.name.clone()),
                held_reason: Some(CHANNEL_MISSING.to_owned()),
                ..Filter::default()
            };
            let most = usize::try_from(queue.figures.held).unwrap_or(PAGE_LIMIT).min(PAGE_LIMIT);
            if once.jobs(&filter, most, None).await?.items.len() == most {
                apart.missing.insert(queue.name.clone());
            }
        }
        Ok(apart)
    }

    pub(super) fn discarded(&self, queue: &str) -> u64 {
        self.discarded.get(queue).copied().unwrap_or(0)
    }

    pub(super) fn all_discarded(&self) -> u64 {
        self.discarded.values().sum()
    }

    /// How many are held, and what lets them go.
    pub(super) fn held(&self, queue: &QueueView) -> Option<String> {
        match queue.figures.held {
            0 => None,
            held if self.missing.contains(&queue.name) => Some(format!("{held} held until it is")),
            held => Some(format!("{held} held: onceward jobs list --state pending --queue {}", queue.name)),
        }
    }

    /// How many are about to be cancelled, and where it can be taken back.
    pub(super) fn given_up(&self, queue: &QueueView) -> Option<String> {
        let count = self.discarded.get(&queue.name)?;
        Some(format!("{count} discarded: onceward dead list --discarded"))
    }
}

/// Those dead jobs that are in no group of dead ones.
async fn discarded(once: &Onceward, queues: &[QueueView]) -> Result<BTreeMap<String, u64>, Stop> {
    if queues.iter().all(|queue| queue.figures.dead == 0) {
        return Ok(BTreeMap::new());
    }
    let groups = once.dead_groups().await?;
    let asking = |queue: &QueueView| -> i64 {
        groups.iter().filter(|group| group.queue == queue.name).map(|group| group.count).sum()
    };
    let each = queues.iter().map(|queue| {
        let asking = u64::try_from(asking(queue)).unwrap_or(0);
        (queue.name.clone(), queue.figures.dead.saturating_sub(asking))
    });
    Ok(each.filter(|(_, count)| *count > 0).collect())
}

fn is_served(queue: &QueueView, lines: &[Line]) -> bool {
    lines.iter().any(|line| line.name == queue.name)
}

fn is_open(queue: &QueueView) -> bool {
    queue.figures.pending + queue.figures.running + queue.figures.in_doubt > 0
}

/// That a queue with jobs is none of those that `onceward work` serves.
pub(super) fn unserved(queue: &QueueView, lines: &[Line]) -> Option<String> {
    (is_open(queue) && !is_served(queue, lines)).then(|| "not in the configuration".to_owned())
}

/// What to start where no worker runs: ours serves the configured queues alone.
pub(super) fn no_worker(queues: &[QueueView], lines: &[Line]) -> String {
    let (served, others): (Vec<_>, Vec<_>) =
        queues.iter().filter(|queue| is_open(queue)).partition(|queue| is_served(queue, lines));
    let others: Vec<&str> = others.iter().map(|queue| queue.name.as_str()).collect();
    let start = "no worker is running: start one with `onceward work`";
    match (served.is_empty(), others.join(", ")) {
        (_, names) if names.is_empty() => start.to_owned(),
        (false, names) => format!("{start}, and the program that serves {names}"),
        (true, names) => format!(
            "no worker is running: start the program that serves {names}; `onceward work` serves the queues of the \
             configuration"
        ),
    }
}
