//! `onceward dead`.

pub(super) mod groups;
mod revive;

use onceward::{Filter, State};

use super::Run;
use super::jobs::{show, table};
use super::select::{self, Did, Verb};
use crate::args::{Bulk, DeadVerb};
use crate::exit::Exit;
use crate::stop::Stop;
use crate::store::Store;

pub(crate) async fn run(run: &Run, verb: &DeadVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| match verb {
        DeadVerb::List { filter, page } => {
            let filter = select::filter(store, filter, &Filter::state(State::Dead)).await?;
            table::list(run, store, &filter, page, "no job is dead").await
        }
        DeadVerb::Groups(kin) => groups::say(run, store.once.dead_groups().await?, kin, "no job is dead"),
        DeadVerb::Show { id } => show::show(run, store, *id).await,
        DeadVerb::Revive(args) => revive::run(run, store, args).await,
        DeadVerb::Discard(bulk) => discard(run, store, bulk).await,
        DeadVerb::Undiscard(bulk) => undiscard(run, store, bulk).await,
    })
    .await
}

async fn discard(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let verb = Verb::new("discard", &[State::Dead]);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.discard(selection.clone()).await?;
    let words = "discarded; for five minutes `onceward dead undiscard` takes it back";
    Did::one("discarded", words, answers).say(run, &selection)
}

async fn undiscard(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let verb = Verb::new("take back the discard of", &[State::Dead]);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.undiscard(selection.clone()).await?;
    let mut did = Did::one("undiscarded", "dead again, and not discarded", answers);
    if !matches!(selection, onceward::Selection::Ids(_)) {
        // A filter cannot ask for discarded jobs, so it also meets those that never were.
        did.left.retain(|(_, left)| left.code != "not_discarded");
    }
    did.say(run, &selection)
}
