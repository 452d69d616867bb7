//! Which jobs a command is about, as the library asks for it; and what a verb did to each.

use std::io::{BufRead, IsTerminal, Write};

use onceward::{Filter, JobId, Left, PAGE_LIMIT, Selection, State, Time};
use serde_json::{Map, Value, json};

use super::Run;
use crate::args::{self, Bulk, Since, Target};
use crate::exit::Exit;
use crate::output::{call, plain};
use crate::stop::Stop;
use crate::store::Store;

/// Reasons that are listed; `--json` has them all.
const MOST_LISTED: usize = 20;

/// A verb that changes many jobs: its name, and the jobs that it can be about.
#[derive(Debug, Clone)]
pub(super) struct Verb {
    pub(super) name: &'static str,
    /// States, and whether the jobs must be held.
    pub(super) among: Filter,
}

impl Verb {
    pub(super) fn new(name: &'static str, states: &[State]) -> Self {
        Self { name, among: Filter { states: states.to_vec(), ..Filter::default() } }
    }
}

/// The conditions of a command line, on top of those in `among`.
pub(super) async fn filter(store: &Store, asked: &args::Filter, among: &Filter) -> Result<Filter, Stop> {
    let ids = match &asked.content {
        Some(content) => Some(onceward_publish::jobs_of(&store.once, content).await?),
        None => None,
    };
    let since = asked.since.as_ref().map(|since| instant(store, since)).transpose()?;
    Ok(Filter {
        ids,
        queue: asked.queue.clone(),
        kind: asked.kind.clone(),
        error: asked.error.clone(),
        since,
        search: asked.search.clone(),
        ..among.clone()
    })
}

/// The instant that a `--since` means here.
pub(super) fn instant(store: &Store, since: &Since) -> Result<Time, Stop> {
    let instant = since.from(Time::now(), store.config.publish.timezone.as_ref());
    instant.map_err(|error| Stop::usage(error.code(), format!("--since: {error}")))
}

/// The jobs that a bulk command names, once it is agreed to change them; `None`: it was a dry run, which is answered.
pub(super) async fn agreed(
    run: &Run,
    store: &Store,
    bulk: &Bulk,
    verb: &Verb,
) -> Result<Option<Selection>, Stop> {
    let selection = selection(store, bulk, verb).await?;
    if bulk.dry_run {
        let count = count(store, &selection, verb).await?;
        let document = json!({ "dry_run": true, "matching": count });
        run.output
            .answer(&document, || format!("would {} {}; nothing was changed", verb.name, jobs(count)))?;
        return Ok(None);
    }
    agree(run, store, bulk, verb, &selection).await?;
    Ok(Some(selection))
}

pub(super) async fn selection(store: &Store, bulk: &Bulk, verb: &Verb) -> Result<Selection, Stop> {
    Ok(match bulk.target().map_err(|text| Stop::usage("usage", text))? {
        Target::Ids(ids) => Selection::Ids(ids.to_vec()),
        Target::Matching(asked) => Selection::Matching(filter(store, asked, &verb.among).await?),
        Target::All => Selection::Matching(verb.among.clone()),
    })
}

/// Many jobs are changed only by someone who has seen how many.
pub(super) async fn agree(
    run: &Run,
    store: &Store,
    bulk: &Bulk,
    verb: &Verb,
    selection: &Selection,
) -> Result<(), Stop> {
    if bulk.yes || matches!(selection, Selection::Ids(_)) {
        return Ok(());
    }
    let count = count(store, selection, verb).await?;
    if count == 0 {
        return Ok(());
    }
    confirm(run, &format!("{} {}?", verb.name, jobs(count)))
}

/// Goes on only when a person says yes; without a terminal there is none to ask.
pub(super) fn confirm(run: &Run, question: &str) -> Result<(), Stop> {
    if !run.output.err.terminal || !std::io::stdin().is_terminal() {
        let text = format!("{question} Say so with --yes; --dry-run only counts");
        return Err(Stop::usage("needs_yes", text));
    }
    if asked(question) { Ok(()) } else { Err(Stop::failed("declined", "nothing was changed")) }
}

fn asked(question: &str) -> bool {
    let mut answer = String::new();
    // Without a question nobody answers yes.
    let shown = write!(std::io::stderr(), "{question} [y/N] ").and_then(|()| std::io::stderr().flush());
    let read = shown.and_then(|()| std::io::stdin().lock().read_line(&mut answer));
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

pub(super) fn jobs(count: usize) -> String {
    if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") }
}

async fn count(store: &Store, selection: &Selection, verb: &Verb) -> Result<usize, Stop> {
    Ok(ids(store, selection, verb).await?.len())
}

/// The selected jobs that the verb can be about, oldest first.
pub(super) async fn ids(store: &Store, selection: &Selection, verb: &Verb) -> Result<Vec<JobId>, Stop> {
    let filter = match selection {
        Selection::Ids(ids) => Filter { ids: Some(ids.clone()), ..verb.among.clone() },
        Selection::Matching(filter) => filter.clone(),
        Selection::All => verb.among.clone(),
    };
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.once.jobs(&filter, PAGE_LIMIT, after).await?;
        found.extend(page.items.iter().map(|job| job.id));
        after = page.next;
        if after.is_none() {
            found.reverse();
            return Ok(found);
        }
    }
}

/// The command that lets a job go which was left as it is, where there is one.
fn way_out(id: JobId, left: &mut Left) {
    let command = match left.code {
        "held" => "jobs release",
        "discarded" => "dead undiscard",
        _ => return,
    };
    left.text = format!("{}: onceward {command} {id}", left.text);
}

/// What a verb did: jobs by what became of them, and those that were left as they are.
#[derive(Debug, Default)]
pub(super) struct Did {
    /// The key in JSON, the words after a count, and the jobs.
    pub(super) sorts: Vec<(&'static str, &'static str, Vec<JobId>)>,
    pub(super) left: Vec<(JobId, Left)>,
}

impl Did {
    /// A verb with one good end.
    pub(super) fn one(
        key: &'static str,
        words: &'static str,
        answers: Vec<(JobId, Result<(), Left>)>,
    ) -> Self {
        let mut did = Self::default();
        let mut good = Vec::new();
        for (id, answer) in answers {
            match answer {
                Ok(()) => good.push(id),
                Err(left) => did.left.push((id, left)),
            }
        }
        did.sorts.push((key, words, good));
        did
    }

    /// Adds a job to the sort of that key.
    pub(super) fn add(&mut self, key: &str, id: JobId) {
        self.sorts.iter_mut().filter(|sort| sort.0 == key).for_each(|sort| sort.2.push(id));
    }

    /// Says it. A job that was named and left as it is makes the command fail; one that a filter found does not.
    pub(super) fn say(mut self, run: &Run, selection: &Selection) -> Result<Exit, Stop> {
        self.left.iter_mut().for_each(|(id, left)| way_out(*id, left));
        let named = matches!(selection, Selection::Ids(_));
        let changed: usize = self.sorts.iter().map(|(_, _, jobs)| jobs.len()).sum();
        if let (true, 0, [(_, left)]) = (named, changed, self.left.as_slice()) {
            return Err(Stop::failed(left.code, left.text.clone()));
        }
        run.output.answer(&self.document(), || self.words())?;
        for (_, left) in self.left.iter().take(MOST_LISTED) {
            call(&plain(&left.text));
        }
        if let Some(more) = self.left.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
            call(&format!("and {more} more were left as they are; --json lists them"));
        }
        Ok(if named && !self.left.is_empty() { Exit::Failed } else { Exit::Fine })
    }

    fn document(&self) -> Value {
        let mut document = Map::new();
        for (key, _, jobs) in &self.sorts {
            document.insert((*key).to_owned(), json!(jobs));
        }
        let left = |(id, left): &(JobId, Left)| json!({ "id": id, "code": left.code, "text": left.text });
        document.insert("left".to_owned(), self.left.iter().map(left).collect());
        document.into()
    }

    fn words(&self) -> String {
        let some = self.sorts.iter().filter(|(_, _, ids)| !ids.is_empty());
        let said: Vec<_> = some.map(|(_, words, ids)| format!("{} {words}", jobs(ids.len()))).collect();
        if said.is_empty() { "nothing was changed".to_owned() } else { said.join("\n") }
    }
}
