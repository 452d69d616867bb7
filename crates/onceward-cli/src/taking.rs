//! The configuration's sources in the library's terms.

use onceward_brokers::BACKLOG_FULL;
use onceward_brokers::by_url::AnyIntake;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::command::Run;
use crate::config::Source;
use crate::exit::Exit;
use crate::output::plain;
use crate::stop::Stop;
use crate::store::Store;

async fn intake(store: &Store, source: &Source) -> Result<AnyIntake, Stop> {
    let (config, name) = (&store.config, source.name.name.as_str());
    let place = format!("[[sources]] {name}: from");
    let at = source.from.source(&place, &config.env, &config.folder);
    let at = at.map_err(|text| Stop::usage("source_url", text))?;
    // The clients' futures are deep; a box ends the depth that the compiler has to follow.
    Ok(Box::pin(at.open(name, store.once.clone(), source.rules.clone())).await?)
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

/// Sources that are taken from beside something else.
#[derive(Debug)]
pub(crate) struct Intakes {
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Intakes {
    /// Starts all sources of the configuration. One whose URL or secret is not there says so and is left out.
    pub(crate) async fn start(run: &Run, store: &Store) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for source in &store.config.sources {
            let name = &source.name.name;
            match intake(store, source).await {
                Ok(intake) => {
                    let mut stopped = stopped.clone();
                    running.spawn(async move {
                        // A dropped sender means to stop.
                        let told = async { drop(stopped.wait_for(|stop| *stop).await) };
                        intake.run_until(told).await;
                    });
                }
                Err(error) => run.output.note(&format!("source {name} is not taken from: {}", error.text)),
            }
        }
        Self { stop, running }
    }

    /// Lets them end what is under way.
    pub(crate) async fn end(mut self) {
        // Nobody listens when none runs.
        let _ = self.stop.send(true);
        while self.running.join_next().await.is_some() {}
    }
}
