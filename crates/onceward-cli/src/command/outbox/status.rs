//! `onceward outbox status`: how far each relay is behind, and what stands in its way.

use onceward::{Lag, Page, RefusedRow, TargetView, Time};
use serde::Serialize;

use crate::command::Run;
use crate::config;
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown, plain, relative};
use crate::relaying::{self, place, standing};
use crate::stop::Stop;
use crate::store::Store;

/// Refused rows that are shown of each relay.
const MOST: usize = 50;

#[derive(Debug, Serialize)]
struct Item {
    relay: String,
    #[serde(flatten)]
    seen: Option<Seen>,
    /// Why its outbox cannot be looked at.
    error: Option<String>,
}

/// What is in an outbox.
#[derive(Debug, Serialize)]
struct Seen {
    #[serde(flatten)]
    lag: Lag,
    targets: Vec<TargetView>,
    refused_rows: Vec<RefusedRow>,
}

pub(super) async fn say(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    let relays = relaying::chosen(&store.config, names)?;
    let seen = standing::ask(relays, async |relay| look(store, relay).await).await;
    let item = |(relay, seen): (&config::Relay, Result<Seen, Stop>)| {
        let (seen, error) = seen.map_or_else(|stop| (None, Some(stop.text)), |seen| (Some(seen), None));
        Item { relay: relay.name.name.clone(), seen, error }
    };
    let page = Page { items: seen.into_iter().map(item).collect(), next: None };
    run.output.answer(&page, || match page.items.as_slice() {
        [] => relaying::NONE.to_owned(),
        items => text(run, items),
    })?;
    Ok(exit(&page.items))
}

async fn look(store: &Store, relay: &config::Relay) -> Result<Seen, Stop> {
    let outbox = place::look(&store.config, relay).await?;
    let seen = Seen {
        lag: outbox.lag().await?,
        targets: outbox.targets().await?,
        refused_rows: outbox.refused(MOST).await?,
    };
    outbox.close().await;
    Ok(seen)
}

fn exit(items: &[Item]) -> Exit {
    let seen = || items.iter().filter_map(|item| item.seen.as_ref());
    let count = |of: fn(&Lag) -> u64| seen().map(|seen| of(&seen.lag)).sum();
    let is_away = items.iter().any(|item| item.error.is_some());
    standing::verdict(count(|lag| lag.refused), count(|lag| lag.waiting), is_away)
}

fn text(run: &Run, items: &[Item]) -> String {
    let seen: Vec<(&str, &Seen)> =
        items.iter().filter_map(|item| Some((item.relay.as_str(), item.seen.as_ref()?))).collect();
    let away = items.iter().filter_map(|item| {
        let why = item.error.as_ref()?;
        Some(format!("relay {}: the outbox cannot be looked at: {}", item.relay, plain(why)))
    });
    let away: Vec<String> = away.collect();
    let parts = [figures(run, &seen), away.join("\n"), refused(run, &seen)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn figures(run: &Run, seen: &[(&str, &Seen)]) -> String {
    if seen.is_empty() {
        return String::new();
    }
    let now = Time::now();
    let mut grid = Grid::new(["relay", "waiting", "oldest", "refused", "held back", "last error"]);
    for (relay, Seen { lag, targets, .. }) in seen {
        let failed = targets.iter().find_map(|target| target.error.as_ref());
        grid.row([
            Cell::Whole((*relay).to_owned()),
            Cell::Number(lag.waiting),
            Cell::maybe(lag.oldest_at.map(|at| relative(at, now))),
            Cell::Number(lag.refused),
            Cell::Number(lag.held_back),
            Cell::maybe(failed.map(|cause| cause.text.clone())),
        ]);
    }
    grid.show(&run.output)
}

fn refused(run: &Run, seen: &[(&str, &Seen)]) -> String {
    let refused: Vec<_> = seen
        .iter()
        .flat_map(|(relay, seen)| seen.refused_rows.iter().map(move |row| (*relay, row)))
        .collect();
    if refused.is_empty() {
        return String::new();
    }
    let now = Time::now();
    let mut grid = Grid::new(["refused", "relay", "queue", "kind", "written", "why"]);
    for (relay, row) in refused {
        grid.row([
            Cell::Whole(format!("{} {}", Shown::Dead.shape(), row.id)),
            relay.into(),
            row.queue.as_str().into(),
            row.kind.as_str().into(),
            relative(row.created_at, now).as_str().into(),
            Cell::maybe(row.error.as_ref().map(|cause| cause.text.clone())),
        ]);
    }
    format!(
        "{}\n\nCorrect the row and run `onceward outbox relay --retry ID`, or `onceward outbox skip ID`.",
        grid.show(&run.output)
    )
}
