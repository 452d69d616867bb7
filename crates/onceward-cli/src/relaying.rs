//! The configuration's relays in the library's terms.

pub(crate) mod standing;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use onceward::{Engine, JobTarget, Onceward, Outbox, Relay, Target};
use onceward_db::Database;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::command::Run;
use crate::config::{self, BrokerAt, Config, StoreAt, StoreUrl, To};
use crate::stop::Stop;
use crate::store::Store;

/// How often how a relay stands is written down, if it has changed.
const NOTE: Duration = Duration::from_secs(5);
/// The code of a relay whose URL is not known here.
const NO_URL: &str = "relay_url";
/// How long until a relay that cannot be run is tried again.
const AGAIN: Duration = Duration::from_secs(10);

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
    at.resolve(&place, &config.env, &config.folder).map_err(|text| Stop::usage(NO_URL, text))
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

/// The outbox of a relay. On SQLite its table is made.
async fn open(config: &Config, relay: &config::Relay) -> Result<Outbox, Stop> {
    let failed = |error| Stop::failed("outbox", format!("relay {}: {error}", relay.name.name));
    Outbox::over(database(config, relay).await?).await.map_err(failed)
}

/// The engine of a relay's outbox. Opens nothing.
pub(crate) fn engine(config: &Config, relay: &config::Relay) -> Result<Engine, Stop> {
    let url = url(config, relay, &relay.from, "from")?;
    Ok(if url.file().is_some() { Engine::Sqlite } else { Engine::Postgres })
}

/// The database of a relay's outbox, whatever its tables are.
pub(crate) async fn database(config: &Config, relay: &config::Relay) -> Result<Database, Stop> {
    let at = |text: String| Stop::failed("outbox", format!("relay {}: {text}", relay.name.name));
    let url = url(config, relay, &relay.from, "from")?;
    if let Some(file) = url.file().filter(|file| !file.exists()) {
        return Err(at(format!("there is no database {}; the application makes it first", file.display())));
    }
    Database::open(url.expose()).await.map_err(|error| at(format!("{url}: {error}")))
}

async fn target(store: &Store, relay: &config::Relay) -> Result<Arc<dyn Target>, Stop> {
    let (config, name) = (&store.config, relay.name.name.as_str());
    let once = match &relay.to {
        To::Store => store.once.clone(),
        To::Broker(at) => return broker(config, name, at).await,
        To::Other(at) => {
            let hidden = at.secret().map(|secret| BrokerAt::Secret(secret.clone()));
            if let Some(at) = hidden.filter(|at| at.is_broker(&config.env, &config.folder)) {
                return broker(config, name, &at).await;
            }
            let once = Onceward::open(url(config, relay, at, "to")?.expose()).await?;
            once.require_migrated().await?;
            once
        }
    };
    Ok(Arc::new(JobTarget::new(once, name)))
}

async fn broker(config: &Config, name: &str, at: &BrokerAt) -> Result<Arc<dyn Target>, Stop> {
    let at = at.target(&format!("[[relays]] {name}: to"), &config.env, &config.folder);
    let at = at.map_err(|text| Stop::usage(NO_URL, text))?;
    // The clients' futures are deep; a box ends the depth that the compiler has to follow.
    Ok(Box::pin(at.open(name)).await?)
}

/// A relay, ready to run.
pub(crate) async fn relay(store: &Store, relay: &config::Relay) -> Result<Relay, Stop> {
    Ok(Relay::new(outbox(&store.config, relay).await?, target(store, relay).await?))
}

/// Hands over all that is due now, for a worker that ends when nothing is.
pub(crate) async fn all_once(run: &Run, store: &Store) {
    own(store).await;
    for configured in &store.config.relays {
        let name = configured.name.name.as_str();
        let did = async {
            let relay = relay(store, configured).await?;
            relay.run_until_idle().await?;
            Ok::<_, Stop>(relay)
        };
        let noted = match did.await {
            Ok(relay) => store.once.note_relay(name, relay.outbox()).await,
            Err(error) => {
                run.output.note(&format!("relay {name}: {}", error.text));
                store.once.note_relay_away(name, &error.text).await
            }
        };
        noted.unwrap_or_else(|error| unnoted(name, &error));
    }
}

/// Runs all relays of the configuration beside something else, until it is told to end them.
pub(crate) async fn all(run: &Run, store: &Store, stopped: watch::Receiver<bool>) {
    own(store).await;
    some(run, store, store.config.relays.iter(), stopped).await;
}

/// Runs these relays until it is told to end them.
pub(crate) async fn some(
    run: &Run,
    store: &Store,
    relays: impl Iterator<Item = &config::Relay>,
    stopped: watch::Receiver<bool>,
) {
    join_all(relays.map(|relay| keep_running(run, store, relay, stopped.clone()))).await;
}

/// What was noted of relays that are not configured any more is no news.
async fn own(store: &Store) {
    let names = store.config.relays.iter().map(|relay| relay.name.name.clone()).collect();
    if let Err(error) = store.once.own_relays(names).await {
        tracing::warn!(%error, "relays that are not configured any more could not be forgotten");
    }
}

/// Runs one, and begins again when it cannot be run: an application's database that is down at the start does not stop
/// the queue, and needs nobody once it is back.
async fn keep_running(run: &Run, store: &Store, configured: &config::Relay, stopped: watch::Receiver<bool>) {
    let name = configured.name.name.as_str();
    let mut said = false;
    loop {
        let Err(error) = run_one(store, configured, stopped.clone()).await else { return };
        if !std::mem::replace(&mut said, true) {
            run.output.note(&format!("relay {name} does not run: {}; it is tried again", error.text));
        }
        let noted = store.once.note_relay_away(name, &error.text).await;
        noted.unwrap_or_else(|error| unnoted(name, &error));
        tokio::select! {
            () = told(stopped.clone()) => return,
            () = sleep(AGAIN) => {}
        }
    }
}

async fn run_one(
    store: &Store,
    configured: &config::Relay,
    stopped: watch::Receiver<bool>,
) -> Result<(), Stop> {
    let relay = relay(store, configured).await?;
    let name = configured.name.name.as_str();
    let noting = async {
        loop {
            note(store, name, &relay).await;
            sleep(NOTE).await;
        }
    };
    tokio::select! {
        ended = relay.run_until(told(stopped)) => ended?,
        () = noting => {}
    }
    note(store, name, &relay).await;
    Ok(())
}

/// Writes down how a relay stands.
pub(crate) async fn note(store: &Store, name: &str, relay: &Relay) {
    store.once.note_relay(name, relay.outbox()).await.unwrap_or_else(|error| unnoted(name, &error));
}

fn unnoted(relay: &str, error: &onceward::Error) {
    tracing::warn!(relay, %error, "how this relay stands could not be written down");
}

async fn told(mut stopped: watch::Receiver<bool>) {
    // A dropped sender means the same.
    let _ = stopped.wait_for(|stop| *stop).await;
}
