//! How relays stand, and what that means for the exit code.

use std::time::Duration;

use futures_util::future::join_all;
use onceward::{OUTBOX_TABLES, Outbox, RelayView, Time};
use onceward_db::Database;
use serde::Serialize;
use tokio::time::timeout;

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

/// How each relay stands now: rows wait whether or not somebody relays them. One of which only another process knows where
/// its outbox is stands as that one saw it last.
pub(crate) async fn look(store: &Store) -> Result<Vec<RelayView>, Stop> {
    let mut views = store.once.relays().await?;
    let looks = store.config.relays.iter().map(async |relay| {
        let looked = timeout(PATIENCE, look_at(store, relay)).await;
        let late = |_| Stop::failed("outbox", format!("no answer within {} seconds", PATIENCE.as_secs()));
        (&relay.name.name, looked.map_err(late).flatten())
    });
    for (name, looked) in join_all(looks).await {
        let noted = views.iter().position(|view| view.name == *name).map(|at| views.remove(at));
        views.push(looked.unwrap_or_else(|error| unread(name, noted, error)));
    }
    views.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(views)
}

async fn look_at(store: &Store, relay: &config::Relay) -> Result<RelayView, Stop> {
    let db = super::database(&store.config, relay).await?;
    let view = look_into(&db, &relay.name.name).await;
    db.close().await;
    view
}

/// Changes no table: whoever only looks changes nothing.
async fn look_into(db: &Database, name: &str) -> Result<RelayView, Stop> {
    let (found, needed) = (db.version(&OUTBOX_TABLES).await?, OUTBOX_TABLES.newest());
    if found < needed {
        let is = match found {
            0 => "its table is not there; make it".to_owned(),
            _ => format!("its table is at version {found}, this program needs {needed}; bring it there"),
        };
        return Err(Stop::failed("outbox", format!("{is} with `onceward outbox migrate {name}`")));
    }
    Ok(Outbox::over(db.clone()).await?.standing(name).await?)
}

fn unread(name: &str, noted: Option<RelayView>, why: Stop) -> RelayView {
    let is_known = noted.is_some();
    let view = noted.unwrap_or_else(|| RelayView { name: name.to_owned(), ..RelayView::default() });
    // Where its outbox is says a secret that this machine lacks, and of that the outbox is not away.
    let away_since = match why.code {
        super::NO_URL if is_known => view.away_since,
        _ => view.away_since.or_else(|| Some(Time::now())),
    };
    RelayView { away_since, error: Some(why.text), ..view }
}

/// What stands in the way of a relay; none when nothing does.
pub(crate) fn say(view: &RelayView, now: Time) -> Option<String> {
    let away = view.away_since.map(|at| format!("the outbox cannot be read since {}", relative(at, now)));
    let waiting =
        view.oldest_at.map(|at| format!("{} waiting, the oldest {}", view.waiting, relative(at, now)));
    let refused = (view.refused > 0).then(|| format!("{} refused", view.refused));
    let said: Vec<String> = [away, waiting, refused].into_iter().flatten().collect();
    if said.is_empty() {
        return None;
    }
    let error = view.error.as_ref().map(|error| format!("\n  last error: {}", plain(error)));
    let name = &view.name;
    Some(format!(
        "relay {name}: {}: onceward outbox status {name}{}",
        said.join(", "),
        error.unwrap_or_default()
    ))
}

/// Rows that are refused are dead, and those that wait are not settled, as jobs would be.
pub(crate) fn exit(views: &[RelayView]) -> Exit {
    if views.iter().any(|view| view.refused > 0) {
        Exit::Dead
    } else if views.iter().any(|view| view.waiting > 0 || view.away_since.is_some()) {
        Exit::Unsettled
    } else {
        Exit::Fine
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
