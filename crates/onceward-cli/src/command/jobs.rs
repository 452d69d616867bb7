//! `onceward jobs`.

pub(super) mod show;
pub(super) mod table;

use onceward::{Cancelled, Filter, JobId, State};

use super::Run;
use super::select::{self, Did, Verb};
use crate::args::{Bulk, JobFilter, JobState, JobsVerb, Page};
use crate::exit::Exit;
use crate::stop::Stop;
use crate::store::Store;

pub(crate) async fn run(run: &Run, verb: &JobsVerb) -> Result<Exit, Stop> {
    run.with_existing(async |store| match verb {
        JobsVerb::List { which, page } => list(run, store, which, page).await,
        JobsVerb::Show { id } => show::show(run, store, *id).await,
        JobsVerb::Cancel(bulk) => cancel(run, store, bulk).await,
        JobsVerb::RunNow(bulk) => run_now(run, store, bulk).await,
        JobsVerb::Release(bulk) => release(run, store, bulk).await,
    })
    .await
}

async fn list(run: &Run, store: &Store, which: &JobFilter, page: &Page) -> Result<Exit, Stop> {
    let states = which.state.iter().map(|state| State::from(*state)).collect();
    let filter = select::filter(store, &which.filter, &Filter { states, ..Filter::default() }).await?;
    table::list(run, store, &filter, page, "no job matches").await
}

async fn cancel(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let verb = Verb::new("cancel", &[State::Pending, State::Running, State::InDoubt]);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.cancel(selection.clone()).await?;
    cancelled(answers).say(run, &selection)
}

fn cancelled(answers: Vec<(JobId, Cancelled)>) -> Did {
    let (mut ended, mut restored, mut stopping, mut left) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (id, answer) in answers {
        match answer {
            Cancelled::Cancelled => ended.push(id),
            Cancelled::Restored => restored.push(id),
            Cancelled::Stopping => stopping.push(id),
            Cancelled::Left(why) => left.push((id, why)),
        }
    }
    let stopping_words = "may have been sent already: found out, and never sent again";
    let restored_words =
        "cancelled: not sent again, but maybe sent before the store lost its last commits; look there";
    let sorts = vec![
        ("cancelled", "cancelled: never sent", ended),
        ("restored", restored_words, restored),
        ("stopping", stopping_words, stopping),
    ];
    Did { sorts, left }
}

async fn run_now(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let verb = Verb::new("run at once", &[State::Pending, State::InDoubt]);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.run_now(selection.clone()).await?;
    Did::one("due", "due now", answers).say(run, &selection)
}

async fn release(run: &Run, store: &Store, bulk: &Bulk) -> Result<Exit, Stop> {
    let mut verb = Verb::new("release", &[State::Pending]);
    verb.among.held = Some(true);
    let Some(selection) = select::agreed(run, store, bulk, &verb).await? else { return Ok(Exit::Fine) };
    let answers = store.once.release(selection.clone(), None).await?;
    Did::one("released", "released", answers).say(run, &selection)
}

impl From<JobState> for State {
    fn from(state: JobState) -> Self {
        match state {
            JobState::Pending => Self::Pending,
            JobState::Running => Self::Running,
            JobState::Done => Self::Done,
            JobState::Dead => Self::Dead,
            JobState::InDoubt => Self::InDoubt,
            JobState::Cancelled => Self::Cancelled,
        }
    }
}
