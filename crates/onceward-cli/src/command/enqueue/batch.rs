//! One job per line, as JSON. All lines are checked before the first is enqueued, in one transaction.

use std::collections::BTreeSet;

use onceward::{Enqueued, Error, NewJob, Time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Answer, read, words};
use crate::args::{DedupFor, Enqueue};
use crate::command::Run;
use crate::exit::Exit;
use crate::output::{self, plain};
use crate::stop::Stop;

/// All lines are in memory until they are committed together.
const LONGEST: u64 = 64 * 1024 * 1024;
/// Mistakes that are listed; the rest is counted.
const MOST_LISTED: usize = 20;

/// A line as it is written; what it lacks is taken from the flags.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as {\"payload\": {\"user\": 7}}")]
struct Line {
    queue: Option<String>,
    kind: Option<String>,
    payload: Option<Box<RawValue>>,
    dedup_key: Option<String>,
    dedup_for: Option<String>,
    run_at: Option<Time>,
}

/// A line that passed every check, with its number from 1.
#[derive(Debug)]
struct Good {
    number: usize,
    queue: String,
    job: NewJob,
}

pub(super) async fn run(run: &Run, args: &Enqueue) -> Result<Exit, Stop> {
    let text = read(std::io::stdin(), "standard input", LONGEST)?;
    let good = checked(&text, args)?;
    run.with_store(async |store| {
        let queues: BTreeSet<&String> = good.iter().map(|line| &line.queue).collect();
        run.note_unknown(&store.config, queues);
        let jobs = good.iter().map(|line| line.job.clone()).collect();
        let answers = store.once.enqueue_each(jobs).await?;
        report(run, &good, &answers)
    })
    .await
}

/// The jobs of all lines, or what is wrong with each bad one.
fn checked(text: &str, args: &Enqueue) -> Result<Vec<Good>, Stop> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (at, line) in lines {
        match job(line, args) {
            Ok((queue, job)) => good.push(Good { number: at + 1, queue, job }),
            Err(why) => bad.push(format!("line {}: {why}", at + 1)),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(refused(&bad)) }
}

fn refused(bad: &[String]) -> Stop {
    let head = format!("nothing was enqueued; {} of the lines cannot be:", bad.len());
    let mut lines = vec![head];
    lines.extend(bad.iter().take(MOST_LISTED).cloned());
    let more = bad.len().saturating_sub(MOST_LISTED);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Stop::usage("batch_invalid", lines.join("\n"))
}

fn job(line: &str, args: &Enqueue) -> Result<(String, NewJob), String> {
    let line: Line = serde_json::from_str(line).map_err(|error| in_line(&error))?;
    let lacks = |key: &str| format!("`{key}` is missing, here and among the flags");
    let queue = line.queue.or_else(|| args.queue.clone()).ok_or_else(|| lacks("queue"))?;
    let kind = line.kind.or_else(|| args.kind.clone()).ok_or_else(|| lacks("kind"))?;
    let payload = line.payload.ok_or("`payload` is missing")?;
    let held = line.dedup_for.map(|text| text.parse::<DedupFor>()).transpose();
    let held = held.map_err(|why| format!("`dedup_for`: {why}"))?;
    if held.is_some() && line.dedup_key.is_none() {
        return Err("`dedup_for` needs `dedup_key`: what there is to be one of".to_owned());
    }
    let held = held.or(args.dedup_for);
    let mut job = NewJob::untyped(&queue, kind, payload.get());
    if let Some(at) = line.run_at.or(args.run_at) {
        job = job.run_at(at);
    }
    if let Some(key) = line.dedup_key {
        job = job.dedup(key, held.ok_or("`dedup_key` needs `dedup_for`")?.into());
    }
    job.check().map_err(|error| Stop::of_payload("`payload`", &error).text)?;
    Ok((queue, job))
}

/// The parser counts lines too, and to it each line is the first.
fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let Some(text) = text.strip_suffix(&place) else { return text };
    let column = error.column();
    if error.is_data() {
        return format!("column {column}: {text}");
    }
    // The parser's words for it are those of a parser.
    format!(
        "column {column}: no JSON ({text}): expected an object such as {{\"payload\": {{\"user\": 7}}}} on each line"
    )
}

/// One answer for each line, in order.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Item<'e> {
    Entered(Answer<'e>),
    Conflict { line: usize, error: Refusal },
}

#[derive(Debug, Serialize)]
struct Refusal {
    code: &'static str,
    text: String,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    new: usize,
    skipped: usize,
    conflicts: usize,
}

#[derive(Debug, Serialize)]
struct Document<'e> {
    items: Vec<Item<'e>>,
    totals: Totals,
}

/// Lines whose key another payload has are told; the others are enqueued.
fn report(run: &Run, good: &[Good], answers: &[Result<Enqueued, Error>]) -> Result<Exit, Stop> {
    let mut totals = Totals::default();
    for answer in answers {
        *match answer {
            Ok(Enqueued::New(_) | Enqueued::Updated(_)) => &mut totals.new,
            Ok(Enqueued::Skipped { .. }) => &mut totals.skipped,
            Err(_) => &mut totals.conflicts,
        } += 1;
    }
    let exit = if totals.conflicts > 0 { Exit::Failed } else { Exit::Fine };
    let summary = summary(&totals);
    let items = good.iter().zip(answers).map(|(line, answer)| item(line, answer)).collect();
    run.output.answer(&Document { items, totals }, || {
        let said = good.iter().zip(answers).map(|(line, answer)| match answer {
            Ok(enqueued) => words(enqueued),
            Err(error) => plain(&format!("line {}: {error}", line.number)),
        });
        said.collect::<Vec<_>>().join("\n")
    })?;
    match exit {
        Exit::Fine => run.output.note(&summary),
        _ => output::call(&summary),
    }
    Ok(exit)
}

fn item<'e>(line: &Good, answer: &'e Result<Enqueued, Error>) -> Item<'e> {
    match answer {
        Ok(enqueued) => Item::Entered(enqueued.into()),
        Err(error) => Item::Conflict {
            line: line.number,
            error: Refusal { code: error.code(), text: error.to_string() },
        },
    }
}

fn summary(totals: &Totals) -> String {
    let parts = [(totals.new, "new"), (totals.skipped, "skipped"), (totals.conflicts, "refused")];
    let said: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if said.is_empty() { "nothing to enqueue".to_owned() } else { said.join(", ") }
}
