//! What cannot become a job is kept as a dead one, whole, with the reason: never lost, and never delivered for ever.
//! Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use onceward::{Cause, NewJob};
use serde::Serialize;

use crate::source::Incoming;
use crate::wire::{self, Defaults};

/// Bytes of one part. As a JSON text it has at most twice as many, which a payload holds.
const PART: usize = 120_000;
/// The kind of a dead job whose message names none that can be.
const KIND: &str = "message";

/// A message as it came.
#[derive(Serialize)]
struct Raw<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: &'a BTreeMap<String, String>,
    /// The body where it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

#[derive(Serialize)]
struct Whole<'a> {
    message: Raw<'a>,
}

/// A piece of the JSON text of a [`Raw`] message that is too large for one payload.
#[derive(Serialize)]
struct Piece<'a> {
    part: usize,
    parts: usize,
    message_text: &'a str,
}

/// By what a repeat of an unreadable message is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    ById,
    /// By its id and what it carries, since another message has that id.
    ByAll,
}

/// The dead job that keeps a message, or several when it is larger than a payload may be.
pub(crate) fn dead_jobs(
    incoming: &Incoming,
    defaults: &Defaults,
    horizon: Duration,
    cause: &Cause,
    known: Known,
) -> Vec<NewJob> {
    let hash = wire::hash(incoming);
    let known_as = |job: NewJob, id: Option<String>| match id {
        Some(id) => job.message_of(id, horizon, &hash),
        None => job,
    };
    let own = wire::id(incoming);
    let own_by_all = || own.map(|id| format!("{id}#{hash}"));
    let nul_free = |text: &&str| !text.contains('\0');
    let body = std::str::from_utf8(&incoming.body).ok().filter(nul_free);
    let encoded = body.is_none().then(|| BASE64_STANDARD.encode(&incoming.body));
    let headers = clean(&incoming.headers);
    let id = incoming.id.as_deref().filter(nul_free);
    let raw = Raw { id, headers: &headers, body, body_base64: encoded };
    let text = json(&raw);
    let pieces = pieces(&text);
    if let [_] = pieces.as_slice() {
        let job = dead(incoming, defaults, json(&Whole { message: raw }), cause);
        let id = if known == Known::ById { own.map(str::to_owned) } else { own_by_all() };
        return vec![known_as(job, id)];
    }
    let parts = pieces.len();
    let part = |(at, message_text): (usize, &str)| {
        let part = at + 1;
        let job = dead(incoming, defaults, json(&Piece { part, parts, message_text }), cause);
        known_as(job, own_by_all().map(|id| format!("{id}#{part}")))
    };
    pieces.into_iter().enumerate().map(part).collect()
}

/// U+0000 is in no text that a store keeps; in a header it can only be a mistake.
fn clean(headers: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let clean = |text: &String| text.replace('\0', "\u{fffd}");
    headers.iter().map(|(name, value)| (clean(name), clean(value))).collect()
}

fn dead(incoming: &Incoming, defaults: &Defaults, payload: String, cause: &Cause) -> NewJob {
    let can_be = |kind: &&str| NewJob::untyped("queue", *kind, "null").check().is_ok();
    let kind = wire::kind(incoming, defaults).filter(can_be).unwrap_or(KIND);
    NewJob::untyped(wire::goes_to(incoming, defaults), kind, payload).dead(cause.clone())
}

fn json(value: &impl Serialize) -> String {
    // It always serializes: texts and numbers only.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn pieces(text: &str) -> Vec<&str> {
    let (mut rest, mut pieces) = (text, Vec::new());
    while rest.len() > PART {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PART));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const HORIZON: Duration = Duration::from_hours(192);

    fn jobs(body: &[u8]) -> Vec<NewJob> {
        let headers = BTreeMap::from([("onceward-queue".to_owned(), "no queue".to_owned())]);
        let incoming = Incoming { body: body.to_owned(), headers, id: Some("7".to_owned()), published: None };
        let defaults = Defaults { queue: "mail".to_owned(), kind: None };
        dead_jobs(&incoming, &defaults, HORIZON, &Cause::new("message_unreadable", "no JSON"), Known::ById)
    }

    #[test]
    fn whatever_a_message_is_its_dead_job_can_be_written() {
        let long = "\"\\\u{1}큐".repeat(100_000);
        let large = vec![0xff; 1_000_000];
        let bodies: [&[u8]; 6] = [b"", b"{", b"\0", b"\xff\xfe", long.as_bytes(), &large];
        for body in bodies {
            for job in jobs(body) {
                job.check().unwrap();
            }
        }
    }

    #[test]
    fn a_large_message_is_kept_whole_in_parts() {
        let text = format!("{{{}\u{1}", "큐\"".repeat(200_000));
        let job_count = jobs(text.as_bytes()).len();
        assert!(job_count > 5, "{job_count}");
        let raw = Raw { id: None, headers: &BTreeMap::new(), body: Some(&text), body_base64: None };
        let whole = json(&raw);
        assert_eq!(pieces(&whole).concat(), whole);
    }
}
