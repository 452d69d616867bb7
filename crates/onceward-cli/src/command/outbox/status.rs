//! `onceward outbox status`: how far each relay is behind, and what stands in its way.

use onceward::{Lag, Page, RefusedRow, TargetView, Time};
use serde::Serialize;

use crate::command::Run;
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown, relative};
use crate::relaying;
use crate::stop::Stop;
use crate::store::Store;

/// Refused rows that are shown of each relay.
const MOST: usize = 50;

#[derive(Debug, Serialize)]
struct Item {
    relay: String,
    #[serde(flatten)]
    lag: Lag,
    targets: Vec<TargetView>,
    refused_rows: Vec<RefusedRow>,
}

pub(super) async fn say(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    let mut items = Vec::new();
    for relay in relaying::chosen(&store.config, names)? {
        let outbox = relaying::outbox(&store.config, relay).await?;
        items.push(Item {
            relay: relay.name.name.clone(),
            lag: outbox.lag().await?,
            targets: outbox.targets().await?,
            refused_rows: outbox.refused(MOST).await?,
        });
        outbox.close().await;
    }
    let page = Page { items, next: None };
    run.output.answer(&page, || match page.items.as_slice() {
        [] => "no relay is configured; add [[relays]] with name and from to onceward.toml".to_owned(),
        items => text(run, items),
    })?;
    Ok(verdict(&page.items))
}

fn verdict(items: &[Item]) -> Exit {
    if items.iter().any(|item| item.lag.refused > 0) {
        return Exit::Dead;
    }
    if items.iter().any(|item| item.lag.waiting > 0) { Exit::Unsettled } else { Exit::Fine }
}

fn text(run: &Run, items: &[Item]) -> String {
    let now = Time::now();
    let mut grid = Grid::new(["relay", "waiting", "oldest", "refused", "last error"]);
    for item in items {
        let failed = item.targets.iter().find_map(|target| target.error.as_ref());
        grid.row([
            Cell::Whole(item.relay.clone()),
            Cell::Number(item.lag.waiting),
            Cell::maybe(item.lag.oldest_at.map(|at| relative(at, now))),
            Cell::Number(item.lag.refused),
            Cell::maybe(failed.map(|cause| cause.text.clone())),
        ]);
    }
    let mut text = grid.show(&run.output);
    let refused: Vec<_> =
        items.iter().flat_map(|item| item.refused_rows.iter().map(|row| (&item.relay, row))).collect();
    if !refused.is_empty() {
        let mut grid = Grid::new(["refused", "relay", "queue", "kind", "written", "why"]);
        for (relay, row) in refused {
            grid.row([
                Cell::Whole(format!("{} {}", Shown::Dead.shape(), row.id)),
                relay.as_str().into(),
                row.queue.as_str().into(),
                row.kind.as_str().into(),
                relative(row.created_at, now).as_str().into(),
                Cell::maybe(row.error.as_ref().map(|cause| cause.text.clone())),
            ]);
        }
        text.push_str("\n\n");
        text.push_str(&grid.show(&run.output));
        text.push_str(
            "\n\nCorrect the row and run `onceward outbox relay --retry ID`, or `onceward outbox skip ID`.",
        );
    }
    text
}
