//! dev.to, which runs Forem: articles as drafts and published, and what it refuses.
//!
//! After <https://developers.forem.com/api/v1> and Forem's own source: `articles_controller.rb`, `article.rb`,
//! `rack_attack.rb`, `rate_limit_checker.rb`.

mod article;
mod checks;
mod list;

use serde_json::{Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::Desk;
use crate::text;

/// The server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forem;

/// Articles published in thirty seconds, for each account.
const PUBLISHED: usize = 9;
/// Requests that only read, in one second.
const READS: usize = 3;
/// Acts that change something: one in a second, for each account.
const WRITES: [&str; 3] = ["draft", "edit", "post"];

impl Platform for Forem {
    fn name(&self) -> &'static str {
        "devto"
    }

    fn read(&self, call: &Call) -> Visit {
        let (method, path) = call.route();
        let publishes = || article::asked(call).get("published") == Some(&Json::Bool(true));
        let act = match (method, path.as_slice()) {
            ("POST", ["api", "articles"]) | ("PUT", ["api", "articles", _]) if publishes() => "post",
            ("POST", ["api", "articles"]) => "draft",
            ("PUT", ["api", "articles", _]) => "edit",
            ("GET", ["api", "articles", ..]) => "look",
            ("GET", ["api", "users", "me"]) => "account",
            ("GET", [_, _]) => "page",
            _ => "unknown",
        };
        Visit { act, account: call.header("api-key").map(text::account), key: None }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        let act = desk.visit.act;
        if call.header("user-agent").is_none_or(str::is_empty) {
            return Answer::text(403, "Forbidden Bots\n");
        }
        if desk.limits && exhausted(desk) {
            return Answer::text(429, "Retry later\n").header("retry-after", "1");
        }
        let open = act == "page" || (act == "look" && call.route().1.get(2) != Some(&"me"));
        if act != "unknown" && !open && desk.visit.account.is_none() {
            return error(401, "unauthorized");
        }
        if desk.limits && act == "post" && desk.recent(Some("post"), 30) >= PUBLISHED {
            return limited(Some(30.0));
        }
        match (act, call.method.as_str()) {
            ("draft" | "post", "POST") => article::create(call, desk),
            ("edit" | "post", _) => article::update(call, desk),
            ("look", _) => list::look(call, desk),
            ("account", _) => Answer::json(200, &account(desk)),
            ("page", _) => list::page(call, desk),
            _ => error(404, "not found"),
        }
    }

    fn problem(&self, problem: &Problem, _desk: &Desk<'_>) -> Answer {
        match *problem {
            Problem::Broken { status } => {
                Answer::text(status, "Application error\n").header("server", "Cowboy")
            }
            Problem::RateLimited { seconds } => limited(seconds),
            Problem::Duplicate => error(422, checks::TITLE_AGAIN),
            Problem::ExpiredToken | Problem::RevokedToken => error(401, "unauthorized"),
        }
    }
}

/// Whether this account asks too often within a second.
fn exhausted(desk: &Desk<'_>) -> bool {
    let recent = |acts: &[&str]| acts.iter().map(|act| desk.recent(Some(act), 1)).sum::<usize>();
    if WRITES.contains(&desk.visit.act) {
        recent(&WRITES) >= 1
    } else {
        recent(&["look", "account"]) >= READS
    }
}

fn limited(seconds: Option<f64>) -> Answer {
    let words = format!("Rate limit reached, try again in {} seconds", seconds.unwrap_or(30.0).ceil());
    let answer = error(429, &words);
    match seconds {
        Some(seconds) => answer.header("retry-after", format!("{:.0}", seconds.ceil())),
        None => answer,
    }
}

fn error(status: u16, text: &str) -> Answer {
    Answer::json(status, &json!({ "error": text, "status": status }))
}

fn username(desk: &Desk<'_>) -> String {
    format!("rehearsal_{}", desk.visit.account.as_deref().unwrap_or("nobody"))
}

fn account(desk: &Desk<'_>) -> Json {
    let name = username(desk);
    let id = u64::from_str_radix(desk.visit.account.as_deref().unwrap_or("0"), 16).unwrap_or(0) % 1_000_000;
    json!({ "type_of": "user", "id": id, "username": name, "name": "Rehearsal" })
}
