//! `onceward enqueue`.

mod batch;

use std::io::{ErrorKind, Read};
use std::path::Path;

use onceward::{Dedup, Enqueued, NewJob, PAYLOAD_LIMIT};
use onceward_publish::regular;
use serde::Serialize;

use super::Run;
use crate::args::{DedupFor, Enqueue, Payload};
use crate::config::Config;
use crate::exit::Exit;
use crate::line;
use crate::stop::Stop;

/// What is far beyond the limit of a payload need not be read to the end.
const LONGEST: u64 = 1024 * 1024;

/// One job, or one per line of standard input.
pub(crate) async fn run(run: &Run, args: &Enqueue) -> Result<Exit, Stop> {
    if args.batch {
        return batch::run(run, args).await;
    }
    let job = job(run, args)?;
    run.with_store(async |store| {
        run.note_unknown(&store.config, args.queue.iter());
        let enqueued = store.once.enqueue(job).await?;
        run.output.answer(&Answer::from(&enqueued), || words(&enqueued))?;
        Ok(Exit::Fine)
    })
    .await
}

/// Checked before the store is opened.
fn job(run: &Run, args: &Enqueue) -> Result<NewJob, Stop> {
    let payload = match &args.payload {
        Some(Payload::Json(text)) => text.clone(),
        Some(Payload::File(path)) => from_file(&run.here.join(path))?,
        Some(Payload::Stdin) | None => read(std::io::stdin(), "standard input", LONGEST)?,
    };
    // Files end in a line break; it is no part of the payload.
    let payload = payload.trim_end_matches(['\n', '\r']);
    let queue = args.queue.as_deref().unwrap_or_default();
    let job = NewJob::untyped(queue, args.kind.as_deref().unwrap_or_default(), payload);
    let job = args.run_at.map_or(job.clone(), |at| job.run_at(at));
    let job = match (&args.dedup_key, args.dedup_for) {
        (Some(key), Some(held)) => job.dedup(key, held.into()),
        (None, Some(_)) => {
            return Err(Stop::usage(
                "bad_dedup",
                "--dedup-for needs --dedup-key: what there is to be one of",
            ));
        }
        (_, None) => job,
    };
    job.check().map_err(|error| Stop::of_payload("--payload", &error))?;
    Ok(job)
}

fn from_file(path: &Path) -> Result<String, Stop> {
    let file = regular::open(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => {
            Stop::usage("not_a_file", format!("{}: {error}; pipe it in: --payload -", path.display()))
        }
        _ => Stop::at(path, &error),
    })?;
    read(file, &path.display().to_string(), LONGEST)
}

/// All of a text, unless it is longer than that many bytes.
fn read(from: impl Read, name: &str, longest: u64) -> Result<String, Stop> {
    let mut bytes = Vec::new();
    let read = from.take(longest + 1).read_to_end(&mut bytes);
    let count = read.map_err(|error| Stop::failed("io", format!("{name}: {error}")))?;
    if u64::try_from(count).is_ok_and(|count| count > longest) {
        return Err(too_long(name, longest));
    }
    String::from_utf8(bytes).map_err(|_| Stop::usage("not_text", format!("{name}: not text in UTF-8")))
}

/// Says what is allowed, not only where the reading stopped.
fn too_long(name: &str, longest: u64) -> Stop {
    let text = format!(
        "{name}: longer than {} MiB; one payload has at most {PAYLOAD_LIMIT} bytes: store the bulk elsewhere and enqueue \
         a reference",
        longest / LONGEST
    );
    Stop::usage("too_long", text)
}

impl Run {
    /// A job in a queue that nobody serves never runs, and a mistyped name looks like any other.
    fn note_unknown<'n>(&self, config: &Config, queues: impl IntoIterator<Item = &'n String>) {
        let known = line::lines(config);
        for queue in queues.into_iter().filter(|queue| !known.iter().any(|line| line.name == **queue)) {
            let text =
                format!("queue `{queue}` is not in the configuration: `onceward work` does not serve it");
            self.output.note(&crate::output::plain(&text));
        }
    }
}

impl From<DedupFor> for Dedup {
    fn from(held: DedupFor) -> Self {
        match held {
            DedupFor::Forever => Self::Forever,
            DedupFor::UntilSettled => Self::UntilSettled,
            DedupFor::For(time) => Self::For(time),
        }
    }
}

/// What became of an enqueue, for scripts.
#[derive(Debug, Serialize)]
struct Answer<'e> {
    id: i64,
    enqueued: &'static str,
    #[serde(flatten)]
    skipped: Option<Skipped<'e>>,
}

#[derive(Debug, Serialize)]
struct Skipped<'e> {
    state: onceward::State,
    changed: bool,
    url: Option<&'e str>,
}

impl<'e> From<&'e Enqueued> for Answer<'e> {
    fn from(enqueued: &'e Enqueued) -> Self {
        let (word, skipped) = match enqueued {
            Enqueued::New(_) => ("new", None),
            Enqueued::Updated(_) => ("updated", None),
            Enqueued::Skipped { state, changed, url, .. } => {
                ("skipped", Some(Skipped { state: *state, changed: *changed, url: url.as_deref() }))
            }
        };
        Self { id: enqueued.id(), enqueued: word, skipped }
    }
}

/// For people: the id, or why there is none.
fn words(enqueued: &Enqueued) -> String {
    match enqueued {
        Enqueued::New(id) => id.to_string(),
        Enqueued::Updated(id) => format!("updated: job {id}"),
        Enqueued::Skipped { existing, state, .. } => {
            format!("skipped: job {existing} is {}", state.as_str().replace('_', " "))
        }
    }
}
