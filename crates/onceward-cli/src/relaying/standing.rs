//! How relays stand, and what that means for the exit code.

use std::time::Duration;

use futures_util::future::join_all;
use onceward::{RelayView, Time};
use serde::Serialize;
use tokio::time::timeout;

use super::place;
use crate::config;
use crate::exit::Exit;
use crate::output::{plain, relative};
use crate::stop::Stop;
use crate::store::Store;

/// How long an outbox may take to be looked at.
const PATIENCE: Duration = Duration::from_secs(5);

/// A relay in a document.
#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    #[serde(flatten)]
    view: RelayView,
    /// How long its oldest row has waited, in seconds.
    lag: Option<u64>,
}

impl From<RelayView> for Standing {
    fn from(view: RelayView) -> Self {
        let lag = view.oldest_at.map(|at| Time::now().since(at).as_secs());
        Self { view, lag }
    }
}

/// Asks all these outboxes at once. One that gives no answer in time is away.
pub(crate) async fn ask<'c, T>(
    relays: impl IntoIterator<Item = &'c config::Relay>,
    ask: impl AsyncFn(&'c config::Relay) -> Result<T, Stop>,
) -> Vec<(&'c config::Relay, Result<T, Stop>)> {
    let (ask, late) = (&ask, || format!("no answer within {} seconds", PATIENCE.as_secs()));
    let asked = relays.into_iter().map(|relay| async move {
        let answer = timeout(PATIENCE, ask(relay)).await;
        (relay, answer.unwrap_or_else(|_| Err(Stop::failed("outbox", late()))))
    });
    join_all(asked).await
}

/// How each relay stands now: rows wait whether or not somebody relays them. One of which only another process knows where
/// its outbox is stands as that one saw it last.
pub(crate) async fn look(store: &Store) -> Result<Vec<RelayView>, Stop> {
    let mut views = store.once.relays().await?;
    let looks = ask(&store.config.relays, async |relay| {
        let outbox = place::look(&store.config, relay).await?;
        let view = outbox.standing(&relay.name.name).await;
        outbox.close().await;
        Ok(view?)
    });
    for (relay, looked) in looks.await {
        let name = &relay.name.name;
        let noted = views.iter().position(|view| view.name == *name).map(|at| views.remove(at));
        views.push(looked.unwrap_or_else(|error| unread(name, noted, error)));
    }
    views.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(views)
}

fn unread(name: &str, noted: Option<RelayView>, why: Stop) -> RelayView {
    let is_known = noted.is_some();
    let view = noted.unwrap_or_else(|| RelayView { name: name.to_owned(), ..RelayView::default() });
    // Where its outbox is says a secret that this machine lacks, and of that the outbox is not away.
    let away_since = match why.code {
        place::NO_URL if is_known => view.away_since,
        _ => view.away_since.or_else(|| Some(Time::now())),
    };
    RelayView { away_since, error: Some(why.text), ..view }
}

/// What stands in the way of a relay; none when nothing does. One that is not configured here may be another
/// configuration's, or nobody's any more.
pub(crate) fn say(view: &RelayView, is_ours: bool, now: Time) -> Option<String> {
    let away = view.away_since.map(|at| format!("the outbox cannot be read since {}", relative(at, now)));
    let waiting =
        view.oldest_at.map(|at| format!("{} waiting, the oldest {}", view.waiting, relative(at, now)));
    let refused = (view.refused > 0).then(|| format!("{} refused", view.refused));
    let said: Vec<String> = [away, waiting, refused].into_iter().flatten().collect();
    if said.is_empty() {
        return None;
    }
    let name = &view.name;
    let advice = if is_ours {
        format!("onceward outbox status {name}")
    } else {
        format!("as another configuration saw it; if none has it any more: onceward outbox forget {name}")
    };
    let error = view.error.as_ref().map(|error| format!("\n  last error: {}", plain(error)));
    Some(format!("relay {name}: {}: {advice}{}", said.join(", "), error.unwrap_or_default()))
}

/// How relays stand as an exit code.
pub(crate) fn exit(views: &[RelayView]) -> Exit {
    let count = |of: fn(&RelayView) -> u64| views.iter().map(of).sum();
    verdict(
        count(|view| view.refused),
        count(|view| view.waiting),
        views.iter().any(|it| it.away_since.is_some()),
    )
}

/// Rows that are refused are dead, and those that wait are not settled, as jobs would be; nor is what cannot be looked at.
pub(crate) fn verdict(refused: u64, waiting: u64, is_away: bool) -> Exit {
    match (refused, waiting, is_away) {
        (1.., ..) => Exit::Dead,
        (0, 0, false) => Exit::Fine,
        _ => Exit::Unsettled,
    }
}

/// The line on standard error, when rows need a person.
pub(crate) fn call(views: &[RelayView]) -> Option<String> {
    match views.iter().map(|view| view.refused).sum::<u64>() {
        0 => None,
        1 => Some("1 row refused: onceward outbox status".to_owned()),
        many => Some(format!("{many} rows refused: onceward outbox status")),
    }
}
