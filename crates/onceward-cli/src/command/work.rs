//! `onceward work`.

mod rest;
mod strangers;

use onceward::{AlertMessage, Error, Job, Report, Worker, WorkerBuilder};
use onceward_publish::{Post, Publisher};
use serde_json::json;

use self::rest::Rest;
use super::{Run, status};
use crate::alerting;
use crate::args::Work;
use crate::exit::{self, Exit};
use crate::line::{self, Line};
use crate::output::plain;
use crate::publishing;
use crate::relaying;
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;
use crate::taking::{self, All};

/// What this program can run. Jobs of other kinds wait for a worker of the application they belong to.
const KINDS: &[&str] = &[Post::KIND, AlertMessage::KIND];

/// Runs jobs until a signal, or until nothing is due.
pub(crate) async fn run(run: &Run, args: &Work) -> Result<Exit, Stop> {
    run.with_store(async |store| work(run, args, store).await).await
}

async fn work(run: &Run, args: &Work, store: &Store) -> Result<Exit, Stop> {
    store.refuse_rehearsal()?;
    let signals = Signals::catch()?;
    let lines = line::named(&store.config, &args.queues)?;
    let named: Vec<String> =
        lines.iter().map(|line| line.name.clone()).filter(|_| !args.queues.is_empty()).collect();
    store.define_queues().await?;
    store.put_schedules(run).await?;
    let lines = able(run, store, lines);
    let publisher = publishing::publisher(&store.config, &store.once).await?;
    let worker = worker(store, &publisher, &lines)?;
    let mut shutdown = Box::pin(signals.first(&run.output));
    let mut fetched = Fetched::default();
    if args.until_idle {
        tokio::select! {
            exit = &mut shutdown => return none_run(run, exit),
            all = fetch(run, store) => fetched = all,
        }
    }
    let watch = strangers::Watch::start(run.output, &store.once, &lines, KINDS);
    run.output.note(&ready(&lines, args.until_idle));
    let (stop, told) = tokio::sync::watch::channel(false);
    let mut stopped = None;
    let told_to_stop = async { stopped = Some((&mut shutdown).await) };
    let working = async {
        let done = if args.until_idle {
            worker.run_until_idle_or(told_to_stop).await
        } else {
            worker.run_until(told_to_stop).await
        };
        // Nobody listens where there is no relay and no source.
        let _ = stop.send(true);
        done
    };
    let relaying = Box::pin(relaying::all(run, store, told.clone()));
    let (done, (), ()) = tokio::join!(Box::pin(working), relaying, Box::pin(taking::all(run, store, told)));
    if args.until_idle && stopped.is_none() {
        watch.look().await;
    }
    drop(watch);
    let report = ended(run, done)?;
    if fetched.taken == All::Full && stopped.is_none() {
        // What the worker has made room for; a job of it is due, and so is not settled.
        tokio::select! {
            exit = &mut shutdown => stopped = Some(exit),
            all = taking::all_once(run, store) => fetched.taken = all,
        }
    }
    if let Some(exit) = stopped {
        say(run, &report, NONE_RUN, &Rest::default())?;
        return Ok(exit);
    }
    let rest = Rest::look(store, &named).await?;
    let none = if rest.is_empty() { "nothing was due" } else { "nothing that this program can run now" };
    say(run, &report, none, &rest)?;
    rest.advise();
    let exit = exit::worse(status::verdict(store, &lines).await?, fetched.exit());
    Ok(exit::worse(exit, rest.exit()))
}

/// What outboxes and brokers held when a run until idle began.
struct Fetched {
    /// Each relay could be run.
    relayed: bool,
    taken: All,
}

impl Default for Fetched {
    fn default() -> Self {
        Self { relayed: true, taken: All::Taken }
    }
}

impl Fetched {
    fn exit(&self) -> Exit {
        exit::worse(if self.relayed { Exit::Fine } else { Exit::Unsettled }, self.taken.exit())
    }
}

/// What is dropped in the middle is handed over, or taken, by the next run.
async fn fetch(run: &Run, store: &Store) -> Fetched {
    Fetched { relayed: relaying::all_once(run, store).await, taken: taking::all_once(run, store).await }
}

const NONE_RUN: &str = "no job was run";

fn none_run(run: &Run, exit: Exit) -> Result<Exit, Stop> {
    say(run, &Report::default(), NONE_RUN, &Rest::default())?;
    Ok(exit)
}

/// A channel without its secrets is left to a process that has them.
fn able(run: &Run, store: &Store, lines: Vec<Line>) -> Vec<Line> {
    let config = &store.config;
    let can = |line: &Line| {
        let channel = line.channel.as_deref().and_then(|name| config.channel(name));
        let lacking = channel.map(|channel| channel.lacking(config));
        let Some((key, why)) = lacking.and_then(|lacking| lacking.into_iter().next()) else { return true };
        run.output.note(&plain(&format!("channel {} is not served here: {key}: {why}", line.name)));
        false
    };
    lines.into_iter().filter(can).collect()
}

fn worker(store: &Store, publisher: &Publisher, lines: &[Line]) -> Result<Worker, Stop> {
    let queueing = &store.config.queueing;
    let builder = publisher
        .register(Worker::builder(&store.once))
        .lease(queueing.lease)
        .grace(queueing.grace)
        .retention(queueing.retention)
        .alerts(alerting::rules(&store.config));
    let serve =
        |builder: WorkerBuilder, line: &Line| builder.queue_with(&line.name, line.at_once(), line.retry);
    Ok(lines.iter().fold(builder, serve).build()?)
}

fn ready(lines: &[Line], until_idle: bool) -> String {
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let names = if names.is_empty() { "no queue".to_owned() } else { names.join(", ") };
    let until = if until_idle { "until nothing is due" } else { "until SIGTERM or Ctrl-C" };
    format!("working on {names}, {until}")
}

fn ended(run: &Run, done: Result<Report, Error>) -> Result<Report, Stop> {
    let stuck = matches!(done, Err(Error::Stuck { .. }));
    let done = done.map_err(Stop::from);
    if let (true, Err(stop)) = (stuck, &done) {
        // Nothing else ends a thread that does not let go, and closing the store would wait for it.
        run.output.stop(stop);
        std::process::exit(Exit::Failed as i32);
    }
    done
}

/// What was done, and what is left; `none`: that nothing was done.
fn say(run: &Run, report: &Report, none: &str, rest: &Rest) -> Result<(), Stop> {
    let Report { done, again, dead, in_doubt, cancelled, lost, .. } = *report;
    let document = json!({
        "done": done, "again": again, "dead": dead, "in_doubt": in_doubt, "cancelled": cancelled, "lost": lost,
        "waiting": rest.waiting, "running": rest.running,
    });
    let figures = [
        (done, "done"),
        (again, "to be tried again"),
        (dead, "failed for good"),
        (in_doubt, "unsure"),
        (cancelled, "cancelled"),
        (lost, "lost to another worker"),
    ];
    run.output.answer(&document, || {
        let some = figures.iter().filter(|(count, _)| *count > 0);
        let said: Vec<_> = some.map(|(count, word)| format!("{count} {word}")).collect();
        let head = if said.is_empty() { none.to_owned() } else { said.join(", ") };
        plain(&[&[head], rest.words().as_slice()].concat().join("; "))
    })
}
