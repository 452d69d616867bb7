//! `onceward contents`: a content and its jobs as one.

use onceward::Time;
use onceward_publish::{ContentJob, ContentView, date};
use serde_json::{Value, json};

use super::select::Did;
use super::{Run, jobs};
use crate::args::{Bulk, ContentsVerb, Filter, JobsVerb};
use crate::exit::Exit;
use crate::output::{self, Cell, Grid, Output, Shown, plain, relative};
use crate::stop::Stop;
use crate::store::Store;

pub(crate) async fn run(run: &Run, verb: &ContentsVerb) -> Result<Exit, Stop> {
    match verb {
        ContentsVerb::Cancel { id } => jobs::run(run, &JobsVerb::Cancel(of(id))).await,
        ContentsVerb::Release { id } => jobs::run(run, &JobsVerb::Release(of(id))).await,
        ContentsVerb::List { limit, after } => {
            run.with_existing(async |store| list(run, store, *limit, after.as_deref()).await).await
        }
        ContentsVerb::Show { id } => run.with_existing(async |store| show(run, store, id).await).await,
        ContentsVerb::Reschedule { id, at } => {
            run.with_existing(async |store| reschedule(run, store, id, at).await).await
        }
    }
}

/// The jobs of one content; who names it has agreed.
fn of(content: &str) -> Bulk {
    let filter = Filter { content: Some(content.to_owned()), ..Filter::default() };
    Bulk { filter, yes: true, ..Bulk::default() }
}

async fn list(run: &Run, store: &Store, limit: u32, after: Option<&str>) -> Result<Exit, Stop> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = onceward_publish::contents(&store.once, limit + 1, after).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| last.id.clone());
    let items: Vec<Value> = found.iter().map(|content| json!(content)).collect();
    run.output.answer(&output::list(&items, next.as_deref()), || match found.as_slice() {
        [] => "no content was published yet".to_owned(),
        contents => table(contents, &run.output),
    })?;
    if let Some(next) = next {
        run.output.note(&plain(&format!("more: --after {next}")));
    }
    Ok(Exit::Fine)
}

fn table(contents: &[ContentView], output: &Output) -> String {
    let now = Time::now();
    let mut grid = Grid::new(["content", "title", "first enqueued", "channels"]);
    for content in contents {
        grid.row([
            Cell::Whole(content.id.clone()),
            Cell::maybe(content.title.clone()),
            relative(content.created_at, now).as_str().into(),
            Cell::Whole(content.jobs.iter().map(mark).collect::<Vec<_>>().join("  ")),
        ]);
    }
    grid.show(output)
}

/// "● rss": the state's shape and the channel.
fn mark(job: &ContentJob) -> String {
    let state = if job.standing.held.is_some() { "paused" } else { job.standing.state.as_str() };
    let shape = Shown::of(state).map_or(' ', Shown::shape);
    format!("{shape} {}", job.channel)
}

async fn show(run: &Run, store: &Store, id: &str) -> Result<Exit, Stop> {
    let content = onceward_publish::content(&store.once, id).await?;
    run.output.answer(&content, || text(&content, &run.output))?;
    Ok(Exit::Fine)
}

fn text(content: &ContentView, output: &Output) -> String {
    let now = Time::now();
    let when = content.publish_at.map(|at| format!("publish at  {at} ({})", relative(at, now)));
    let facts = [
        Some(format!("content     {}", content.id)),
        content.title.as_ref().map(|title| format!("title       {title}")),
        Some(format!("file        {}", content.file)),
        when,
    ];
    let mut grid = Grid::new(["job", "channel", "state", "link", "note"]);
    for job in &content.jobs {
        let it = &job.standing;
        let held = it.held.as_deref().map(|held| waits_for(held, &content.id));
        let maybe = it.restored.then(|| output::MAYBE_SENT.to_owned());
        let error = it.error.as_ref().filter(|_| it.url.is_none()).map(|error| error.text.clone());
        grid.row([
            Cell::Whole(it.id.to_string()),
            Cell::Whole(job.channel.clone()),
            Shown::of(it.state.as_str()).map_or(Cell::Empty, Cell::State),
            it.url.clone().map_or(Cell::Empty, Cell::Whole),
            Cell::maybe(notes([maybe, held.or(error)])),
        ]);
    }
    let head = facts.into_iter().flatten().collect::<Vec<_>>().join("\n");
    format!("{}\n\n{}", plain(&head), grid.show(output))
}

fn notes(said: [Option<String>; 2]) -> Option<String> {
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Why a post is held, and what lets it go.
pub(super) fn waits_for(held: &str, content: &str) -> String {
    let release = format!("onceward contents release {content}");
    match held {
        "approval" => format!("waits for a release: {release}"),
        "missed" => format!("missed its time while nobody was running; if it is still wanted: {release}"),
        "channel_missing" => "held: its channel is not configured; it goes on when it is".to_owned(),
        reason => format!("held: {reason}; {release}"),
    }
}

async fn reschedule(run: &Run, store: &Store, id: &str, at: &str) -> Result<Exit, Stop> {
    let wish = date::parse(at, store.config.publish.timezone.as_ref())
        .map_err(|error| Stop::usage(error.code(), format!("--at: {error}")))?;
    let answers = onceward_publish::reschedule(&store.once, id, wish).await?;
    let jobs = answers.iter().map(|(job, _)| *job).collect::<Vec<_>>();
    Did::one("rescheduled", "moved", answers).say(run, &jobs.into())
}
