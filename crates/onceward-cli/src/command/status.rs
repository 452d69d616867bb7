//! `onceward status`: whether anything needs a person, then what moves, then what is done.

mod apart;

use std::time::Duration;

use onceward::{Filter, Onceward, PAGE_LIMIT, QueueView, RelayView, RestoredView, State, Status, Time};
use serde::Serialize;

use self::apart::Apart;
use super::Run;
use super::queues::held_back;
use crate::config::Config;
use crate::exit::{self, Exit, Totals};
use crate::line::{self, Line};
use crate::output::{self, Cell, Grid, Shown, plain, relative};
use crate::relaying::standing::{self, Standing};
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;
use crate::taking;

const EMPTY: &str = "nothing was ever enqueued here. First steps:\n\n  onceward publish posts/*.md\n  \
                     onceward enqueue --queue mail --kind email.welcome --payload '{\"user\":7}'";

/// How often a watched status is shown at most; and how long it stands at most, since what is due changes by itself.
const GAP: Duration = Duration::from_secs(1);
const STALE: Duration = Duration::from_secs(10);

/// Empties the screen and begins at its top.
const CLEAR: &[u8] = b"\x1b[2J\x1b[H";

/// Shows it once, or again and again.
pub(crate) async fn run(run: &Run, watch: bool) -> Result<Exit, Stop> {
    run.with_existing(async |store| if watch { watch_it(run, store).await } else { show(run, store).await })
        .await
}

async fn show(run: &Run, store: &Store) -> Result<Exit, Stop> {
    let status = store.once.status().await?;
    let lines = line::lines(&store.config);
    let apart = Apart::look(&store.once, &status.queues, &lines).await?;
    let totals = totals(&store.once, &status.queues, &apart).await?;
    let relays = standing::look(store).await?;
    let exit = exit::worse(exit::of(&totals), standing::exit(&relays));
    let sources = sources(&store.config);
    let document = Document {
        status: &status,
        parked: totals.in_doubt,
        discarded: apart.all_discarded(),
        relays: relays.iter().cloned().map(Standing::from).collect(),
        sources: &sources,
        exit: exit as u8,
    };
    let now = Time::now();
    let is_ours = |relay: &RelayView| store.config.relays.iter().any(|it| it.name.name == relay.name);
    let outboxes = relays.iter().filter_map(|relay| standing::say(relay, is_ours(relay), now));
    let others: Vec<String> = outboxes.chain(sources.iter().filter_map(SourceStanding::say)).collect();
    run.output.answer(&document, || text(run, &status, &store.config, &apart, &others))?;
    call(&totals, &relays);
    Ok(exit)
}

async fn watch_it(run: &Run, store: &Store) -> Result<Exit, Stop> {
    let mut signals = Signals::catch()?;
    let mut changes = store.once.db().changes();
    loop {
        if run.output.width.is_some() && !run.output.json {
            output::raw(CLEAR)?;
        }
        show(run, store).await?;
        let next = async {
            tokio::time::sleep(GAP).await;
            // Past its time, it is shown anew without a change.
            drop(tokio::time::timeout(STALE, changes.next()).await);
        };
        tokio::select! {
            () = next => {}
            exit = signals.next() => return Ok(exit),
        }
    }
}

/// The exit code for what stands in these lines, and in the outboxes that are relayed here, after saying what needs a
/// person.
pub(super) async fn verdict(store: &Store, lines: &[Line]) -> Result<Exit, Stop> {
    let mut queues = store.once.queues().await?;
    queues.retain(|queue| lines.iter().any(|line| line.name == queue.name));
    let apart = Apart::look(&store.once, &queues, lines).await?;
    let (totals, relays) = (totals(&store.once, &queues, &apart).await?, store.once.relays().await?);
    call(&totals, &relays);
    Ok(exit::worse(exit::of(&totals), standing::exit(&relays)))
}

fn call(totals: &Totals, relays: &[RelayView]) {
    for text in [standing::call(relays), exit::call(totals)].into_iter().flatten() {
        output::call(&text);
    }
}

/// The document for scripts. Of the jobs in doubt, those that are parked need a person; of the dead ones, those that are
/// not discarded.
#[derive(Debug, Serialize)]
struct Document<'s> {
    #[serde(flatten)]
    status: &'s Status,
    parked: u64,
    discarded: u64,
    relays: Vec<Standing>,
    sources: &'s [SourceStanding<'s>],
    exit: u8,
}

/// A source of the configuration.
#[derive(Debug, Serialize)]
struct SourceStanding<'c> {
    name: &'c str,
    /// Why a process like this one cannot take from it. It changes no exit code: the worker may have what is lacking here.
    lacking: Option<String>,
}

fn sources(config: &Config) -> Vec<SourceStanding<'_>> {
    let sources = config.sources.iter();
    sources
        .map(|source| SourceStanding { name: &source.name.name, lacking: taking::lacking(config, source) })
        .collect()
}

impl SourceStanding<'_> {
    fn say(&self) -> Option<String> {
        let why = self.lacking.as_ref()?;
        Some(plain(&format!("source {}: cannot be taken from with what is known here: {why}", self.name)))
    }
}

/// The jobs of these queues as exit codes count them. Of those that wait, it is known only whether one is due, and
/// whether one waits for another try.
async fn totals(once: &Onceward, queues: &[QueueView], apart: &Apart) -> Result<Totals, Stop> {
    let mut totals = Totals::default();
    for queue in queues {
        let figures = &queue.figures;
        let due = u64::from(queue.oldest_due.is_some() || queue.retry_at.is_some());
        totals.done += figures.done;
        totals.dead += figures.dead.saturating_sub(apart.discarded(&queue.name));
        totals.held += figures.held;
        totals.pending += figures.running + due;
        totals.scheduled += figures.pending.saturating_sub(figures.held + due);
        if figures.in_doubt > 0 {
            let (parked, checking) = doubts(once, &queue.name).await?;
            totals.in_doubt += parked;
            totals.checking += checking;
        }
    }
    Ok(totals)
}

/// Jobs in doubt: those that a person must settle, and those that are looked for again.
async fn doubts(once: &Onceward, queue: &str) -> Result<(u64, u64), Stop> {
    let filter = Filter { queue: Some(queue.to_owned()), ..Filter::state(State::InDoubt) };
    let (mut parked, mut checking, mut after) = (0, 0, None);
    loop {
        let page = once.jobs(&filter, PAGE_LIMIT, after).await?;
        for job in &page.items {
            *if job.check_at.is_none() { &mut parked } else { &mut checking } += 1;
        }
        after = page.next;
        if after.is_none() {
            return Ok((parked, checking));
        }
    }
}

fn text(run: &Run, status: &Status, config: &Config, apart: &Apart, others: &[String]) -> String {
    let idle = status.queues.iter().all(|queue| queue.figures == onceward::Figures::default());
    let empty = idle && status.queues.iter().all(|queue| queue.paused.is_none());
    if empty && others.is_empty() {
        return EMPTY.to_owned();
    }
    let workers = match status.workers.len() {
        0 => apart::no_worker(&status.queues, &line::lines(config)),
        1 => "1 worker is running".to_owned(),
        many => format!("{many} workers are running"),
    };
    let restored = restored(&status.restored).map(|text| format!("{text}\n")).unwrap_or_default();
    let table =
        if empty { String::new() } else { format!("{}\n\n", table(status, config, apart).show(&run.output)) };
    let lines = [&[workers], others].concat().join("\n");
    format!("{table}{restored}{lines}")
}

/// Jobs of which more may have been sent than the store says; `None`: there are none.
pub(super) fn restored(jobs: &[RestoredView]) -> Option<String> {
    let since = jobs.iter().map(|one| one.since).max()?;
    let each: Vec<String> = jobs.iter().map(|one| format!("{} of {}", one.jobs, one.queue)).collect();
    Some(format!(
        "restored: {}. The store lost its last commits before {since}, so these may have been sent: that is found out first; \
         what nobody can tell is parked at its time (onceward doubt list). What you looked for before: onceward doubt resolve ID \
         --did-not-happen, or --happened",
        each.join(", ")
    ))
}

/// A row for each queue that has or had jobs.
fn table(status: &Status, config: &Config, apart: &Apart) -> Grid {
    let header = ["queue", "unsure", "failed", "waiting", "sending", "done", "oldest due", "rate", "state"];
    let mut grid = Grid::new(header);
    let now = Time::now();
    let lines = line::lines(config);
    for queue in &status.queues {
        let figures = &queue.figures;
        let due = queue.oldest_due.map(|seconds| now.before(Duration::from_secs(seconds)));
        grid.row([
            Cell::Whole(queue.name.clone()),
            figure(figures.in_doubt),
            figure(figures.dead.saturating_sub(apart.discarded(&queue.name))),
            figure(figures.pending),
            figure(figures.running),
            figure(figures.done),
            Cell::maybe(due.map(|due| relative(due, now))),
            Cell::maybe(queue.settings.rate.map(|rate| rate.to_string())),
            Cell::Text(held_back(queue, config, now).unwrap_or_else(|| state(queue, &lines, apart, now))),
        ]);
    }
    grid
}

/// A calm table shows no zeros.
fn figure(count: u64) -> Cell {
    if count == 0 { Cell::Empty } else { Cell::Number(count) }
}

fn state(queue: &QueueView, lines: &[Line], apart: &Apart, now: Time) -> String {
    let said = [apart::unserved(queue, lines), apart.held(queue), apart.given_up(queue)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    if !said.is_empty() {
        let shape =
            if queue.figures.held > 0 { format!("{} ", Shown::Paused.shape()) } else { String::new() };
        return format!("{shape}{}", said.join("; "));
    }
    if let Some(at) = queue.retry_at.filter(|at| *at > now) {
        return format!("tried again {}", relative(at, now));
    }
    String::new()
}
