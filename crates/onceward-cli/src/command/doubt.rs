//! `onceward doubt`.

use onceward::{Error, Filter, JobId, Left, Resolution, Selection, State};

use super::Run;
use super::dead::groups;
use super::jobs::{show, table};
use super::select::{self, Did, Verb};
use crate::args::{Bulk, DoubtVerb, Resolve, Verdict};
use crate::exit::Exit;
use crate::stop::Stop;
use crate::store::Store;

const NONE: &str = "no job is in doubt";

pub(crate) async fn run(run: &Run, verb: &DoubtVerb) -> Result<Exit, Stop> {
    run.with_existing(async |store| match verb {
        DoubtVerb::List { filter, page } => {
            let filter = select::filter(store, filter, &Filter::state(State::InDoubt)).await?;
            table::list(run, store, &filter, page, NONE).await
        }
        DoubtVerb::Groups(kin) => groups::say(run, store.once.doubt_groups().await?, kin, NONE),
        DoubtVerb::Show { id } => show::show(run, store, *id).await,
        DoubtVerb::Verify(bulk) => verify(run, store, bulk).await,
        DoubtVerb::Resolve(args) => resolve(run, store, args).await,
    })
    .await
}

async fn verify(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let verb = Verb::new("look for", &[State::InDoubt]);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.verify(selection.clone()).await?;
    Did::one("looking", "looked for by the next free worker", answers).say(run, &selection)
}

async fn resolve(run: &Run, store: &Store, args: &Resolve) -> Result<Exit, Stop> {
    let verdict = args.verdict().map_err(|text| Stop::usage("usage", text))?;
    let mut did = Did { sorts: sorts(), left: Vec::new() };
    for id in &args.ids {
        match store.once.resolve(*id, verdict.clone().into()).await {
            Ok(state) => did.add(state.as_str(), *id),
            Err(error) => did.left.push((*id, left(error)?)),
        }
    }
    did.say(run, &Selection::Ids(args.ids.clone()))
}

/// Where a person's word can bring a job.
fn sorts() -> Vec<(&'static str, &'static str, Vec<JobId>)> {
    [
        (State::Done, "done"),
        (State::Pending, "waiting: goes on when it is due"),
        (State::Dead, "given up (dead)"),
        (State::Cancelled, "cancelled"),
    ]
    .map(|(state, words)| (state.as_str(), words, Vec::new()))
    .into()
}

/// A job that does not allow it stops no other; a store that fails does.
fn left(error: Error) -> Result<Left, Stop> {
    match error {
        Error::NotFound(text) => Ok(Left { code: "not_found", text }),
        Error::NotNow { code, text } => Ok(Left { code, text }),
        error => Err(error.into()),
    }
}

impl From<Verdict> for Resolution {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Happened { url } => Self::Happened { url },
            Verdict::DidNotHappen => Self::DidNotHappen,
            Verdict::GiveUp => Self::GiveUp,
        }
    }
}
