//! Slack: the Web API for a bot, and incoming webhooks.
//!
//! After <https://docs.slack.dev/reference/methods> and <https://docs.slack.dev/apis/web-api/rate-limits>.

mod files;
mod history;
mod message;

use serde_json::{Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::Desk;
use crate::text;

/// The stand-in.
#[derive(Debug)]
pub(crate) struct Slack;

/// Messages in a minute, for each account: about one a second, with bursts.
const MESSAGES: usize = 60;

impl Platform for Slack {
    fn name(&self) -> &'static str {
        "slack"
    }

    fn read(&self, call: &Call) -> Visit {
        let (_, path) = call.route();
        let act = match path.as_slice() {
            ["hook", ..] => "hook",
            ["chat.postMessage"] => "post",
            ["files.completeUploadExternal"] if call.fields().contains_key("channel_id") => "post",
            ["files.getUploadURLExternal" | "files.completeUploadExternal"] | ["upload", _] => "upload",
            ["conversations.history" | "conversations.replies"] => "look",
            ["auth.test" | "conversations.info"] => "account",
            ["chat.getPermalink"] => "link",
            ["archives", ..] => "page",
            _ => "unknown",
        };
        // The address of a webhook is its credential.
        let account = if act == "hook" {
            Some(text::account(&call.path))
        } else {
            token(call).map(|it| text::account(&it))
        };
        Visit { act, account, key: None }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        match call.route().1.as_slice() {
            ["hook", ..] => message::hook(call, desk),
            ["upload", id] => files::bytes(id, call, desk),
            ["archives", ..] => history::page(call, desk),
            _ if desk.visit.account.is_none() => fault("not_authed"),
            ["chat.postMessage"] if busy(desk) => limited(1.0),
            ["chat.postMessage"] => message::post(call, desk),
            ["chat.getPermalink"] => history::permalink(call, desk),
            ["conversations.history"] => history::history(call, desk),
            ["conversations.replies"] => history::replies(call, desk),
            ["conversations.info"] => history::info(call),
            ["files.getUploadURLExternal"] => files::begin(call, desk),
            ["files.completeUploadExternal"] => files::complete(call, desk),
            ["auth.test"] => Answer::json(200, &who(call, desk)),
            _ => fault("unknown_method"),
        }
    }

    fn problem(&self, problem: &Problem, desk: &Desk<'_>) -> Answer {
        if desk.visit.act == "hook" {
            return message::hook_problem(problem);
        }
        match *problem {
            // Slack's own way to fail: with 200.
            Problem::Broken { status: 200 } => fault("internal_error"),
            Problem::Broken { status } => Answer::text(status, "upstream connect error"),
            Problem::RateLimited { seconds: None } => {
                Answer::json(429, &json!({ "ok": false, "error": "ratelimited" }))
            }
            Problem::RateLimited { seconds: Some(seconds) } => limited(seconds),
            // Slack knows no repeats; this is its word for a request that may have been done in part.
            Problem::Duplicate => fault("fatal_error"),
            Problem::ExpiredToken => fault("token_expired"),
            Problem::RevokedToken => fault("token_revoked"),
        }
    }
}

/// From the header, or from a form's field.
fn token(call: &Call) -> Option<String> {
    let field = || call.fields().get("token").and_then(Json::as_str).map(str::to_owned);
    call.bearer().map(str::to_owned).or_else(field).filter(|token| !token.is_empty())
}

fn busy(desk: &Desk<'_>) -> bool {
    desk.limits && desk.recent(Some("post"), 60) >= MESSAGES
}

fn limited(seconds: f64) -> Answer {
    Answer::json(429, &json!({ "ok": false, "error": "ratelimited" }))
        .header("retry-after", format!("{:.0}", seconds.ceil()))
}

/// An error goes with 200: only `ok` tells.
fn fault(error: &str) -> Answer {
    Answer::json(200, &json!({ "ok": false, "error": error }))
}

fn fine(mut body: Json) -> Answer {
    body["ok"] = json!(true);
    Answer::json(200, &body)
}

fn who(call: &Call, desk: &Desk<'_>) -> Json {
    let account = desk.visit.account.as_ref();
    json!({
        "ok": true, "url": format!("{}/", call.base), "team": "Rehearsal", "team_id": "T0SANDBOX",
        "user": "rehearsal", "user_id": id('U', account), "bot_id": id('B', account), "is_enterprise_install": false,
    })
}

/// The id of an account's user or bot.
fn id(first: char, account: Option<&String>) -> String {
    format!("{first}{}", account.map_or("0", String::as_str).to_uppercase())
}

/// A parameter, from the query, a form or JSON.
fn parameter(call: &Call, name: &str) -> Option<String> {
    let field = || match call.fields().get(name)? {
        Json::String(text) => Some(text.clone()),
        Json::Null => None,
        other => Some(other.to_string()),
    };
    call.asked(name).or_else(field).filter(|value| !value.is_empty())
}

/// The id of a channel that was named or is an id already. Names that begin with `missing` have no channel.
fn channel_id(named: &str) -> Option<String> {
    let plain = named.trim_start_matches('#');
    if plain.is_empty() || plain.starts_with("missing") {
        return None;
    }
    if is_id(named) {
        return Some(named.to_owned());
    }
    Some(format!("C{}", text::sha256(plain.as_bytes())[..10].to_uppercase()))
}

fn is_id(named: &str) -> bool {
    let first = named.starts_with(['C', 'G', 'D']);
    first && named.len() >= 9 && named.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit())
}
