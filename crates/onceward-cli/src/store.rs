//! Opening the store that a command works on.

use onceward::{Engine, Onceward};
use onceward_db::{Component, Database};

use crate::command::Run;
use crate::config::{Config, StoreUrl};
use crate::secrets;
use crate::stop::Stop;

/// Whatever keeps tables in the store.
pub(crate) const COMPONENTS: &[Component] = &[onceward::QUEUE_TABLES, onceward_publish::PUBLISH_TABLES];

/// The store that is meant, and the configuration that goes with it.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) config: Config,
    pub(crate) url: StoreUrl,
    pub(crate) once: Onceward,
}

impl Store {
    /// Refuses to send what was only rehearsed.
    pub(crate) fn refuse_rehearsal(&self) -> Result<(), Stop> {
        if !self.url.is_rehearsal() {
            return Ok(());
        }
        let text = format!("{} holds a rehearsal; only `onceward publish --sandbox` sends from it", self.url);
        Err(Stop::usage("rehearsal_store", text))
    }
}

/// A store's URL as the flags, the environment and the configuration name it.
pub(crate) fn named(run: &Run, config: &Config) -> Result<StoreUrl, Stop> {
    let url = config.store(run.global.store.as_deref(), &run.here);
    url.map_err(|text| Stop::usage("store_url", text))
}

/// The database behind it, whatever its tables are.
pub(crate) async fn database(url: &StoreUrl) -> Result<Database, Stop> {
    Database::open(url.expose()).await.map_err(|error| at(url, &error.into()))
}

/// A file that belongs to another program gets no tables of ours by a slip of the hand.
///
/// # Errors
/// `store_foreign`.
pub(crate) async fn ours(url: &StoreUrl) -> Result<(), Stop> {
    // What is no file cannot be looked into; opening it says why.
    if url.file().is_some_and(|file| !file.is_file()) {
        return Ok(());
    }
    if !Database::is_foreign(url.expose()).await.map_err(|error| at(url, &error.into()))? {
        return Ok(());
    }
    let text = format!(
        "{url}: this database belongs to something else: it has tables, and none of Onceward's. Name another file, or \
         put Onceward's tables into this one with `onceward db migrate`"
    );
    Err(Stop::usage("store_foreign", text))
}

/// A look must not make a store at a path that was mistyped.
///
/// # Errors
/// `not_found`.
pub(crate) fn existing(url: &StoreUrl) -> Result<(), Stop> {
    let Some(file) = url.file().filter(|file| !file.exists()) else { return Ok(()) };
    let text = format!(
        "{}: there is no such store; `onceward work`, `enqueue` and `publish` make it, and --store names another one",
        file.display()
    );
    Err(Stop::failed("not_found", text))
}

impl Run {
    /// Does something with what is in the store, which must be there.
    pub(crate) async fn with_existing<T>(
        &self,
        act: impl AsyncFnOnce(&Store) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let config = self.config()?;
        let url = named(self, &config)?;
        existing(&url)?;
        self.with_store_at(config, url, act).await
    }

    /// Does something with the store, whose tables are those of this version, and closes it. SQLite is brought to
    /// this version by itself.
    pub(crate) async fn with_store<T>(
        &self,
        act: impl AsyncFnOnce(&Store) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let config = self.config()?;
        let url = named(self, &config)?;
        self.with_store_at(config, url, act).await
    }

    /// The same with this configuration and that store, whatever flags and files say.
    pub(crate) async fn with_store_at<T>(
        &self,
        config: Config,
        url: StoreUrl,
        act: impl AsyncFnOnce(&Store) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let new = url.file().filter(|file| !file.exists());
        ours(&url).await?;
        let db = database(&url).await?;
        if let Some(file) = new {
            self.output.note(&format!("made a new store: {}", file.display()));
        }
        let (mut config, once) = (config, current(db).await.map_err(|error| at(&url, &error))?);
        secrets::unlock(&mut config, &once).await?;
        let store = Store { config, url, once };
        let done = act(&store).await;
        store.once.close().await;
        done
    }
}

impl Run {
    /// Does something with the configuration, and with the store if stored secrets are asked for and it is there: a
    /// look does not make it.
    pub(crate) async fn with_secrets<T>(
        &self,
        act: impl AsyncFnOnce(&Config, Option<&Onceward>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let config = self.config()?;
        let stored = config.channels.iter().any(|channel| channel.stored().next().is_some());
        if !stored || named(self, &config)?.file().is_some_and(|file| !file.exists()) {
            return act(&config, None).await;
        }
        self.with_store(async |store| act(&store.config, Some(&store.once)).await).await
    }
}

async fn current(db: Database) -> Result<Onceward, onceward::Error> {
    match db.engine() {
        Engine::Sqlite => drop(db.migrate(COMPONENTS).await?),
        Engine::Postgres => db.require(COMPONENTS).await?,
    }
    Onceward::over(db).await
}

/// The same error with the store that it is about, whose URL is shown without its password.
fn at(url: &StoreUrl, error: &onceward::Error) -> Stop {
    let said = error.to_string();
    let has_name = url.file().is_some_and(|file| said.contains(&*file.to_string_lossy()));
    let text = if has_name { said } else { format!("{url}: {said}") };
    Stop { text, ..Stop::of(error) }
}
