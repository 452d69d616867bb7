//! Telegram's Bot API: `/bot<token>/method`, with JSON or a form.
//!
//! After <https://core.telegram.org/bots/api> and <https://core.telegram.org/bots/faq>. A bot has no way to look at what
//! it sent. Every chat is there, but `0` and names that end in `missing`; a group (`-…`, unlike `-100…`) that is named
//! `-1` was upgraded.

mod chat;
mod entities;
mod message;

use serde_json::{Map, Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::SECOND;
use crate::desk::Desk;
use crate::text;

/// The server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BotApi;

/// Messages in a second, to all chats.
const EACH_SECOND: usize = 30;
/// Messages in a minute to one group.
const EACH_MINUTE: usize = 20;

impl Platform for BotApi {
    fn name(&self) -> &'static str {
        "telegram"
    }

    fn read(&self, call: &Call) -> Visit {
        let (token, method) = asked(call);
        let act = match method {
            "sendmessage" | "sendphoto" | "sendvideo" | "sendanimation" | "senddocument"
            | "sendmediagroup" => "post",
            "getme" | "getchat" => "account",
            _ => "unknown",
        };
        Visit { act, account: token.map(text::account), key: None }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        let (Some(_), method) = asked(call) else { return error(404, "Not Found") };
        let fields = fields(call);
        let done = match method {
            "getme" => Ok(chat::me(desk)),
            "getchat" => chat::named(&fields).map(|chat| chat.shown()),
            _ if desk.visit.act != "post" => return error(404, "Not Found: method not found"),
            _ => match chat::named(&fields) {
                Ok(chat) if busy(&chat, desk) => return limited(Some(wait(&chat, desk))),
                Ok(chat) => message::send(method, &chat, &fields, call, desk),
                Err(refusal) => Err(refusal),
            },
        };
        match done {
            Ok(result) => Answer::json(200, &json!({ "ok": true, "result": result })),
            Err(Refusal { words, parameters }) => {
                let mut body =
                    json!({ "ok": false, "error_code": 400, "description": format!("Bad Request: {words}") });
                if !parameters.is_null() {
                    body["parameters"] = parameters;
                }
                Answer::json(400, &body)
            }
        }
    }

    fn problem(&self, problem: &Problem, _desk: &Desk<'_>) -> Answer {
        match *problem {
            Problem::Broken { status: 500 } => error(500, "Internal Server Error"),
            Problem::Broken { status } => Answer::html(format!(
                "<html>\r\n<head><title>{status} Bad Gateway</title></head>\r\n<body>nginx/1.18.0</body>\r\n</html>\r\n"
            ))
            .with(status),
            Problem::RateLimited { seconds } => limited(seconds),
            Problem::Duplicate => error(400, "Bad Request: message is not modified"),
            Problem::ExpiredToken | Problem::RevokedToken => error(401, "Unauthorized"),
        }
    }

    /// In `parameters`, as `ResponseParameters` has it.
    fn wait_in_body(&self, seconds: f64) -> Option<Answer> {
        Some(limited(Some(seconds)))
    }
}

/// Why a request is refused.
#[derive(Debug)]
struct Refusal {
    words: String,
    /// `migrate_to_chat_id`; null: nothing.
    parameters: Json,
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(words: T) -> Self {
        Self { words: words.into(), parameters: Json::Null }
    }
}

/// The token, if it has the form of one, and the method, whose case does not matter.
fn asked(call: &Call) -> (Option<&str>, &'static str) {
    const METHODS: [&str; 8] = [
        "sendmessage",
        "sendphoto",
        "sendvideo",
        "sendanimation",
        "senddocument",
        "sendmediagroup",
        "getme",
        "getchat",
    ];
    let Some((token, method)) = call.path.trim_start_matches('/').split_once('/') else { return (None, "") };
    let token = token.strip_prefix("bot").filter(|token| {
        token.split_once(':').is_some_and(|(id, secret)| id.parse::<u64>().is_ok() && !secret.is_empty())
    });
    let method = METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(method));
    (token, method.unwrap_or_default())
}

/// What a method is given. In a form, lists and objects are JSON in a text.
fn fields(call: &Call) -> Map<String, Json> {
    let mut fields = call.fields();
    for (name, value) in &mut fields {
        let structured =
            matches!(name.as_str(), "entities" | "caption_entities" | "reply_parameters" | "media");
        if let (true, Some(parsed)) =
            (structured, value.as_str().and_then(|text| serde_json::from_str(text).ok()))
        {
            *value = parsed;
        }
    }
    fields
}

fn busy(chat: &chat::Chat, desk: &Desk<'_>) -> bool {
    desk.limits
        && (sent(desk, None, 1) >= EACH_SECOND
            || (chat.is_group() && sent(desk, Some(chat), 60) >= EACH_MINUTE))
}

/// Until the oldest message of a full minute is a minute old.
fn wait(chat: &chat::Chat, desk: &Desk<'_>) -> f64 {
    let place = chat.id.to_string();
    let oldest =
        desk.held("post").rev().filter(|item| item.place.as_deref() == Some(&place)).nth(EACH_MINUTE - 1);
    let left = oldest.map_or(SECOND, |item| item.at + 60 * SECOND - desk.now).max(SECOND);
    #[expect(clippy::cast_precision_loss, reason = "a minute at most")]
    let seconds = (left / SECOND) as f64;
    seconds
}

fn sent(desk: &Desk<'_>, chat: Option<&chat::Chat>, seconds: i64) -> usize {
    let place = chat.map(|chat| chat.id.to_string());
    let since = desk.now - seconds * SECOND;
    desk.held("post").filter(|item| item.at > since && (place.is_none() || item.place == place)).count()
}

fn limited(seconds: Option<f64>) -> Answer {
    let whole = seconds.map(|seconds| format!("{:.0}", seconds.ceil()));
    let words = format!("Too Many Requests: retry after {}", whole.as_deref().unwrap_or("5"));
    let mut body = json!({ "ok": false, "error_code": 429, "description": words });
    if let Some(seconds) = whole.and_then(|whole| whole.parse::<u64>().ok()) {
        body["parameters"] = json!({ "retry_after": seconds });
    }
    Answer::json(429, &body)
}

fn error(status: u16, words: &str) -> Answer {
    Answer::json(status, &json!({ "ok": false, "error_code": status, "description": words }))
}
