//! `onceward outbox relay`: hands over rows, of each outbox that is there.

use onceward::{Lag, Relayed, Time};
use serde_json::{Map, Value, json};

use super::Rows;
use crate::args::RelayArgs;
use crate::command::Run;
use crate::config;
use crate::exit::{self, Exit};
use crate::output::{call, plain};
use crate::relaying::{self, place, standing};
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::Store;

pub(super) async fn run(run: &Run, store: &Store, args: &RelayArgs) -> Result<Exit, Stop> {
    let chosen = relaying::some(&store.config, args.which.names())?;
    // One that lacks its URL keeps no other from relaying; it is named with those that are away.
    let lacks = |relay: &&config::Relay| {
        place::check(&store.config, relay).err().map(|stop| relaying::of(relay, stop))
    };
    let lacking: Vec<Stop> = chosen.iter().filter_map(lacks).collect();
    if lacking.len() == chosen.len() {
        return lacking.into_iter().next().map_or(Ok(Exit::Fine), Err);
    }
    let retried = retry(store, args).await?;
    if args.until_idle {
        return until_idle(run, store, &chosen, retried).await;
    }
    if let Some(rows) = retried {
        rows.say(run)?;
    }
    until_stopped(run, store, &chosen).await
}

async fn retry(store: &Store, args: &RelayArgs) -> Result<Option<Rows>, Stop> {
    if args.retry.is_empty() {
        return Ok(None);
    }
    let relay = relaying::only(&store.config, args.which.names())?;
    let outbox = super::outbox(store, relay).await?;
    let retried = outbox.retry(args.retry.clone()).await?;
    outbox.close().await;
    Ok(Some(Rows::new("handed over again", &args.retry, retried)))
}

/// What a run did, and what it left.
#[derive(Debug, Default)]
struct Did {
    sent: u64,
    refused: u64,
    left: Vec<Lag>,
    /// The relays that could not be run, and why.
    away: Vec<(String, String)>,
}

async fn until_idle(
    run: &Run,
    store: &Store,
    relays: &[&config::Relay],
    retried: Option<Rows>,
) -> Result<Exit, Stop> {
    let mut did = Did::default();
    for relay in relays {
        match relaying::once(store, relay).await {
            Ok((Relayed { sent, refused, .. }, lag)) => {
                did.sent += sent;
                did.refused += refused;
                did.left.push(lag);
            }
            Err(stop) => did.away.push((relay.name.name.clone(), stop.text)),
        }
    }
    run.output.answer(&did.document(retried.as_ref()), || did.words(retried.as_ref()))?;
    for (name, why) in &did.away {
        call(&plain(&format!("relay {name}: {why}")));
    }
    Ok(exit::worse(did.exit(), retried.map_or(Exit::Fine, |rows| rows.exit())))
}

impl Did {
    fn count(&self, of: impl Fn(&Lag) -> u64) -> u64 {
        self.left.iter().map(of).sum()
    }

    fn claimed_until(&self) -> Option<Time> {
        self.left.iter().filter_map(|lag| lag.claimed_until).max()
    }

    fn document(&self, retried: Option<&Rows>) -> Value {
        let away: Vec<Value> =
            self.away.iter().map(|(name, why)| json!({ "relay": name, "text": why })).collect();
        let mut document = retried.map_or_else(Map::new, Rows::document);
        document.extend([
            ("sent".to_owned(), self.sent.into()),
            ("refused".to_owned(), self.refused.into()),
            ("waiting".to_owned(), self.count(|lag| lag.waiting).into()),
            ("held_back".to_owned(), self.count(|lag| lag.held_back).into()),
            ("claimed".to_owned(), self.count(|lag| lag.claimed).into()),
            ("claimed_until".to_owned(), json!(self.claimed_until())),
            ("away".to_owned(), away.into()),
        ]);
        document.into()
    }

    fn words(&self, retried: Option<&Rows>) -> String {
        let (held_back, claimed) = (self.count(|lag| lag.held_back), self.count(|lag| lag.claimed));
        let again = self.count(|lag| lag.waiting).saturating_sub(held_back + claimed);
        let until = self.claimed_until().map(|at| format!(" until {at}")).unwrap_or_default();
        let figures = [
            (self.sent, "handed over".to_owned()),
            (self.refused, "refused".to_owned()),
            (held_back, "held back by a refused row of their key".to_owned()),
            (claimed, format!("claimed by another process{until}")),
            (again, "to be tried again".to_owned()),
        ];
        let some = figures.iter().filter(|(count, _)| *count > 0);
        let some: Vec<String> = some.map(|(count, words)| format!("{count} {words}")).collect();
        let nothing = if self.left.is_empty() { "nothing was handed over" } else { "nothing was due" };
        let said = if some.is_empty() { nothing.to_owned() } else { some.join(", ") };
        retried.map_or_else(|| said.clone(), |rows| format!("{}\n{said}", rows.words()))
    }

    /// What stands refused counts, also when this run had nothing to do.
    fn exit(&self) -> Exit {
        let is_away = !self.away.is_empty();
        standing::verdict(self.count(|lag| lag.refused), self.count(|lag| lag.waiting), is_away)
    }
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
    let relaying = relaying::these(run, store, relays.iter().copied(), stopped);
    let (exit, ()) = tokio::join!(until_signal, relaying);
    Ok(exit)
}
