//! Asking for work: a look that takes no turn, then a claim on its way beside whatever runs.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::{BURST, Heard, Running};
use crate::store::leases::{self, Claim, Due, Taken, Want};
use crate::store::queues::limits::Wait;

/// Claims on their way at once: one is taken in while the other is written.
const AT_ONCE: usize = 2;
/// Wait before the store is asked again after it failed.
const STORE_GAP: Duration = Duration::from_millis(500);

/// What a look came to.
pub(super) struct Look {
    /// A claim is on its way.
    pub asked: bool,
    /// Something is due that this worker can take, now or in a moment.
    pub due: bool,
    /// When to look again, at the latest.
    pub wait: Duration,
}

/// So many jobs of a queue.
#[derive(Debug)]
struct Asked {
    queue: String,
    most: u32,
}

/// A claim that came back.
#[derive(Debug)]
pub(super) struct Answer {
    asked: Instant,
    asks: Vec<Asked>,
    /// For each of them; `None` when the store failed.
    taken: Option<Vec<Taken>>,
}

impl Running {
    pub(super) async fn ask(&mut self) -> Look {
        match self.try_ask().await {
            Ok(look) => {
                self.shared.asking.over("asking the store for work");
                look
            }
            Err(error) => {
                if self.shared.asking.is_news() {
                    tracing::error!(%error, "the store cannot be asked for work; tried again");
                }
                Look { asked: false, due: true, wait: STORE_GAP }
            }
        }
    }

    async fn try_ask(&mut self) -> onceward_db::Result<Look> {
        let now = Instant::now();
        if self.alone || self.asking >= AT_ONCE {
            return Ok(Look { asked: false, due: true, wait: self.settings.poll });
        }
        let due = self.look(now).await?;
        let held = self.lines.iter().filter_map(|line| line.wait(now)).min();
        let soonest = due.values().filter_map(|due| due.wait).chain(held).min().unwrap_or(self.settings.poll);
        let any = due.values().any(|due| due.any || due.lone);
        // A test's clock stands until the test sets it: no moment passes while it waits for us.
        let stands = self.shared.once.db().clock().test_time().is_some();
        let soon = !stands && self.lines.iter().any(|line| line.soon(now));
        let mut look = Look { asked: false, due: any || soon, wait: soonest.min(self.settings.poll) };
        let lone = due.values().any(|due| due.lone);
        // A job that must run alone waits for all others to end; nothing new starts before it.
        if any && (!lone || self.busy + self.asking == 0) {
            let wants = self.wants(&due, lone, now)?;
            // From here on, not only from the answer: another claim must not slip in between.
            self.alone = lone;
            self.send(wants, now);
            look.asked = true;
        }
        Ok(look)
    }

    /// Asks each queue with room, without taking the writer's turn.
    async fn look(&self, now: Instant) -> onceward_db::Result<HashMap<String, Due>> {
        let (once, clock) = (&self.shared.once, self.shared.once.db().clock().test_time());
        let (mut reader, mut out) = (None, HashMap::new());
        for line in self.lines.iter().filter(|line| line.wanted(self.asking > 0, now) > 0) {
            let due = if line.has_plenty(now) {
                Due { any: true, ..Due::default() }
            } else {
                let reader = match &mut reader {
                    Some(reader) => reader,
                    none => none.insert(once.db().reader().await?),
                };
                leases::due(&mut reader.conn(), &line.plan.name, &self.kinds, clock).await?
            };
            out.insert(line.plan.name.clone(), due);
        }
        Ok(out)
    }

    fn wants(&self, due: &HashMap<String, Due>, lone: bool, now: Instant) -> onceward_db::Result<Vec<Want>> {
        // One token for a round of claims: the fence is the job and the token together.
        let token = onceward_db::random_id()?;
        let want = |(name, places): (&String, usize)| Want {
            queue: name.clone(),
            most: if lone { 1 } else { u32::try_from(places).unwrap_or(u32::MAX) },
            kinds: self.kinds.clone(),
            owner: self.shared.once.db().boot().id().to_owned(),
            token: token.clone(),
            lease: crate::store::micros_of(self.settings.lease),
            lone,
        };
        let open = self
            .lines
            .iter()
            .filter(|line| due.get(&line.plan.name).is_some_and(|due| if lone { due.lone } else { due.any }));
        let places = open.map(|line| (&line.plan.name, line.wanted(self.asking > 0, now)));
        Ok(places.map(want).take(if lone { 1 } else { usize::MAX }).collect())
    }

    /// Sends a claim on its way; [`Heard::Answered`] tells when it is back.
    fn send(&mut self, wants: Vec<Want>, asked: Instant) {
        self.asking += 1;
        let asks: Vec<Asked> =
            wants.iter().map(|want| Asked { queue: want.queue.clone(), most: want.most }).collect();
        for ask in &asks {
            if let Some(line) = self.line(&ask.queue) {
                line.reserve(ask.most as usize);
            }
        }
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let taken = match shared.once.db().fold::<Claim>(wants).await {
                Ok(taken) => {
                    shared.claiming.over("claiming");
                    Some(taken)
                }
                Err(error) => {
                    if shared.claiming.is_news() {
                        tracing::error!(%error, "a claim failed; tried again");
                    }
                    tokio::time::sleep(STORE_GAP).await;
                    None
                }
            };
            // The loop may be gone already: then the leases run out.
            drop(shared.told.send(Heard::Answered(Answer { asked, asks, taken })));
        });
    }

    pub(super) fn answered(&mut self, Answer { asked, asks, taken }: Answer) {
        self.asking -= 1;
        self.alone = false;
        let poll = self.settings.poll;
        let again = || Taken { jobs: Vec::new(), wait: Some(Wait { time: Duration::ZERO, firm: true }) };
        let taken = taken.unwrap_or_else(|| asks.iter().map(|_| again()).collect());
        for (ask, Taken { jobs, wait }) in asks.iter().zip(taken) {
            if let Some(line) = self.line(&ask.queue) {
                line.answered(ask.most as usize, jobs.len(), wait, asked, poll);
            }
            if jobs.len() >= BURST {
                self.burst_at = Some(Instant::now());
            }
            for job in jobs {
                self.start(job, asked);
            }
        }
    }
}
