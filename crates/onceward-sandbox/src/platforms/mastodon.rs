//! Mastodon, and two servers that speak its API: Pleroma and `GoToSocial`.
//!
//! After <https://docs.joinmastodon.org/methods/statuses/> and the servers' own documentation.

mod content;
mod count;
mod instance;
mod media;
mod status;

use serde_json::{Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Micros, SECOND};
use crate::date;
use crate::desk::Desk;
use crate::text;

/// Which server of this family it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    /// Knows a key for an hour, per account, and answers with the first status.
    Mastodon,
    /// Replays the whole answer for six hours, errors too.
    Pleroma,
    /// Knows no keys.
    GoToSocial,
}

/// Requests in five minutes, for each account.
const REQUESTS: usize = 300;
/// Uploads in thirty minutes, for each account.
const UPLOADS: usize = 30;

impl Platform for Server {
    fn name(&self) -> &'static str {
        match self {
            Self::Mastodon => "mastodon",
            Self::Pleroma => "pleroma",
            Self::GoToSocial => "gotosocial",
        }
    }

    fn read(&self, call: &Call) -> Visit {
        let (method, path) = call.route();
        let act = match (method, path.as_slice()) {
            ("POST", ["api", "v1", "statuses"]) => "post",
            ("POST", ["api", "v1" | "v2", "media"]) => "upload",
            ("GET" | "PUT", ["api", "v1", "media", _]) => "media",
            ("GET", ["api", "v1", "accounts", "verify_credentials"]) => "account",
            ("GET", ["api", "v1", "accounts", _, "statuses"] | ["api", "v1", "statuses", _]) => "look",
            ("GET", ["api", "v1" | "v2", "instance"]) => "instance",
            ("GET", [_, _]) => "page",
            _ => "unknown",
        };
        let key = call.header("idempotency-key").filter(|_| act == "post");
        Visit { act, account: call.bearer().map(text::account), key: key.map(str::to_owned) }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        let act = desk.visit.act;
        let answer = if !matches!(act, "instance" | "page" | "unknown") && desk.visit.account.is_none() {
            error(401, "The access token is invalid")
        } else if let Some(until) = exhausted(desk) {
            return limited(until);
        } else {
            self.act(act, call, desk)
        };
        self.rates(answer, desk)
    }

    fn problem(&self, problem: &Problem, desk: &Desk<'_>) -> Answer {
        match *problem {
            Problem::Broken { status: 503 } => {
                error(503, "There was a temporary problem serving your request, please try again.")
            }
            Problem::Broken { status } => error(status, "This page is not correct"),
            Problem::RateLimited { seconds: None } => error(429, "Too many requests"),
            #[expect(clippy::cast_possible_truncation, reason = "a wait of a test, far from the limits")]
            Problem::RateLimited { seconds: Some(seconds) } => limited(desk.now + (seconds * 1e6) as Micros),
            // What Mastodon says of a key that it knows, while it cannot find its status: mastodon#40399.
            Problem::Duplicate => error(500, "Internal Server Error"),
            Problem::ExpiredToken => error(401, "The access token expired"),
            Problem::RevokedToken => error(401, "The access token was revoked"),
        }
    }
}

impl Server {
    fn act(self, act: &str, call: &Call, desk: &mut Desk<'_>) -> Answer {
        match act {
            "post" => status::post(self, call, desk),
            "upload" => media::upload(call, desk),
            "media" => media::look(call, desk),
            "account" => Answer::json(200, &account(desk)),
            "look" => status::look(call, desk),
            "instance" => instance::answer(self, call),
            "page" => status::page(call, desk),
            _ => error(404, "Record not found"),
        }
    }

    fn rates(self, answer: Answer, desk: &Desk<'_>) -> Answer {
        if self == Self::Pleroma {
            return answer;
        }
        let left = REQUESTS.saturating_sub(desk.recent(None, 300) + 1);
        answer
            .header("x-ratelimit-limit", REQUESTS.to_string())
            .header("x-ratelimit-remaining", left.to_string())
            .header("x-ratelimit-reset", date::iso(period_end(desk.now, 300)))
    }
}

/// Until when this account has to wait.
fn exhausted(desk: &Desk<'_>) -> Option<Micros> {
    if !desk.limits {
        return None;
    }
    if desk.visit.act == "upload" && desk.recent(Some("upload"), 1800) >= UPLOADS {
        return Some(period_end(desk.now, 1800));
    }
    (desk.recent(None, 300) >= REQUESTS).then(|| period_end(desk.now, 300))
}

/// When the present period ends: periods begin at full multiples of their length.
fn period_end(now: Micros, seconds: i64) -> Micros {
    let period = seconds * SECOND;
    (now / period + 1) * period
}

fn limited(until: Micros) -> Answer {
    error(429, "Too many requests")
        .header("x-ratelimit-limit", REQUESTS.to_string())
        .header("x-ratelimit-remaining", "0")
        .header("x-ratelimit-reset", date::iso(until))
}

fn error(status: u16, text: &str) -> Answer {
    Answer::json(status, &json!({ "error": text }))
}

/// The account's id: digits, as the API has them.
fn account_id(desk: &Desk<'_>) -> String {
    let name = desk.visit.account.as_deref().unwrap_or("0");
    u64::from_str_radix(name, 16).unwrap_or(0).to_string()
}

fn account(desk: &Desk<'_>) -> Json {
    let name = format!("rehearsal_{}", &account_id(desk));
    json!({
        "id": account_id(desk), "username": name, "acct": name, "display_name": "Rehearsal", "bot": true,
        "source": { "privacy": "public", "sensitive": false, "language": null },
    })
}
