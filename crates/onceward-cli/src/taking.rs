//! The configuration's sources in the library's terms.

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

/// Takes all that waits now, for a worker that ends when nothing is due. What may wait where nobody can look is not
/// settled.
pub(crate) async fn all_once(run: &Run, store: &Store) -> Exit {
    let mut exit = Exit::Fine;
    for source in &store.config.sources {
        let failed = match intake(store, source).await {
            Ok(intake) => intake.take_all().await.1.map(|cause| cause.text),
            Err(error) => Some(error.text),
        };
        if let Some(why) = failed {
            run.output.note(&plain(&format!("source {}: {why}", source.name.name)));
            exit = Exit::Unsettled;
        }
    }
    exit
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
