//! `onceward outbox`.

mod status;

use onceward::{OUTBOX_TABLES, Outbox, Relayed, Time};
use onceward_db::Component;
use onceward_publish::date;
use serde_json::json;

use super::Run;
use crate::args::{OutboxVerb, RelayArgs, Replay, Rows};
use crate::config;
use crate::exit::Exit;
use crate::relaying::{self, standing};
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;

const TABLES: &[Component] = &[OUTBOX_TABLES];

pub(crate) async fn run(run: &Run, verb: &OutboxVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| match verb {
        OutboxVerb::Status { names } => status::say(run, store, names).await,
        OutboxVerb::Relay(args) => relay(run, store, args).await,
        OutboxVerb::Replay(args) => replay(run, store, args).await,
        OutboxVerb::Migrate { name, print } => migrate(run, store, name.as_ref(), *print).await,
        OutboxVerb::Skip(rows) => skip(run, store, rows).await,
    })
    .await
}

async fn relay(run: &Run, store: &Store, args: &RelayArgs) -> Result<Exit, Stop> {
    if !args.retry.is_empty() {
        let outbox =
            relaying::outbox(&store.config, relaying::only(&store.config, args.names.first())?).await?;
        let retried = outbox.retry(args.retry.clone()).await?;
        changed(run, "handed over again", &args.retry, &retried)?;
    }
    let chosen = relaying::chosen(&store.config, &args.names)?;
    if chosen.is_empty() {
        return Err(Stop::failed("not_found", "no relay is configured; add [[relays]] with name and from"));
    }
    let (mut total, mut stand) = (Relayed::default(), Vec::new());
    for configured in &chosen {
        // What cannot be run is said before any runs.
        let relay = relaying::relay(store, configured).await?;
        if args.until_idle {
            let did = relay.run_until_idle().await?;
            total.sent += did.sent;
            total.refused += did.refused;
            total.waiting += did.waiting;
            relaying::note(store, &configured.name.name, &relay).await;
            stand.push(relay.outbox().standing(&configured.name.name).await?);
        }
        relay.outbox().clone().close().await;
    }
    if !args.until_idle {
        return until_stopped(run, store, &chosen).await;
    }
    said(run, total)?;
    Ok(standing::exit(&stand))
}

async fn until_stopped(run: &Run, store: &Store, relays: &[&config::Relay]) -> Result<Exit, Stop> {
    let signals = Signals::catch()?;
    let names: Vec<_> = relays.iter().map(|relay| relay.name.name.as_str()).collect();
    run.output.note(&format!("relaying {}, until SIGTERM or Ctrl-C", names.join(", ")));
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let until_signal = async {
        let exit = signals.first(&run.output).await;
        // Nobody listens when all have ended.
        let _ = stop.send(true);
        exit
    };
    let relaying = relaying::some(run, store, relays.iter().copied(), stopped);
    let (exit, ()) = tokio::join!(until_signal, relaying);
    Ok(exit)
}

fn said(run: &Run, did: Relayed) -> Result<(), Stop> {
    let Relayed { sent, refused, waiting } = did;
    run.output.answer(&json!({ "sent": sent, "refused": refused, "waiting": waiting }), || {
        let figures = [(sent, "handed over"), (refused, "refused"), (waiting, "to be tried again")];
        let some: Vec<_> =
            figures.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if some.is_empty() { "nothing was due".to_owned() } else { some.join(", ") }
    })
}

async fn replay(run: &Run, store: &Store, args: &Replay) -> Result<Exit, Stop> {
    let since = date::parse(&args.since, store.config.publish.timezone.as_ref());
    let since: Time = since.map_err(|error| Stop::usage(error.code(), format!("--since: {error}")))?.at;
    let relay = relaying::only(&store.config, args.name.as_ref())?;
    let outbox: Outbox = relaying::outbox(&store.config, relay).await?;
    let count = outbox.replay(since).await?;
    run.output.answer(&json!({ "replayed": count }), || {
        format!(
            "{count} rows of {} wait to be handed over again; what the target has, it knows",
            relay.name.name
        )
    })?;
    Ok(Exit::Fine)
}

async fn skip(run: &Run, store: &Store, rows: &Rows) -> Result<Exit, Stop> {
    let relay = relaying::only(&store.config, rows.relay.as_ref())?;
    let outbox = relaying::outbox(&store.config, relay).await?;
    let skipped = outbox.skip(rows.ids.clone()).await?;
    changed(run, "given up", &rows.ids, &skipped)?;
    Ok(if skipped.len() == rows.ids.len() { Exit::Fine } else { Exit::Failed })
}

async fn migrate(run: &Run, store: &Store, name: Option<&String>, print: bool) -> Result<Exit, Stop> {
    let relay = relaying::only(&store.config, name)?;
    if print {
        let sql = onceward_db::script(TABLES, relaying::engine(&store.config, relay)?);
        run.output.answer(&json!({ "sql": sql }), || sql.clone())?;
        return Ok(Exit::Fine);
    }
    let db = relaying::database(&store.config, relay).await?;
    let steps = db.migrate(TABLES).await?;
    db.close().await;
    run.output.answer(&json!({ "steps": steps }), || match steps {
        0 => "the outbox's table is there already".to_owned(),
        _ => "made the outbox's table; docs/outbox.md says what to write into it".to_owned(),
    })?;
    Ok(Exit::Fine)
}

fn changed(run: &Run, what: &str, asked: &[i64], done: &[i64]) -> Result<(), Stop> {
    let left: Vec<_> = asked.iter().filter(|id| !done.contains(id)).collect();
    run.output.answer(&json!({ "rows": done, "left": left }), || {
        let rest = if left.is_empty() {
            String::new()
        } else {
            let ids: Vec<_> = left.iter().map(ToString::to_string).collect();
            format!("; no refused row: {}", ids.join(", "))
        };
        format!("{} {what}{rest}", done.len())
    })
}
