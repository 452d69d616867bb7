//! Lists of jobs, a line for each.

use onceward::{Filter, JobError, JobView, State, Time};

use crate::args::Page;
use crate::command::Run;
use crate::exit::Exit;
use crate::output::{Cell, Grid, MAYBE_SENT, Output, Shown, relative};
use crate::stop::Stop;
use crate::store::Store;

/// One page of the jobs that match; `none` is said when there are none.
pub(in crate::command) async fn list(
    run: &Run,
    store: &Store,
    filter: &Filter,
    page: &Page,
    none: &str,
) -> Result<Exit, Stop> {
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let found = store.once.jobs(filter, limit, page.after).await?;
    run.output.answer(&found, || match found.items.as_slice() {
        [] => none.to_owned(),
        jobs => table(jobs, Time::now(), &run.output),
    })?;
    if let Some(next) = found.next {
        run.output.note(&format!("more: --after {next}"));
    }
    Ok(Exit::Fine)
}

fn table(jobs: &[JobView], now: Time, output: &Output) -> String {
    let mut grid = Grid::new(["id", "state", "queue", "kind", "tries", "when", "about"]);
    for job in jobs {
        grid.row([
            Cell::Whole(job.id.to_string()),
            shown(job.state).map_or(Cell::Empty, Cell::State),
            Cell::Whole(job.queue.clone()),
            Cell::Text(job.kind.clone()),
            Cell::Number(job.attempt_count.into()),
            Cell::Text(when(job, now)),
            about(job),
        ]);
    }
    grid.show(output)
}

pub(super) fn shown(state: State) -> Option<Shown> {
    Shown::of(state.as_str())
}

/// The time that matters most in its state.
fn when(job: &JobView, now: Time) -> String {
    match job.state {
        State::Pending if job.held_reason.is_some() => relative(job.created_at, now),
        State::Pending => relative(job.run_at, now),
        State::InDoubt => {
            job.check_at.map_or_else(String::new, |at| format!("looked for {}", relative(at, now)))
        }
        _ => job.finished_at.map_or_else(String::new, |at| relative(at, now)),
    }
}

/// Why it is where it is, or where its effect can be seen.
fn about(job: &JobView) -> Cell {
    let held = job.held_reason.as_ref().map(|reason| format!("held: {reason}"));
    let discarded = discarded(job);
    let maybe = job.restored.then(|| MAYBE_SENT.to_owned());
    let error = job.error.as_ref().filter(|_| job.url.is_none() && job.state != State::Done).map(reason);
    let said: Vec<String> = maybe.into_iter().chain(held.or(discarded).or(error)).collect();
    match &job.url {
        Some(url) if said.is_empty() => Cell::Whole(url.clone()),
        _ if said.is_empty() => Cell::Empty,
        _ => Cell::Text(said.join("; ")),
    }
}

/// Until when a discard can be undone, and how.
pub(super) fn discarded(job: &JobView) -> Option<String> {
    let at = job.discard_at?.timestamp().strftime("%H:%M:%SZ").to_string();
    Some(format!("discarded, final at {at}; undo: onceward dead undiscard {}", job.id))
}

/// The code first, since errors are grouped by it, then the text.
pub(in crate::command) fn reason(error: &JobError) -> String {
    let status = error.status.filter(|status| error.code != format!("http_{status}"));
    let status = status.map_or_else(String::new, |status| format!(" (HTTP {status})"));
    let platform = error.platform_code.as_ref().map_or_else(String::new, |code| format!(" [{code}]"));
    format!("{}{status}{platform}: {}", error.code, error.text)
}
