//! The jobs of one run, as they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use onceward::{Enqueued, JobId, QueueView, State, Time};
use onceward_publish::{Plan, Planned, PlannedJob, Publisher, Standing};

use crate::command::queues::held_back;
use crate::exit::Totals;
use crate::progress::Tally;
use crate::stop::Stop;
use crate::store::Store;

/// One content on one channel.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) planned: &'a Planned,
    pub(super) job: &'a PlannedJob,
    pub(super) channel: &'a str,
    pub(super) enqueued: &'a Enqueued,
    /// `None`: retention has dropped the job.
    pub(super) standing: Option<Standing>,
}

/// How a job stands in this run: its state, with the shades that matter to whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    Done,
    Dead,
    Cancelled,
    Parked,
    Checking,
    Held,
    Scheduled,
    Open,
    Running,
}

/// All rows of a run, in the order of the files.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) all: Vec<Row<'a>>,
    /// Channels that wait as a whole, with the reason.
    held_back: BTreeMap<String, String>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(plan: &'a Plan, enqueued: &'a [Vec<Enqueued>]) -> Self {
        let row = |(planned, answers): (&'a Planned, &'a Vec<Enqueued>)| {
            let jobs = planned.jobs.iter().zip(answers);
            jobs.map(move |(job, enqueued)| {
                let channel = job.channel.as_str();
                Row { planned, job, channel, enqueued, standing: None }
            })
        };
        let all = plan.contents.iter().zip(enqueued).flat_map(row).collect();
        Self { all, held_back: BTreeMap::new() }
    }

    /// Asks the store anew; says whether anything is different.
    pub(super) async fn refresh(&mut self, publisher: &Publisher) -> Result<bool, Stop> {
        let jobs: Vec<JobId> = self.all.iter().map(|row| row.enqueued.id()).collect();
        let mut found: BTreeMap<JobId, Standing> =
            publisher.standing(&jobs).await?.into_iter().map(|it| (it.id, it)).collect();
        let mut changed = false;
        for row in &mut self.all {
            let now = found.remove(&row.enqueued.id());
            changed |= row.standing.as_ref().map(gist) != now.as_ref().map(gist);
            row.standing = now;
        }
        Ok(changed)
    }

    /// The figures of the run, by present state.
    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for row in &self.all {
            match row.enqueued {
                Enqueued::New(_) => totals.new += 1,
                Enqueued::Updated(_) => totals.updated += 1,
                Enqueued::Skipped { .. } => totals.skipped += 1,
            }
            match row.stand() {
                Stand::Done => totals.done += 1,
                Stand::Dead => totals.dead += 1,
                Stand::Cancelled => {}
                Stand::Parked => totals.in_doubt += 1,
                Stand::Checking => totals.checking += 1,
                Stand::Held => totals.held += 1,
                Stand::Scheduled => totals.scheduled += 1,
                Stand::Open | Stand::Running => totals.pending += 1,
            }
        }
        totals
    }

    /// Finds out which channels wait as a whole.
    pub(super) async fn find_held_back(&mut self, store: &Store) -> Result<(), Stop> {
        let now = Time::now();
        let held = |it: QueueView| Some((it.name.clone(), held_back(&it, &store.config, now)?));
        self.held_back = store.once.queues().await?.into_iter().filter_map(held).collect();
        Ok(())
    }

    /// What holds the row's channel back as a whole.
    pub(super) fn held_back(&self, row: &Row<'_>) -> Option<&str> {
        self.held_back.get(row.channel).map(String::as_str)
    }

    /// Channels with a file of this machine that went out and is not there any more.
    pub(super) fn gone(&self) -> BTreeSet<&'a str> {
        let done = self.all.iter().filter(|row| row.stand() == Stand::Done);
        let gone = done.filter(|row| row.file().is_some_and(|file| !file.exists()));
        gone.map(|row| row.channel).collect()
    }

    /// The same by channel, for progress.
    pub(super) fn tallies(&self) -> BTreeMap<&'a str, Tally> {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for row in &self.all {
            let tally = tallies.entry(row.channel).or_default();
            tally.total += 1;
            match row.stand() {
                Stand::Done | Stand::Cancelled => tally.done += 1,
                Stand::Dead => tally.dead += 1,
                Stand::Parked | Stand::Checking => tally.in_doubt += 1,
                Stand::Held | Stand::Scheduled | Stand::Open => tally.waiting += 1,
                Stand::Running => tally.running += 1,
            }
        }
        tallies
    }
}

/// What counts as progress: an end, a try, a look. Jobs of a queue that waits as a whole are claimed now and then, and
/// nothing has moved.
fn gist(standing: &Standing) -> (Option<State>, (i64, i64)) {
    let is_open = matches!(standing.state, State::Pending | State::Running | State::InDoubt);
    (Some(standing.state).filter(|_| !is_open), standing.spent)
}

impl Row<'_> {
    /// The state in the words of the store.
    pub(super) fn state(&self) -> State {
        match (&self.standing, self.enqueued) {
            (Some(standing), _) => standing.state,
            (None, Enqueued::Skipped { state, .. }) => *state,
            (None, _) => State::Done,
        }
    }

    pub(super) fn stand(&self) -> Stand {
        match (self.state(), &self.standing) {
            (State::Done, _) => Stand::Done,
            (State::Dead, _) => Stand::Dead,
            (State::Cancelled, _) => Stand::Cancelled,
            (State::Running, _) => Stand::Running,
            (State::InDoubt, Some(Standing { check_at: Some(_), .. })) => Stand::Checking,
            (State::InDoubt, _) => Stand::Parked,
            (State::Pending, Some(Standing { held: Some(_), .. })) => Stand::Held,
            (State::Pending, Some(it)) if self.is_scheduled(it) => Stand::Scheduled,
            (State::Pending, _) => Stand::Open,
        }
    }

    /// Waits for a time that was asked for (its own, or the end of the quiet hours), not for another try.
    fn is_scheduled(&self, it: &Standing) -> bool {
        it.run_at > it.now && (it.error.is_none() || self.planned.publish_at.is_some_and(|at| at > it.now))
    }

    /// Whether waiting for it could help.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.stand(), Stand::Open | Stand::Running | Stand::Checking)
    }

    pub(super) fn url(&self) -> Option<&str> {
        match (&self.standing, self.enqueued) {
            (Some(standing), _) => standing.url.as_deref(),
            (None, Enqueued::Skipped { url, .. }) => url.as_deref(),
            (None, _) => None,
        }
    }

    fn file(&self) -> Option<PathBuf> {
        let url = self.url().filter(|url| url.starts_with("file:"))?;
        url::Url::parse(url).ok()?.to_file_path().ok()
    }

    /// It was to be held, and had left the queue already.
    pub(super) fn slipped(&self) -> bool {
        let left = matches!(self.stand(), Stand::Running | Stand::Checking | Stand::Done | Stand::Open);
        left && self.job.hold.is_some() && matches!(self.enqueued, Enqueued::Skipped { .. })
    }

    /// Whether the file says something else than what went out.
    pub(super) fn changed(&self) -> bool {
        matches!(self.enqueued, Enqueued::Skipped { changed: true, .. })
    }

    /// Done before this run; one that waited from an earlier run and went out now is news.
    pub(super) fn was_done(&self) -> bool {
        matches!(self.enqueued, Enqueued::Skipped { state: State::Done, .. })
    }

    /// Whether it may have been sent in commits that the store lost.
    pub(super) fn maybe_sent(&self) -> bool {
        self.standing.as_ref().is_some_and(|it| it.restored)
    }
}
