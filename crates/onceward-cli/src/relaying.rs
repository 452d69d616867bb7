//! The configuration's relays in the library's terms.

pub(crate) mod place;
pub(crate) mod standing;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use onceward::{JobTarget, Lag, Onceward, Relay, Relayed, Target};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::command::Run;
use crate::config::{self, BrokerAt, Config, StoreAt, To};
use crate::signal::told;
use crate::stop::Stop;
use crate::store::Store;

/// What a configuration without relays needs.
pub(crate) const NONE: &str = "no relay is configured; add [[relays]] with name and from to onceward.toml";
/// How often how a relay stands is written down, if it has changed.
const NOTE: Duration = Duration::from_secs(5);
/// How long until a relay that cannot be run is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// The relays of these names, or all. A name that is not configured is a slip of the hand, as elsewhere.
pub(crate) fn chosen<'c>(config: &'c Config, names: &[String]) -> Result<Vec<&'c config::Relay>, Stop> {
    let known = || config.relays.iter().map(|relay| relay.name.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == **name)) {
        let advice = match config.relays.as_slice() {
            [] => NONE.to_owned(),
            _ => config::advice(unknown, known()),
        };
        return Err(Stop::usage("not_found", format!("no relay is called `{unknown}`; {advice}")));
    }
    let wanted = |relay: &&config::Relay| names.is_empty() || names.contains(&relay.name.name);
    Ok(config.relays.iter().filter(wanted).collect())
}

/// The same, of which there must be one.
pub(crate) fn some<'c>(config: &'c Config, names: &[String]) -> Result<Vec<&'c config::Relay>, Stop> {
    let chosen = chosen(config, names)?;
    if chosen.is_empty() { Err(Stop::usage("not_found", NONE)) } else { Ok(chosen) }
}

/// The only relay that can be meant.
pub(crate) fn only<'c>(config: &'c Config, names: &[String]) -> Result<&'c config::Relay, Stop> {
    match some(config, names)?.as_slice() {
        [relay] => Ok(relay),
        several => {
            let names: Vec<_> = several.iter().map(|relay| relay.name.name.as_str()).collect();
            Err(Stop::usage("which_relay", format!("name one of the relays: {}", names.join(", "))))
        }
    }
}

/// Says which relay it is of that a text does not name.
pub(crate) fn of(relay: &config::Relay, mut stop: Stop) -> Stop {
    stop.text = format!("relay {}: {}", relay.name.name, stop.text);
    stop
}

async fn target(store: &Store, relay: &config::Relay) -> Result<Arc<dyn Target>, Stop> {
    let (config, name) = (&store.config, relay.name.name.as_str());
    let once = match &relay.to {
        To::Store => store.once.clone(),
        To::Broker(at) => return broker(config, name, at).await,
        To::Other(at) => {
            if let Some(at) = hidden(config, at) {
                return broker(config, name, &at).await;
            }
            let once = Onceward::open(place::url(config, at, "to")?.expose()).await?;
            once.require_migrated().await?;
            once
        }
    };
    Ok(Arc::new(JobTarget::new(once, name)))
}

/// The broker that a secret leads to, if it is one.
fn hidden(config: &Config, at: &StoreAt) -> Option<BrokerAt> {
    let hidden = at.secret().map(|secret| BrokerAt::Secret(secret.clone()));
    hidden.filter(|at| at.is_broker(&config.env, &config.folder))
}

async fn broker(config: &Config, name: &str, at: &BrokerAt) -> Result<Arc<dyn Target>, Stop> {
    let at = at.target("[[relays]] to", &config.env, &config.folder);
    let at = at.map_err(|text| Stop::usage(place::NO_URL, text))?;
    // The clients' futures are deep; a box ends the depth that the compiler has to follow.
    Ok(Box::pin(at.open(name)).await?)
}

/// A relay, ready to run.
pub(crate) async fn relay(store: &Store, relay: &config::Relay) -> Result<Relay, Stop> {
    Ok(Relay::new(place::outbox(&store.config, relay).await?, target(store, relay).await?))
}

/// Hands over all that is due now, for a worker that ends when nothing is; says whether each relay could be run.
pub(crate) async fn all_once(run: &Run, store: &Store) -> bool {
    let mut all = true;
    for configured in &store.config.relays {
        if let Err(error) = once(store, configured).await {
            run.output.note(&of(configured, error).text);
            all = false;
        }
    }
    all
}

/// Hands over all that one relay has due now, and gives how its outbox stands then.
pub(crate) async fn once(store: &Store, configured: &config::Relay) -> Result<(Relayed, Lag), Stop> {
    let name = configured.name.name.as_str();
    let did = async {
        let relay = relay(store, configured).await?;
        let relayed = relay.run_until_idle().await?;
        note(store, name, &relay).await;
        let lag = relay.outbox().lag().await?;
        relay.outbox().clone().close().await;
        Ok((relayed, lag))
    };
    let done: Result<_, Stop> = did.await;
    if let Err(error) = &done {
        note_away(store, name, error).await;
    }
    done
}

/// Runs all relays of the configuration beside something else, until it is told to end them.
pub(crate) async fn all(run: &Run, store: &Store, stopped: watch::Receiver<bool>) {
    these(run, store, store.config.relays.iter(), stopped).await;
}

/// Runs these relays until it is told to end them.
pub(crate) async fn these(
    run: &Run,
    store: &Store,
    relays: impl Iterator<Item = &config::Relay>,
    stopped: watch::Receiver<bool>,
) {
    join_all(relays.map(|relay| keep_running(run, store, relay, stopped.clone()))).await;
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
        note_away(store, name, &error).await;
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
async fn note(store: &Store, name: &str, relay: &Relay) {
    store.once.note_relay(name, relay.outbox()).await.unwrap_or_else(|error| unnoted(name, &error));
}

/// Writes down that a relay cannot be run, unless it is only this process that does not know where its outbox is: another
/// one may run it well.
async fn note_away(store: &Store, name: &str, why: &Stop) {
    if why.code != place::NO_URL {
        let noted = store.once.note_relay_away(name, &why.text).await;
        noted.unwrap_or_else(|error| unnoted(name, &error));
    }
}

fn unnoted(relay: &str, error: &onceward::Error) {
    tracing::warn!(relay, %error, "how this relay stands could not be written down");
}
