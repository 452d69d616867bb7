//! A receiver of Standard Webhooks: it checks the signature and takes each id once.
//!
//! After <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.

mod signature;

use serde_json::{Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Clock, SECOND};
use crate::desk::{Desk, Item};
use crate::text;

/// The secret that the stand-in shares with whoever sends to it.
pub const WEBHOOK_SECRET: &str = "whsec_b25jZXdhcmQtc2FuZGJveC1zdGFuZC1pbi1zZWNyZXQ=";

/// For how many seconds an id is remembered: a day.
const WINDOW: i64 = 86_400;
/// How far the sender's clock may be off, in seconds.
const TOLERANCE: i64 = 300;

/// The stand-in.
#[derive(Debug)]
pub(crate) struct Webhook;

impl Platform for Webhook {
    fn name(&self) -> &'static str {
        "webhook"
    }

    fn read(&self, call: &Call) -> Visit {
        let act = if call.method == "POST" { "post" } else { "unknown" };
        let account = Some(text::account(&call.path));
        Visit { act, account, key: call.header("webhook-id").map(str::to_owned) }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        if call.method != "POST" {
            return error(405, "only POST");
        }
        let Some(id) = desk.visit.key.clone() else { return error(400, "webhook-id is missing") };
        if let Err(refused) = believed(&id, call) {
            return refused;
        }
        let since = desk.now - WINDOW * SECOND;
        if desk.held("post").any(|item| item.key.as_ref() == Some(&id) && item.at > since) {
            return Answer::json(200, &json!({ "received": true, "repeat": true }));
        }
        let body = call.json();
        let text =
            body.as_ref().and_then(shown).unwrap_or_else(|| String::from_utf8_lossy(&call.body).into_owned());
        desk.accept(Item { visible: true, text, remote_id: Some(id), ..Item::default() });
        Answer::json(200, &json!({ "received": true }))
    }

    fn problem(&self, problem: &Problem, _: &Desk<'_>) -> Answer {
        match *problem {
            Problem::Broken { status } => error(status, "broken"),
            Problem::RateLimited { seconds: None } => error(429, "too many requests"),
            Problem::RateLimited { seconds: Some(seconds) } => {
                error(429, "too many requests").header("retry-after", format!("{:.0}", seconds.ceil()))
            }
            Problem::Duplicate => error(409, "this id was received before"),
            Problem::ExpiredToken | Problem::RevokedToken => error(401, "the signature is not accepted"),
        }
    }
}

fn believed(id: &str, call: &Call) -> Result<(), Answer> {
    let (time, given) = (call.header("webhook-timestamp"), call.header("webhook-signature"));
    let (Some(time), Some(given)) = (time, given) else { return Err(error(401, "the signature is missing")) };
    let seconds = time.parse::<i64>().map_err(|_| error(400, "webhook-timestamp is no number of seconds"))?;
    if (seconds - Clock::machine() / SECOND).abs() > TOLERANCE {
        return Err(error(400, "webhook-timestamp is more than five minutes off"));
    }
    let own = signature::sign(WEBHOOK_SECRET, id, time, &call.body);
    let fits = given.split(' ').any(|one| one == own);
    if fits { Ok(()) } else { Err(error(401, "no signature fits")) }
}

/// What a reader would see of a message in the form that most senders use.
fn shown(body: &Json) -> Option<String> {
    let data = body.get("data").unwrap_or(body);
    ["text", "title", "message"].iter().find_map(|key| data.get(key)?.as_str()).map(str::to_owned)
}

fn error(status: u16, text: &str) -> Answer {
    Answer::json(status, &json!({ "error": text }))
}
