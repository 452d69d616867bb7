//! The configuration's sources in the library's terms.

use std::time::Duration;

use futures_util::future::join_all;
use onceward::Backoff;
use onceward_brokers::BACKLOG_FULL;
use onceward_brokers::by_url::{AnyIntake, SourceAt};
use tokio::sync::watch;

use crate::command::Run;
use crate::config::{Config, Source};
use crate::exit::Exit;
use crate::output::plain;
use crate::signal::told;
use crate::stop::Stop;
use crate::store::Store;

/// Between tries to open a source.
const PAUSE: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_mins(1) };

async fn intake(store: &Store, source: &Source) -> Result<AnyIntake, Stop> {
    let at = at(&store.config, source).map_err(|text| Stop::usage("source_url", text))?;
    let (name, rules) = (&source.name.name, source.rules.clone());
    // The clients' futures are deep; a box ends the depth that the compiler has to follow.
    Ok(Box::pin(at.open(name, store.once.clone(), rules)).await?)
}

fn at(config: &Config, source: &Source) -> Result<SourceAt, String> {
    source.from.source(&format!("[[sources]] {}: from", source.name.name), &config.env, &config.folder)
}

/// What became of taking all that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum All {
    Taken,
    /// What may wait where nobody can look is not settled.
    Failed,
    /// So many jobs are due that more messages may wait.
    Full,
}

impl All {
    pub(crate) fn exit(self) -> Exit {
        if self == Self::Taken { Exit::Fine } else { Exit::Unsettled }
    }
}

/// Takes all that waits now, for a worker that ends when nothing is due.
pub(crate) async fn all_once(run: &Run, store: &Store) -> All {
    let mut all = All::Taken;
    for source in &store.config.sources {
        let (became, why) = match intake(store, source).await {
            Ok(intake) => match intake.take_all().await.1 {
                None => continue,
                Some(cause) if cause.code == BACKLOG_FULL => (All::Full, cause.text),
                Some(cause) => (All::Failed, cause.text),
            },
            Err(error) => (All::Failed, error.text),
        };
        run.output.note(&plain(&format!("source {}: {why}", source.name.name)));
        all = all.max(became);
    }
    all
}

/// Takes from all sources of the configuration beside something else, until told to end; what is under way is ended
/// first.
pub(crate) async fn all(run: &Run, store: &Store, stopped: watch::Receiver<bool>) {
    let sources = store.config.sources.iter();
    join_all(sources.map(|source| keep_taking(run, store, source, stopped.clone()))).await;
}

/// Takes from one, as soon as its URL, its secret and its files are there: whatever puts them there may come later than we.
async fn keep_taking(run: &Run, store: &Store, source: &Source, stopped: watch::Receiver<bool>) {
    let mut failures = 0_u32;
    let intake = loop {
        let error = match intake(store, source).await {
            Ok(intake) => break intake,
            Err(error) => error.text,
        };
        if failures == 0 {
            let name = &source.name.name;
            run.output.note(&plain(&format!("source {name} is not taken from: {error}; it is tried again")));
        }
        tokio::select! {
            () = told(stopped.clone()) => return,
            () = tokio::time::sleep(PAUSE.after(failures)) => failures = failures.saturating_add(1),
        }
    };
    // On a thread of its own choice: reading many messages keeps nothing else waiting.
    let taking = tokio::spawn(async move { intake.run_until(told(stopped)).await });
    if let Err(error) = taking.await {
        tracing::error!(source = source.name.name, %error, "this source is taken from no more");
    }
}

/// Why messages of a source cannot be taken by a process like this one, as far as that shows without a broker.
pub(crate) fn lacking(config: &Config, source: &Source) -> Option<String> {
    at(config, source).err()
}
