//! How a message is written: the body is the payload, headers say the rest (`docs/messages.md`). Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward::{Cause, Dedup, Error, Message, NewJob, Time, message_hash};

use crate::source::Incoming;

/// All our headers begin so; an application's own must not.
pub const PREFIX: &str = "onceward-";

pub(crate) const MESSAGE_ID: &str = "onceward-message-id";
pub(crate) const QUEUE: &str = "onceward-queue";
pub(crate) const KIND: &str = "onceward-kind";
const VERSION: &str = "onceward-version";
const DEDUP_KEY: &str = "onceward-dedup-key";
const DEDUP_FOR: &str = "onceward-dedup-for";
pub(crate) const ORDERING_KEY: &str = "onceward-ordering-key";
const RUN_AT: &str = "onceward-run-at";
pub(crate) const CREATED_AT: &str = "onceward-created-at";

/// All headers of a message together, in bytes. RabbitMQ takes them in one frame of 128 KiB (`frame_max`), and closes the
/// connection over a larger one, with all that was on its way.
const HEADERS: usize = 64 * 1024;

/// Where messages go that do not say it themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// The queue of a message without `onceward-queue`.
    pub queue: String,
    /// The kind of a message without `onceward-kind`; without it such a message cannot be read.
    pub kind: Option<String>,
}

/// Ours and the application's headers of a message, by name.
///
/// # Errors
/// Why no target can take it: it could be no job, or the application's headers are no object of texts, use our names, or
/// are too long.
pub(crate) fn headers(message: &Message) -> Result<BTreeMap<String, String>, Cause> {
    let refused = |error: Error| Cause::new(error.code(), format!("{error} ({})", error.code()));
    message.job(Duration::ZERO).map_err(refused)?;
    let mut all = message.header_map().map_err(refused)?;
    if let Some(ours) = all.keys().find(|name| name.to_ascii_lowercase().starts_with(PREFIX)) {
        let text = format!("headers: {ours:?}: names that begin with {PREFIX} are the relay's own");
        return Err(Cause::new("bad_headers", text));
    }
    let mut say = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
    };
    say(MESSAGE_ID, Some(message.message_id.clone()));
    say(QUEUE, Some(message.queue.clone()));
    say(KIND, Some(message.kind.clone()));
    say(CREATED_AT, Some(message.created_at.to_string()));
    say(VERSION, (message.version != 1).then(|| message.version.to_string()));
    say(DEDUP_KEY, message.dedup_key.clone());
    say(DEDUP_FOR, message.dedup_for.map(|time| time.as_secs().max(1).to_string()));
    say(ORDERING_KEY, message.ordering_key.clone());
    say(RUN_AT, message.run_at.map(|at| at.to_string()));
    let bytes: usize = all.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > HEADERS {
        let text = format!("headers and keys have {bytes} bytes together; at most {HEADERS} go to a broker");
        return Err(Cause::new("headers_too_long", text));
    }
    Ok(all)
}

/// The job that a message asks for; a repeat of the message is known for `horizon`.
///
/// One that is older than that may have made its job before, which nobody can tell any more: its job is held for a
/// person.
///
/// # Errors
/// Why it can be no job.
pub(crate) fn job(
    incoming: &Incoming,
    defaults: &Defaults,
    horizon: Duration,
    now: Time,
) -> Result<NewJob, Cause> {
    let payload = std::str::from_utf8(&incoming.body)
        .map_err(|error| unreadable(format!("the body is not UTF-8 text: {error}")))?;
    let (queue, kind) = (queue(incoming, defaults), kind(incoming, defaults));
    let kind = kind.ok_or_else(|| unreadable(format!("no header {KIND}, and the source names no kind")))?;
    let mut job =
        NewJob::untyped(queue, kind, payload).version(parsed(incoming, VERSION, "a number")?.unwrap_or(1));
    if let Some(at) = parsed::<Time>(incoming, RUN_AT, "a time such as 2026-12-01T09:00:00Z")? {
        job = job.run_at(at);
    }
    let held_for = parsed(incoming, DEDUP_FOR, "a number of seconds")?.map(Duration::from_secs);
    if let Some(key) = incoming.header(DEDUP_KEY) {
        job = job.dedup(key, held_for.map_or(Dedup::Forever, Dedup::For));
    }
    let written = parsed::<Time>(incoming, CREATED_AT, "a time such as 2026-12-01T09:00:00Z")?;
    if let Some(at) = written.or(incoming.published) {
        job = job.standing_for(at);
        if at < now.before(horizon) {
            job = job.hold(TOO_OLD);
        }
    }
    if let Some(id) = id(incoming) {
        job = job.message_of(id, horizon, hash(incoming));
    }
    job.check().map_err(|error: Error| unreadable(format!("{error} ({})", error.code())))?;
    Ok(job)
}

/// Why a job is held whose message is older than repeats are known.
pub(crate) const TOO_OLD: &str = "message_too_old";

/// What the message itself carries, as far as a repeat of it carries the same: it is one also after its source was
/// configured otherwise.
pub(crate) fn hash(incoming: &Incoming) -> String {
    let said = |name| incoming.header(name).unwrap_or_default();
    message_hash(said(QUEUE), said(KIND), &incoming.body)
}

/// By what a repeat is known: the relay's id, else the engine's. An empty one is none: it would be that of many.
pub(crate) fn id(incoming: &Incoming) -> Option<&str> {
    let some = |id: &&str| !id.is_empty();
    incoming.header(MESSAGE_ID).filter(some).or(incoming.id.as_deref().filter(some))
}

fn queue<'a>(incoming: &'a Incoming, defaults: &'a Defaults) -> &'a str {
    incoming.header(QUEUE).unwrap_or(&defaults.queue)
}

/// The queue of its job, dead or alive: one that can be none is never asked for in the store.
pub(crate) fn goes_to<'a>(incoming: &'a Incoming, defaults: &'a Defaults) -> &'a str {
    let can_be = |queue: &&str| NewJob::untyped(*queue, "kind", "null").check().is_ok();
    incoming.header(QUEUE).filter(can_be).unwrap_or(&defaults.queue)
}

pub(crate) fn kind<'a>(incoming: &'a Incoming, defaults: &'a Defaults) -> Option<&'a str> {
    incoming.header(KIND).or(defaults.kind.as_deref())
}

fn parsed<T: std::str::FromStr>(incoming: &Incoming, name: &str, expected: &str) -> Result<Option<T>, Cause> {
    let Some(text) = incoming.header(name) else { return Ok(None) };
    let wrong = |_| unreadable(format!("header {name}: {text:?}, expected {expected}"));
    text.parse().map(Some).map_err(wrong)
}

/// A message that can be no job.
fn unreadable(text: String) -> Cause {
    Cause::new("message_unreadable", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(payload: &str, headers: Option<String>) -> Message {
        Message {
            id: 1,
            message_id: "00000000-0000-4000-8000-000000000001".to_owned(),
            queue: "mail".to_owned(),
            kind: "welcome".to_owned(),
            version: 1,
            payload: payload.to_owned(),
            dedup_key: None,
            dedup_for: None,
            ordering_key: None,
            headers,
            run_at: None,
            created_at: Time::from_micros(0),
            tries: 0,
        }
    }

    /// A broker may close its connection over it, with all that is on its way; and nobody could make a job of it.
    #[test]
    fn what_could_be_no_job_goes_to_no_broker() {
        let code = |message: &Message| headers(message).map(drop).map_err(|cause| cause.code);
        assert_eq!(code(&message("{}", None)), Ok(()));
        let why = headers(&message("{1: 2}", None)).unwrap_err().text;
        assert!(why.ends_with(" (payload_not_json)"), "a person who reads the list sees the code: {why}");
        let timeless = Message { created_at: Time::from_micros(i64::MAX), ..message("{}", None) };
        assert_eq!(code(&timeless).unwrap_err(), "bad_time");
        let long = format!(r#"{{"trace": "{}"}}"#, "x".repeat(HEADERS));
        assert_eq!(code(&message("{}", Some(long))), Err("headers_too_long".into()));
        let large = format!("\"{}\"", "x".repeat(300 * 1024));
        for bad in [
            message("{", None),
            message(&large, None),
            Message { queue: String::new(), ..message("{}", None) },
        ] {
            assert!(code(&bad).is_err(), "{}", bad.payload.len());
        }
    }

    /// PostgreSQL keeps no U+0000, so a question about such a queue would fail, and its source would take nothing more.
    #[test]
    fn a_message_for_a_queue_that_cannot_be_goes_to_its_sources_own() {
        let defaults = Defaults { queue: "mail".to_owned(), kind: None };
        for (said, goes_to) in
            [(None, "mail"), (Some("post"), "post"), (Some("p\0st"), "mail"), (Some(""), "mail")]
        {
            let said = said.map(|queue| (QUEUE.to_owned(), queue.to_owned()));
            let incoming = Incoming { headers: said.into_iter().collect(), ..Incoming::default() };
            assert_eq!(super::goes_to(&incoming, &defaults), goes_to);
        }
    }

    /// Kept, and its acknowledgement lost: what comes again after a change of the configuration is no other message.
    #[tokio::test]
    async fn a_repeat_is_one_also_after_its_source_was_given_another_queue() -> Result<(), Error> {
        let store = onceward::testing::store().await?;
        let foreign = Incoming {
            body: b"{}".to_vec(),
            headers: BTreeMap::new(),
            id: Some("7".to_owned()),
            published: None,
        };
        let mut made = Vec::new();
        for (queue, kind) in [("mail", "welcome"), ("post", "welcome"), ("mail", "hello")] {
            let defaults = Defaults { queue: queue.to_owned(), kind: Some(kind.to_owned()) };
            let job = job(&foreign, &defaults, Duration::from_hours(1), Time::now()).unwrap();
            made.push(store.enqueue(job).await?.id());
        }
        assert_eq!(made, [made[0]; 3]);
        Ok(())
    }
}
