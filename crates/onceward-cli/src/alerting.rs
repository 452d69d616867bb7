//! The configuration's alerts: as rules of the queue, and delivered by a process that is about to end.

use std::collections::BTreeSet;
use std::time::Duration;

use onceward::{AlertRule, JobId, QueueView, State, Worker};
use onceward_publish::{Publisher, Standing};
use tokio::time::{Instant, sleep};

use crate::command::Run;
use crate::config::{Alert, Config};
use crate::exit::Exit;
use crate::line;
use crate::output::plain;
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;

/// How long a process that has done its work waits for its alerts.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often they are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The rules. A channel has a queue of its own, of its name; what was sent under its former name counts as its own.
pub(crate) fn rules(config: &Config) -> Vec<AlertRule> {
    config.alerts.iter().map(|alert| rule(alert, config)).collect()
}

fn rule(alert: &Alert, config: &Config) -> AlertRule {
    let queues = |names: &Vec<String>| {
        let of_some = |line: &line::Line| names.iter().any(|name| line.is_of(name));
        line::lines(config).into_iter().filter(of_some).map(|line| line.name).collect()
    };
    let only: Option<Vec<String>> =
        alert.only.as_ref().map(|only| only.iter().map(|named| named.name.clone()).collect());
    AlertRule {
        on: alert.on.clone(),
        only: only.as_ref().map(queues),
        backlog: alert.backlog,
        relay_lag: alert.relay_lag,
        every: alert.every,
        ..AlertRule::new(&alert.name.name, &alert.channel.name)
    }
}

/// Tells what there is to tell, and delivers it, with what earlier processes left to be delivered.
pub(crate) async fn tell(run: &Run, store: &Store, publisher: &Publisher) -> Result<(), Stop> {
    let rules = rules(&store.config);
    if rules.is_empty() {
        return Ok(());
    }
    for alerted in store.once.alert(&rules).await? {
        run.output.note(&plain(&format!("alert {}: {}", alerted.rule, alerted.message.title)));
    }
    let open = store.once.alerts(&rules).await?.into_iter().filter(|it| it.on_its_way);
    let jobs: Vec<JobId> = open.filter_map(|it| it.job).collect();
    deliver(run, store, publisher, &jobs).await.map(drop)
}

/// Works on these messages until each has ended or waits for later. Gives the exit code of a signal that came first.
pub(crate) async fn deliver(
    run: &Run,
    store: &Store,
    publisher: &Publisher,
    jobs: &[JobId],
) -> Result<Option<Exit>, Stop> {
    if !moving(store, publisher, jobs).await? {
        return Ok(None);
    }
    let signals = Signals::catch()?;
    let mut ended = Ok(None);
    let shutdown = async {
        ended = tokio::select! {
            watched = watch(store, publisher, jobs) => watched.map(|()| None),
            exit = signals.first(&run.output) => Ok(Some(exit)),
        };
    };
    Box::pin(worker(store, publisher)?.run_until(shutdown)).await?;
    ended
}

/// Serves the queues of the channels that alerts use. The housekeeping is done already.
fn worker(store: &Store, publisher: &Publisher) -> Result<Worker, Stop> {
    let config = &store.config;
    let ready = config.alerts.iter().map(|alert| alert.channel.name.as_str());
    let ready: BTreeSet<&str> = ready.filter(|channel| publisher.is_ready(channel)).collect();
    let builder = Worker::builder(&store.once).lease(config.queueing.lease).grace(config.queueing.grace);
    let lines = line::lines(config);
    let served = lines.iter().filter(|line| ready.iter().any(|channel| line.is_of(channel)));
    let builder = served.fold(builder.without_keeper(), |builder, line| {
        builder.queue_with(&line.name, line.at_once(), line.retry)
    });
    Ok(publisher.register(builder).build()?)
}

async fn watch(store: &Store, publisher: &Publisher, jobs: &[JobId]) -> Result<(), Stop> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE && moving(store, publisher, jobs).await? {
        sleep(LOOK).await;
    }
    Ok(())
}

/// Whether any of them can still move while we wait.
async fn moving(store: &Store, publisher: &Publisher, jobs: &[JobId]) -> Result<bool, Stop> {
    if jobs.is_empty() {
        return Ok(false);
    }
    let queues = store.once.queues().await?;
    let free = |name: &str| queues.iter().any(|queue| queue.name == name && is_free(queue));
    for standing in publisher.standing(jobs).await? {
        let queue = store.once.job(standing.id).await?.queue;
        if is_open(&standing)
            && (standing.state == State::Running || (free(&queue) && publisher.is_ready(&queue)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_open(it: &Standing) -> bool {
    match it.state {
        State::Running => true,
        State::Pending => it.held.is_none() && it.run_at <= it.now,
        State::InDoubt => it.check_at.is_some_and(|at| at <= it.now),
        State::Done | State::Dead | State::Cancelled => false,
    }
}

fn is_free(queue: &QueueView) -> bool {
    queue.paused.is_none() && queue.circuit.is_none_or(|circuit| circuit.since.is_none())
}
