//! Delivering what was enqueued, with a worker for these channels alone, for as long as something moves.

use std::collections::BTreeSet;
use std::time::Duration;

use onceward::Worker;
use onceward_publish::Publisher;
use tokio::time::{Instant, sleep};

use super::Run;
use super::rows::Rows;
use crate::exit::Exit;
use crate::line;
use crate::progress::Progress;
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;

/// How often the jobs are looked at: often enough to feel immediate.
const LOOK: Duration = Duration::from_millis(50);

/// Works until each job of the run is settled, scheduled or held, or until nothing has moved for `patience`.
/// Gives the exit code of a signal that ended it earlier.
pub(super) async fn deliver(
    run: &Run,
    store: &Store,
    publisher: &Publisher,
    rows: &mut Rows<'_>,
    patience: Duration,
) -> Result<Option<Exit>, Stop> {
    if !waits(rows, publisher) {
        return Ok(None);
    }
    let signals = Signals::catch()?;
    let worker = worker(store, publisher, rows)?;
    let mut ended = Ok(None);
    let shutdown = async {
        ended = tokio::select! {
            watched = watch(run, publisher, rows, patience) => watched.map(|()| None),
            exit = signals.first(&run.output) => Ok(Some(exit)),
        };
    };
    Box::pin(worker.run_until(shutdown)).await?;
    rows.refresh(publisher).await?;
    ended
}

fn worker(store: &Store, publisher: &Publisher, rows: &Rows<'_>) -> Result<Worker, Stop> {
    let open = rows.all.iter().filter(|row| row.is_open() && publisher.is_ready(row.channel));
    let wanted: BTreeSet<&str> = open.map(|row| row.channel).collect();
    let queueing = &store.config.queueing;
    let builder = Worker::builder(&store.once)
        .lease(queueing.lease)
        .grace(queueing.grace)
        .retention(queueing.retention);
    let lines = line::lines(&store.config);
    let served = lines.iter().filter(|line| wanted.iter().any(|channel| line.is_of(channel)));
    let builder =
        served.fold(builder, |builder, line| builder.queue_with(&line.name, line.at_once(), line.retry));
    Ok(publisher.register(builder).build()?)
}

/// Whether any job can still move while we wait.
fn waits(rows: &Rows<'_>, publisher: &Publisher) -> bool {
    rows.all.iter().any(|row| row.is_open() && publisher.is_ready(row.channel))
}

async fn watch(
    run: &Run,
    publisher: &Publisher,
    rows: &mut Rows<'_>,
    patience: Duration,
) -> Result<(), Stop> {
    let mut progress = Progress::new(&run.output);
    let mut moved = Instant::now();
    loop {
        if rows.refresh(publisher).await? {
            moved = Instant::now();
        }
        for (channel, tally) in rows.tallies() {
            progress.update(channel, tally, None);
        }
        if !waits(rows, publisher) || moved.elapsed() >= patience {
            return Ok(());
        }
        sleep(LOOK).await;
    }
}
