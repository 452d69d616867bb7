//! The loop: claim what there is room for, run it, wait for a reason to look again.

mod attempt;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use onceward_db::Changes;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use self::attempt::{AttemptRun, Ran, Shared};
use super::{QueuePlan, Report, Settings, Worker};
use crate::heartbeat::{Heartbeat, Phase};
use crate::lease::Claimed;
use crate::store::leases::{self, Claim, Due, Known, Taken, Want};
use crate::{Error, JobId, State};

/// What a queue holds back for longer than this counts as not due, for a worker that runs until it is idle.
const PATIENCE: Duration = Duration::from_secs(1);
/// Wait before the store is asked again after it failed.
const STORE_GAP: Duration = Duration::from_millis(500);

/// A worker at work.
pub(super) struct Running {
    shared: Arc<Shared>,
    kinds: Arc<[Known]>,
    settings: Settings,
    lines: Vec<Line>,
    stopping: watch::Receiver<bool>,
    stuck: watch::Receiver<Option<JobId>>,
    until_idle: bool,
    changes: Changes,
    /// A job that must run alone is due: nothing new starts until all others have ended.
    draining: bool,
    /// A job that must run alone is running.
    alone: bool,
    ended: mpsc::UnboundedReceiver<Ran>,
    running: usize,
    settling: usize,
    report: Report,
}

/// One queue's place in the loop.
struct Line {
    plan: QueuePlan,
    running: usize,
    /// Its pace has no room before then.
    not_before: Option<Instant>,
    /// The last claim gave all that was asked for, so there is more: asked again without a look, until then.
    plenty_until: Option<Instant>,
}

/// What a round of claims came to.
struct Round {
    claimed: usize,
    /// When to look again, at the latest.
    wait: Duration,
    /// Something is due that this worker can take later.
    due: bool,
}

impl Running {
    pub(super) fn new(worker: &Worker, stopping: watch::Receiver<bool>, until_idle: bool) -> Self {
        let heartbeat = Heartbeat::new(worker.once.clone(), worker.settings.lease);
        let stuck = heartbeat.stuck();
        let (report_end, ended) = mpsc::unbounded_channel();
        let shared = Shared {
            once: worker.once.clone(),
            registry: worker.registry.clone(),
            heartbeat,
            ended: report_end,
            longest: worker.settings.longest,
        };
        Self {
            shared: Arc::new(shared),
            kinds: worker.registry.known(),
            settings: worker.settings,
            lines: worker.queues.iter().cloned().map(Line::new).collect(),
            stopping,
            stuck,
            until_idle,
            changes: worker.once.db().changes(),
            draining: false,
            alone: false,
            ended,
            running: 0,
            settling: 0,
            report: Report::default(),
        }
    }

    pub(super) async fn run(mut self) -> Result<Report, Error> {
        let beat = AbortOnDrop(tokio::spawn(self.shared.heartbeat.clone().run()));
        while !*self.stopping.borrow() {
            if let Some(job) = *self.stuck.borrow() {
                return Err(Error::Stuck { job });
            }
            self.collect().await;
            let round = self.claim_all().await;
            if self.until_idle && self.running == 0 && self.settling == 0 && round.claimed == 0 && !round.due
            {
                break;
            }
            if round.claimed == 0 {
                self.wait(round.wait).await;
            }
        }
        self.finish().await;
        drop(beat);
        Ok(self.report)
    }

    /// Takes note of what has ended, without waiting for more than those that are about to.
    async fn collect(&mut self) {
        tokio::task::yield_now().await;
        while let Ok(ran) = self.ended.try_recv() {
            self.note(ran);
        }
    }

    fn note(&mut self, ran: Ran) {
        match ran {
            Ran::Finished { queue, lone } => {
                self.running -= 1;
                self.settling += 1;
                self.alone &= !lone;
                if let Some(line) = self.lines.iter_mut().find(|line| line.plan.name == queue) {
                    line.running -= 1;
                }
            }
            Ran::Settled(state) => {
                self.settling -= 1;
                self.count(state);
            }
        }
    }

    fn count(&mut self, state: Option<State>) {
        let figure = match state {
            Some(State::Done) => &mut self.report.done,
            Some(State::Dead) => &mut self.report.dead,
            Some(State::InDoubt) => &mut self.report.in_doubt,
            Some(State::Cancelled) => &mut self.report.cancelled,
            Some(State::Pending | State::Running) => &mut self.report.again,
            None => &mut self.report.lost,
        };
        *figure += 1;
    }

    async fn claim_all(&mut self) -> Round {
        match self.try_claim_all().await {
            Ok(round) => round,
            Err(error) => {
                tracing::error!(%error, "the store cannot be asked for work; tried again");
                Round { claimed: 0, wait: STORE_GAP, due: true }
            }
        }
    }

    async fn try_claim_all(&mut self) -> onceward_db::Result<Round> {
        if self.alone {
            return Ok(Round { claimed: 0, wait: self.settings.poll, due: true });
        }
        let due = self.look().await?;
        let wait = due.values().filter_map(|due| due.wait).min().unwrap_or(self.settings.poll);
        let due_now = due.values().any(|due| due.any || due.lone);
        let mut round = Round { claimed: 0, wait: wait.min(self.settings.poll), due: due_now };
        self.draining = due.values().any(|due| due.lone);
        if !due_now || (self.draining && self.running > 0) {
            return Ok(round);
        }
        let wants = self.wants(&due);
        let asked = Instant::now();
        let asks: Vec<(String, u32)> = wants.iter().map(|want| (want.queue.clone(), want.most)).collect();
        let taken = self.shared.once.db().fold::<Claim>(wants).await?;
        for ((name, most), Taken { jobs, wait }) in asks.iter().zip(taken) {
            self.pace(name, wait, asked, &mut round);
            self.plenty(name, jobs.len() == *most as usize, asked);
            round.claimed += jobs.len();
            jobs.into_iter().for_each(|job| self.start(job, asked));
        }
        // What is due and was not given is held back by its queue for longer than it is worth waiting here.
        round.due = round.claimed > 0 || self.running > 0 || round.wait < PATIENCE;
        Ok(round)
    }

    fn pace(&mut self, queue: &str, wait: Option<Duration>, asked: Instant, round: &mut Round) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.plan.name == queue) {
            line.not_before = wait.map(|wait| asked + wait);
            round.wait = wait.map_or(round.wait, |wait| wait.min(round.wait));
        }
    }

    fn plenty(&mut self, queue: &str, plenty: bool, asked: Instant) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.plan.name == queue) {
            let since =
                line.plenty_until.filter(|until| *until > asked).unwrap_or(asked + self.settings.poll);
            line.plenty_until = plenty.then_some(since);
        }
    }

    /// Asks each queue with room, without taking the writer's turn.
    async fn look(&mut self) -> onceward_db::Result<HashMap<String, Due>> {
        let (now, at) = (self.shared.once.db().clock().test_time(), Instant::now());
        let mut reader = None;
        let mut out = HashMap::new();
        for line in self.lines.iter().filter(|line| line.has_room(at)) {
            let due = if line.plenty_until.is_some_and(|until| until > at) {
                Due { any: true, ..Due::default() }
            } else {
                let reader = match &mut reader {
                    Some(reader) => reader,
                    none => none.insert(self.shared.once.db().reader().await?),
                };
                leases::due(&mut reader.conn(), &line.plan.name, &self.kinds, now).await?
            };
            out.insert(line.plan.name.clone(), due);
        }
        Ok(out)
    }

    fn wants(&self, due: &HashMap<String, Due>) -> Vec<Want> {
        let lone = self.draining;
        let token = token();
        let open = self
            .lines
            .iter()
            .filter(|line| due.get(&line.plan.name).is_some_and(|due| if lone { due.lone } else { due.any }));
        let want = |line: &Line| Want {
            queue: line.plan.name.clone(),
            most: if lone { 1 } else { u32::try_from(line.free()).unwrap_or(u32::MAX) },
            kinds: self.kinds.clone(),
            owner: self.shared.once.db().boot().id().to_owned(),
            token: token.clone(),
            lease: crate::store::micros_of(self.settings.lease),
            lone,
        };
        open.map(want).take(if lone { 1 } else { usize::MAX }).collect()
    }

    fn start(&mut self, job: Claimed, asked: Instant) {
        let Some(line) = self.lines.iter_mut().find(|line| line.plan.name == job.queue) else { return };
        line.running += 1;
        self.running += 1;
        self.alone |= job.lone;
        let told = self.shared.heartbeat.add(&job.lease, asked, self.settings.longest + self.settings.lease);
        let run = AttemptRun { shared: self.shared.clone(), told, policy: line.plan.retry };
        tokio::spawn(run.run(job));
    }

    /// Waits for a reason to look again: a job ended, something was committed, the clock, the end.
    async fn wait(&mut self, most: Duration) {
        let Self { ended, changes, stopping, stuck, .. } = self;
        let ran = tokio::select! {
            ran = ended.recv() => ran,
            () = changes.next() => None,
            _ = stopping.wait_for(|stop| *stop) => None,
            _ = stuck.changed() => None,
            () = tokio::time::sleep(most) => None,
        };
        ran.into_iter().for_each(|ran| self.note(ran));
    }

    /// Lets what runs finish, within the grace; what does not is handed back.
    async fn finish(&mut self) {
        self.shared.heartbeat.tell_all(Phase::Stop);
        self.wait_for_all(self.settings.grace).await;
        self.shared.heartbeat.tell_all(Phase::HandBack);
        self.wait_for_all(HAND_BACK).await;
        let left = self.running + self.settling;
        if left > 0 {
            tracing::warn!(jobs = left, "not handed back in time; their leases run out");
        }
    }

    async fn wait_for_all(&mut self, most: Duration) {
        let deadline = Instant::now() + most;
        while self.running + self.settling > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(Some(ran)) = timeout(left, self.ended.recv()).await else { return };
            self.note(ran);
        }
    }
}

/// How long the writes of a hand-back may take.
const HAND_BACK: Duration = Duration::from_secs(5);

impl Line {
    fn new(plan: QueuePlan) -> Self {
        Self { plan, running: 0, not_before: None, plenty_until: None }
    }

    fn free(&self) -> usize {
        self.plan.concurrency.saturating_sub(self.running)
    }

    fn has_room(&self, now: Instant) -> bool {
        self.free() > 0 && self.not_before.is_none_or(|at| at <= now)
    }
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// One for each round of claims: the fence is the job and the token together.
fn token() -> String {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        tracing::error!("no random numbers from the system");
    }
    hex::encode(bytes)
}
