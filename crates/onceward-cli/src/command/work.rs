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
    let mut taken = All::Taken;
    if args.until_idle {
        relaying::all_once(run, store).await;
        taken = taking::all_once(run, store).await;
    }
    let watch = strangers::Watch::start(run.output, &store.once, &lines, KINDS);
    run.output.note(&ready(&lines, args.until_idle));
    let (stop, told) = tokio::sync::watch::channel(false);
    let mut stopped = None;
    let shutdown = async { stopped = Some(signals.first(&run.output).await) };
    let working = async {
        let done = if args.until_idle {
            worker.run_until_idle_or(shutdown).await
        } else {
            worker.run_until(shutdown).await
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
    if taken == All::Full && stopped.is_none() {
        // What the worker has made room for; a job of it is due, and so is not settled.
        taken = taking::all_once(run, store).await;
    }
    let report = ended(run, done)?;
    if let Some(exit) = stopped {
        say(run, &report, "no job was run", &Rest::default())?;
        return Ok(exit);
    }
    let rest = Rest::look(store, &named).await?;
    let none = if rest.is_empty() { "nothing was due" } else { "nothing that this program can run now" };
    say(run, &report, none, &rest)?;
    rest.advise();
    let exit = exit::worse(status::verdict(store, &lines).await?, taken.exit());
    Ok(exit::worse(exit, rest.exit()))
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
