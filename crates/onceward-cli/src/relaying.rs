//! The configuration's relays in the library's terms.

use std::future::Future;
use std::sync::Arc;

use onceward::{JobTarget, Onceward, Outbox, Relay, Target};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::command::Run;
use crate::config::{self, Config, StoreAt, StoreUrl, To};
use crate::stop::Stop;
use crate::store::Store;

/// The relays of these names, or all.
pub(crate) fn chosen<'c>(config: &'c Config, names: &[String]) -> Result<Vec<&'c config::Relay>, Stop> {
    let known = || config.relays.iter().map(|relay| relay.name.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == **name)) {
        let advice = match config.relays.as_slice() {
            [] => "none is configured; add [[relays]] with name and from to onceward.toml".to_owned(),
            _ => config::advice(unknown, known()),
        };
        return Err(Stop::failed("not_found", format!("no relay is called `{unknown}`; {advice}")));
    }
    let wanted = |relay: &&config::Relay| names.is_empty() || names.contains(&relay.name.name);
    Ok(config.relays.iter().filter(wanted).collect())
}

/// The only relay that can be meant.
pub(crate) fn only<'c>(config: &'c Config, name: Option<&String>) -> Result<&'c config::Relay, Stop> {
    let names: Vec<String> = name.into_iter().cloned().collect();
    match chosen(config, &names)?.as_slice() {
        [relay] => Ok(relay),
        [] => Err(Stop::failed("not_found", "no relay is configured; add [[relays]] with name and from")),
        several => {
            let names: Vec<_> = several.iter().map(|relay| relay.name.name.as_str()).collect();
            Err(Stop::usage("which_relay", format!("name one of the relays: {}", names.join(", "))))
        }
    }
}

fn url(config: &Config, relay: &config::Relay, at: &StoreAt, key: &str) -> Result<StoreUrl, Stop> {
    let place = format!("[[relays]] {}: {key}", relay.name.name);
    at.resolve(&place, &config.env, &config.folder).map_err(|text| Stop::usage("relay_url", text))
}

/// The outbox of a relay, whose table is there.
pub(crate) async fn outbox(config: &Config, relay: &config::Relay) -> Result<Outbox, Stop> {
    let outbox = open(config, relay).await?;
    outbox.require_migrated().await.map_err(|error| {
        let hint = format!("make its table with `onceward outbox migrate {}`", relay.name.name);
        Stop::failed("outbox", format!("relay {}: {error}; {hint}", relay.name.name))
    })?;
    Ok(outbox)
}

/// The outbox of a relay, whatever its tables are.
pub(crate) async fn open(config: &Config, relay: &config::Relay) -> Result<Outbox, Stop> {
    let at = |text: String| Stop::failed("outbox", format!("relay {}: {text}", relay.name.name));
    let url = url(config, relay, &relay.from, "from")?;
    if let Some(file) = url.file().filter(|file| !file.exists()) {
        return Err(at(format!("there is no database {}; the application makes it first", file.display())));
    }
    Outbox::open(url.expose()).await.map_err(|error| at(format!("{url}: {error}")))
}

async fn target(store: &Store, relay: &config::Relay) -> Result<Arc<dyn Target>, Stop> {
    let name = relay.name.name.as_str();
    let once = match &relay.to {
        To::Store => store.once.clone(),
        To::Other(at) => {
            let config = &store.config;
            let once = Onceward::open(url(config, relay, at, "to")?.expose()).await?;
            once.require_migrated().await?;
            once
        }
    };
    Ok(Arc::new(JobTarget::new(once, name)))
}

/// A relay, ready to run.
pub(crate) async fn relay(store: &Store, relay: &config::Relay) -> Result<Relay, Stop> {
    Ok(Relay::new(outbox(&store.config, relay).await?, target(store, relay).await?))
}

/// Hands over all that is due now, for a worker that ends when nothing is.
pub(crate) async fn all_once(run: &Run, store: &Store) {
    for configured in &store.config.relays {
        let did = async { Ok::<_, Stop>(relay(store, configured).await?.run_until_idle().await?) };
        if let Err(error) = did.await {
            run.output.note(&format!("relay {}: {}", configured.name.name, error.text));
        }
    }
}

/// Relays that run beside something else.
#[derive(Debug)]
pub(crate) struct Relays {
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Relays {
    /// Starts all relays of the configuration. One whose outbox cannot be opened says so and is left out: an
    /// application's database that is down does not stop the queue.
    pub(crate) async fn start(run: &Run, store: &Store) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for configured in &store.config.relays {
            let name = configured.name.name.clone();
            match relay(store, configured).await {
                Ok(relay) => {
                    running.spawn(run_one(name, relay, told(stopped.clone())));
                }
                Err(error) => run.output.note(&format!("relay {name} does not run: {}", error.text)),
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

async fn told(mut stopped: watch::Receiver<bool>) {
    // A dropped sender means the same.
    let _ = stopped.wait_for(|stop| *stop).await;
}

async fn run_one(name: String, relay: Relay, stop: impl Future<Output = ()>) {
    if let Err(error) = relay.run_until(stop).await {
        tracing::error!(relay = name, %error, "the relay ended");
    }
}
