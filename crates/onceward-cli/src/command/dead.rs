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
    run.with_existing(async |store| match verb {
        DeadVerb::List { filter, discarded, page } => {
            let among = Filter { discarded: discarded.then_some(true), ..Filter::state(State::Dead) };
            let filter = select::filter(store, filter, &among).await?;
            let none = if *discarded { "no job is discarded" } else { "no job is dead" };
            table::list(run, store, &filter, page, none).await
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
    let verb = Verb { name: "discard", among: undecided() };
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.discard(selection.clone()).await?;
    let words = "discarded; for five minutes `onceward dead undiscard` takes it back";
    Did::one("discarded", words, answers).say(run, &selection)
}

/// Dead jobs that nobody has discarded.
fn undecided() -> Filter {
    Filter { discarded: Some(false), ..Filter::state(State::Dead) }
}

async fn undiscard(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let among = Filter { discarded: Some(true), ..Filter::state(State::Dead) };
    let verb = Verb { name: "take back the discard of", among };
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.undiscard(selection.clone()).await?;
    Did::one("undiscarded", "dead again, and not discarded", answers).say(run, &selection)
}
