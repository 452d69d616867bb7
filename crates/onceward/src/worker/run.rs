//! The loop: ask for what there is room for, start it, wait for a reason to look again.

mod ask;
mod attempt;
mod line;
mod settling;

use std::sync::Arc;
use std::time::Duration;

use onceward_db::Changes;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use self::ask::Answer;
use self::attempt::{AttemptRun, Shared};
use self::line::Line;
use super::{Report, Settings, Worker};
use crate::heartbeat::{Heartbeat, Phase};
use crate::lease::Claimed;
use crate::store::leases::Known;
use crate::store::settle::{Ended, Settle};
use crate::trouble::Trouble;
use crate::{Error, JobId, State};

/// How long the writes of a hand-back may take.
const HAND_BACK: Duration = Duration::from_secs(5);

/// How often the loop lets others go while they have more to say; after a burst, for at most a [`LULL`] each time.
const GATHER: usize = 16;
/// How long it waits for the next one of many that end together.
const LULL: Duration = Duration::from_millis(1);
/// A claim of so many jobs is a burst.
const BURST: usize = 64;
/// For so long after a burst the ends of short jobs come close together.
const BURST_LASTS: Duration = Duration::from_millis(20);

/// What the loop hears.
#[derive(Debug)]
enum Heard {
    /// A claim came back.
    Answered(Answer),
    /// A handler is through.
    Finished { lone: bool, ended: Arc<Ended> },
    /// A lease was lost before its handler was through.
    Lost { lone: bool, queue: String },
    /// What became of jobs.
    Settled(Vec<Told>),
}

/// What became of a job.
#[derive(Debug)]
struct Told {
    /// `None` when another worker has the say.
    state: Option<State>,
    /// The queue where its place is free only now: a failure may close its queue, so nothing starts in its place
    /// before it is written.
    place: Option<String>,
}

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
    /// A job that must run alone is running.
    alone: bool,
    heard: mpsc::UnboundedReceiver<Heard>,
    /// Claims on their way.
    asking: usize,
    /// Jobs whose place is taken, of all queues.
    busy: usize,
    /// Attempts that ended since the last turn was asked for.
    ended: Vec<Arc<Ended>>,
    settling: usize,
    /// When the last burst came back.
    burst_at: Option<Instant>,
    report: Report,
}

impl Running {
    pub(super) fn new(worker: &Worker, stopping: watch::Receiver<bool>, until_idle: bool) -> Self {
        let heartbeat = Heartbeat::new(worker.once.clone(), worker.settings.lease);
        let stuck = heartbeat.stuck();
        let (told, heard) = mpsc::unbounded_channel();
        let shared = Shared {
            once: worker.once.clone(),
            registry: worker.registry.clone(),
            heartbeat,
            told,
            longest: worker.settings.longest,
            asking: Trouble::default(),
            claiming: Trouble::default(),
            settling: Trouble::default(),
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
            alone: false,
            heard,
            asking: 0,
            busy: 0,
            ended: Vec::new(),
            settling: 0,
            burst_at: None,
            report: Report::default(),
        }
    }

    /// Ends with an error when the store's file is gone: what is written then is lost, so handlers are told at once.
    pub(super) async fn run(self) -> Result<Report, Error> {
        let once = self.shared.once.clone();
        tokio::select! {
            report = self.work() => report,
            error = once.db().file_is_gone() => {
                tracing::error!(%error, "this worker ends");
                Err(error.into())
            }
        }
    }

    async fn work(mut self) -> Result<Report, Error> {
        let beat = Beating::start(&self.shared.heartbeat);
        while !*self.stopping.borrow() {
            if let Some(job) = *self.stuck.borrow() {
                return Err(Error::Stuck { job });
            }
            self.listen().await;
            self.settle().await;
            let look = self.ask().await;
            if self.until_idle && self.is_idle() && !look.due {
                break;
            }
            if !look.asked {
                self.wait(look.wait).await;
            }
        }
        self.finish().await;
        drop(beat);
        Ok(self.report)
    }

    fn is_idle(&self) -> bool {
        self.busy + self.settling + self.asking == 0
    }

    /// Takes note of what was said, and of what others are about to say: jobs that end together are settled together.
    async fn listen(&mut self) {
        for _ in 0..GATHER {
            tokio::task::yield_now().await;
            let before = self.heard.len();
            while let Ok(heard) = self.heard.try_recv() {
                self.note(heard);
            }
            if before == 0 && !self.hear_another().await {
                return;
            }
        }
    }

    /// Waits a moment for the next one, if it is worth it.
    async fn hear_another(&mut self) -> bool {
        if !is_another_near(self.burst_at.map(|at| at.elapsed()), self.ended.len(), self.busy) {
            return false;
        }
        let Ok(Some(heard)) = timeout(LULL, self.heard.recv()).await else { return false };
        self.note(heard);
        true
    }

    fn note(&mut self, heard: Heard) {
        match heard {
            Heard::Answered(answer) => self.answered(answer),
            Heard::Finished { lone, ended } => {
                self.alone &= !lone;
                if ended.is_fine() {
                    self.free(&ended.queue);
                }
                self.settling += 1;
                self.ended.push(ended);
            }
            Heard::Lost { lone, queue } => {
                self.alone &= !lone;
                self.free(&queue);
                self.report.count(None);
            }
            Heard::Settled(all) => {
                self.settling -= all.len();
                // A place that the whole fleet shares may be free again.
                let now = Instant::now();
                self.lines.iter_mut().for_each(|line| line.changed(now));
                for Told { state, place } in all {
                    self.report.count(state);
                    if let Some(queue) = place {
                        self.free(&queue);
                    }
                }
            }
        }
    }

    /// What has ended takes its place in the next turn, before the claim that fills the places it left.
    async fn settle(&mut self) {
        if self.ended.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.ended);
        let pending = self.shared.once.db().submit::<Settle>(batch.clone()).await.ok();
        tokio::spawn(settling::settle(self.shared.clone(), batch, pending));
    }

    fn free(&mut self, queue: &str) {
        self.busy -= 1;
        if let Some(line) = self.line(queue) {
            line.running -= 1;
        }
    }

    fn line(&mut self, queue: &str) -> Option<&mut Line> {
        self.lines.iter_mut().find(|line| line.plan.name == queue)
    }

    fn start(&mut self, job: Claimed, asked: Instant) {
        let Some(line) = self.line(&job.queue) else { return };
        line.running += 1;
        let policy = line.plan.retry;
        self.busy += 1;
        self.alone |= job.lone;
        let told = self.shared.heartbeat.add(&job.lease, asked, self.settings.longest + self.settings.lease);
        let run = AttemptRun { shared: self.shared.clone(), told, policy };
        tokio::spawn(run.run(job));
    }

    /// Waits for a reason to look again: something was said or committed, the clock, the end.
    async fn wait(&mut self, most: Duration) {
        let Self { heard, changes, stopping, stuck, .. } = self;
        let (mut said, mut changed) = (None, false);
        tokio::select! {
            heard = heard.recv() => said = heard,
            () = changes.next() => changed = true,
            _ = stopping.wait_for(|stop| *stop) => {}
            _ = stuck.changed() => {}
            () = tokio::time::sleep(most) => {}
        }
        if let Some(heard) = said {
            self.note(heard);
        }
        if changed {
            let now = Instant::now();
            self.lines.iter_mut().for_each(|line| line.changed(now));
        }
    }

    /// Lets what runs finish, within the grace; what does not is handed back.
    async fn finish(&mut self) {
        self.wait_for_all(Phase::Stop, self.settings.grace).await;
        self.wait_for_all(Phase::HandBack, HAND_BACK).await;
        let left = self.busy + self.settling + self.asking;
        if left > 0 {
            tracing::warn!(jobs = left, "not handed back in time; their leases run out");
        }
    }

    async fn wait_for_all(&mut self, phase: Phase, most: Duration) {
        let deadline = Instant::now() + most;
        loop {
            self.listen().await;
            // Each time: a claim that was on its way may have brought jobs.
            self.shared.heartbeat.tell_all(phase);
            self.settle().await;
            let left = deadline.saturating_duration_since(Instant::now());
            if self.is_idle() || left.is_zero() {
                return;
            }
            let Ok(Some(heard)) = timeout(left, self.heard.recv()).await else { return };
            self.note(heard);
        }
    }
}

/// Soon after a burst the end of the next job is a moment away, and a turn for the first few would cost as much as one
/// for all.
fn is_another_near(since_burst: Option<Duration>, ended: usize, busy: usize) -> bool {
    since_burst.is_some_and(|since| since < BURST_LASTS) && ended > 0 && busy > 0
}

/// Leases are extended until it is dropped. What still runs then is told that its lease is lost: nobody extends it.
struct Beating {
    heartbeat: Heartbeat,
    task: JoinHandle<()>,
}

impl Beating {
    fn start(heartbeat: &Heartbeat) -> Self {
        Self { heartbeat: heartbeat.clone(), task: tokio::spawn(heartbeat.clone().run()) }
    }
}

impl Drop for Beating {
    fn drop(&mut self) {
        self.task.abort();
        self.heartbeat.tell_all(Phase::Lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_end_is_waited_for_after_a_burst_alone() {
        let (just, long_ago) = (Some(Duration::ZERO), Some(BURST_LASTS));
        assert!(is_another_near(just, 1, 1));
        for (since_burst, ended, busy, why) in [
            (None, 1, 1, "no burst"),
            (long_ago, 1, 1, "jobs that take longer do not end together"),
            (just, 0, 1, "nothing has ended that could wait"),
            (just, 1, 0, "all have ended"),
        ] {
            assert!(!is_another_near(since_burst, ended, busy), "{why}");
        }
    }
}
