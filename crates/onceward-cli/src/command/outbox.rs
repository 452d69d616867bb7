//! `onceward outbox`.

mod relay;
mod status;

use onceward::{OUTBOX_TABLES, Outbox};
use onceward_db::Component;
use serde_json::{Map, Value, json};

use super::Run;
use super::select::{confirm, instant};
use crate::args::{self, OutboxVerb, Replay};
use crate::config;
use crate::exit::Exit;
use crate::relaying::{self, place};
use crate::stop::Stop;
use crate::store::Store;

const TABLES: &[Component] = &[OUTBOX_TABLES];

pub(crate) async fn run(run: &Run, verb: &OutboxVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| match verb {
        OutboxVerb::Status(which) => status::say(run, store, which.names()).await,
        OutboxVerb::Relay(args) => relay::run(run, store, args).await,
        OutboxVerb::Replay(args) => replay(run, store, args).await,
        OutboxVerb::Migrate { which, print } => {
            let relay = relaying::only(&store.config, which.name())?;
            migrate(run, store, relay, *print).await.map_err(|stop| relaying::of(relay, stop))
        }
        OutboxVerb::Skip(rows) => skip(run, store, rows).await,
        OutboxVerb::Forget { name } => forget(run, store, name).await,
    })
    .await
}

/// The outbox of a relay, for whoever changes its rows.
async fn outbox(store: &Store, relay: &config::Relay) -> Result<Outbox, Stop> {
    place::outbox(&store.config, relay).await.map_err(|stop| relaying::of(relay, stop))
}

async fn replay(run: &Run, store: &Store, args: &Replay) -> Result<Exit, Stop> {
    let since = instant(store, &args.since)?;
    let relay = relaying::only(&store.config, args.which.name())?;
    let (outbox, name) = (outbox(store, relay).await?, &relay.name.name);
    let count = outbox.replayable(since).await?;
    if args.dry_run {
        run.output.answer(&json!({ "dry_run": true, "matching": count }), || {
            format!("would hand over {} of {name} again; nothing was changed", rows(count))
        })?;
        return Ok(Exit::Fine);
    }
    if count > 0 && !args.yes {
        confirm(run, &format!("hand over {} of {name} again, sent since {since}?", rows(count)))?;
    }
    let count = outbox.replay(since).await?;
    run.output.answer(&json!({ "replayed": count }), || {
        format!("{count} rows of {name} wait to be handed over again; what the target has, it knows")
    })?;
    Ok(Exit::Fine)
}

fn rows(count: u64) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

async fn skip(run: &Run, store: &Store, args: &args::Rows) -> Result<Exit, Stop> {
    let relay = relaying::only(&store.config, args.relay.as_slice())?;
    let skipped = outbox(store, relay).await?.skip(args.ids.clone()).await?;
    Rows::new("given up", &args.ids, skipped).say(run)
}

async fn migrate(run: &Run, store: &Store, relay: &config::Relay, print: bool) -> Result<Exit, Stop> {
    if print {
        let sql = onceward_db::script(TABLES, place::engine(&store.config, relay)?);
        run.output.answer(&json!({ "sql": sql }), || sql.clone())?;
        return Ok(Exit::Fine);
    }
    let db = place::database(&store.config, relay).await?;
    let steps = db.migrate(TABLES).await?;
    db.close().await;
    run.output.answer(&json!({ "steps": steps }), || match steps {
        0 => "the outbox's table is there already".to_owned(),
        _ => "made the outbox's table; docs/outbox.md says what to write into it".to_owned(),
    })?;
    Ok(Exit::Fine)
}

/// Whoever still has the relay says anew how it stands.
async fn forget(run: &Run, store: &Store, name: &str) -> Result<Exit, Stop> {
    if store.config.relays.iter().any(|relay| relay.name.name == name) {
        let text = format!(
            "relay {name} is configured here, and would be noted again; take it out of the file first"
        );
        return Err(Stop::usage("relay_configured", text));
    }
    if !store.once.forget_relay(name).await? {
        return Err(Stop::usage("not_found", format!("nothing is known of a relay called `{name}`")));
    }
    run.output.answer(&json!({ "forgotten": name }), || format!("relay {name} is forgotten"))?;
    Ok(Exit::Fine)
}

/// The rows that a verb was given, and those that it was true of.
#[derive(Debug)]
struct Rows {
    what: &'static str,
    done: Vec<i64>,
    /// Those that are not refused.
    left: Vec<i64>,
}

impl Rows {
    fn new(what: &'static str, asked: &[i64], done: Vec<i64>) -> Self {
        let left = asked.iter().copied().filter(|id| !done.contains(id)).collect();
        Self { what, done, left }
    }

    fn document(&self) -> Map<String, Value> {
        [("rows".to_owned(), json!(self.done)), ("left".to_owned(), json!(self.left))].into_iter().collect()
    }

    fn words(&self) -> String {
        let ids: Vec<_> = self.left.iter().map(ToString::to_string).collect();
        let rest =
            if ids.is_empty() { String::new() } else { format!("; no refused row: {}", ids.join(", ")) };
        format!("{} {}{rest}", self.done.len(), self.what)
    }

    /// A row that was named and left as it is makes the command fail.
    fn exit(&self) -> Exit {
        if self.left.is_empty() { Exit::Fine } else { Exit::Failed }
    }

    fn say(&self, run: &Run) -> Result<Exit, Stop> {
        run.output.answer(&Value::from(self.document()), || self.words())?;
        Ok(self.exit())
    }
}
