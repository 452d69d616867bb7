//! Where the outbox of a relay is, and what is there. No text names the relay: whoever says it does.

use onceward::{Engine, OUTBOX_TABLES, Outbox};
use onceward_db::Database;

use crate::config::{self, Config, StoreAt, StoreUrl, To};
use crate::stop::Stop;

/// The code of a relay whose URL is not known here.
pub(super) const NO_URL: &str = "relay_url";

/// What `key` of a relay leads to.
pub(super) fn url(config: &Config, at: &StoreAt, key: &str) -> Result<StoreUrl, Stop> {
    let place = format!("[[relays]] {key}");
    at.resolve(&place, &config.env, &config.folder).map_err(|text| Stop::usage(NO_URL, text))
}

/// Fails when a relay cannot be run whatever else is there: it is the configuration's fault, or of what it leads to.
pub(crate) fn check(config: &Config, relay: &config::Relay) -> Result<(), Stop> {
    url(config, &relay.from, "from")?;
    let to = match &relay.to {
        To::Store => Ok(()),
        To::Broker(at) => at.target("[[relays]] to", &config.env, &config.folder).map(drop),
        To::Other(at) => super::hidden(config, at)
            .map_or_else(|| url(config, at, "to").map(drop).map_err(|stop| stop.text), |_| Ok(())),
    };
    to.map_err(|text| Stop::usage(NO_URL, text))
}

/// The engine of a relay's outbox. Opens nothing.
pub(crate) fn engine(config: &Config, relay: &config::Relay) -> Result<Engine, Stop> {
    let url = url(config, &relay.from, "from")?;
    Ok(if url.file().is_some() { Engine::Sqlite } else { Engine::Postgres })
}

/// The database of a relay's outbox, whatever its tables are.
pub(crate) async fn database(config: &Config, relay: &config::Relay) -> Result<Database, Stop> {
    let url = url(config, &relay.from, "from")?;
    if let Some(file) = url.file().filter(|file| !file.exists()) {
        let text = format!("there is no database {}; the application makes it first", file.display());
        return Err(failed(text));
    }
    Database::open(url.expose()).await.map_err(|error| at(&url, &error))
}

/// The outbox of a relay, for whoever changes its rows. On SQLite a table of an older version is brought to this one;
/// none is made.
pub(crate) async fn outbox(config: &Config, relay: &config::Relay) -> Result<Outbox, Stop> {
    let url = url(config, &relay.from, "from")?;
    let db = existing(config, relay).await?;
    let outbox = Outbox::over(db.clone()).await.map_err(|error| at(&url, &error))?;
    current(&db, relay).await?;
    Ok(outbox)
}

/// The outbox of a relay as it is, for whoever only looks.
pub(crate) async fn look(config: &Config, relay: &config::Relay) -> Result<Outbox, Stop> {
    let db = existing(config, relay).await?;
    current(&db, relay).await?;
    Ok(Outbox::over(db).await?)
}

/// The database of an outbox that is there. One that has none is left as it is.
async fn existing(config: &Config, relay: &config::Relay) -> Result<Database, Stop> {
    let url = url(config, &relay.from, "from")?;
    let is_there = url.file().is_none_or(|file| !file.exists())
        || Database::has(url.expose(), &OUTBOX_TABLES).await.map_err(|error| at(&url, &error))?;
    if is_there { database(config, relay).await } else { Err(unmade(relay)) }
}

async fn current(db: &Database, relay: &config::Relay) -> Result<(), Stop> {
    match (db.version(&OUTBOX_TABLES).await?, OUTBOX_TABLES.newest()) {
        (found, needed) if found >= needed => Ok(()),
        (0, _) => Err(unmade(relay)),
        (found, needed) => {
            let is =
                format!("its table is at version {found}, this program needs {needed}; bring it there with");
            Err(failed(format!("{is} `onceward outbox migrate {}`", relay.name.name)))
        }
    }
}

fn unmade(relay: &config::Relay) -> Stop {
    failed(format!("its table is not there; make it with `onceward outbox migrate {}`", relay.name.name))
}

fn at(url: &StoreUrl, error: &impl std::fmt::Display) -> Stop {
    failed(format!("{url}: {error}"))
}

fn failed(text: String) -> Stop {
    Stop::failed("outbox", text)
}
