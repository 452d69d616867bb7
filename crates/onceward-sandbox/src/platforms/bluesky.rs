//! Bluesky: a personal data server of the AT Protocol, with sessions, blobs and posts.
//!
//! After <https://atproto.com/specs>, the lexicons and the server of <https://github.com/bluesky-social/atproto>
//! (`putRecord.ts`, `createRecord.ts`, `rate-limiter-http.ts`), and the answers of `@atproto/pds` 0.4.217. Any password
//! logs in; every handle has an account, but for those that begin with `nobody`.

mod blob;
mod id;
mod lexicon;
mod look;
mod record;
mod session;

use serde_json::{Value as Json, json};

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Micros, SECOND};
use crate::desk::Desk;
use session::{Checked, Token};

/// The server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pds;

/// Sessions made in five minutes and in a day, for each account.
const SESSIONS: [(usize, i64); 2] = [(30, 300), (300, 86_400)];
/// Posts written in an hour and in a day: 5,000 and 35,000 points, and three for each.
const WRITES: [(usize, i64); 2] = [(1666, 3600), (11_666, 86_400)];

impl Platform for Pds {
    fn name(&self) -> &'static str {
        "bluesky"
    }

    fn read(&self, call: &Call) -> Visit {
        let (_, path) = call.route();
        let ["xrpc", name] = path.as_slice() else { return Visit { act: "unknown", ..Visit::default() } };
        let act = match *name {
            "com.atproto.server.createSession" => "login",
            "com.atproto.server.refreshSession" => "token",
            "com.atproto.server.getSession" => "account",
            "com.atproto.repo.uploadBlob" => "upload",
            "com.atproto.repo.putRecord" | "com.atproto.repo.createRecord" => "post",
            "com.atproto.repo.deleteRecord" => "delete",
            "com.atproto.repo.getRecord" | "com.atproto.repo.listRecords" => "look",
            "com.atproto.identity.resolveHandle" => "resolve",
            "com.atproto.server.describeServer" => "instance",
            _ => "unknown",
        };
        let account = match act {
            "login" => session::identifier(call).map(|handle| crate::text::account(&handle)),
            _ => call.bearer().and_then(Token::read).map(|token| token.account),
        };
        let key = (act == "post").then(|| text(&call.fields(), "rkey")).flatten();
        Visit { act, account, key }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        if let Some(until) = exhausted(desk) {
            return limited(Some(until));
        }
        match desk.visit.act {
            "login" => session::login(call, desk),
            "look" => look::look(call, desk),
            "resolve" => look::resolve(call),
            "instance" => {
                Answer::json(200, &json!({ "did": "did:web:localhost", "availableUserDomains": [".test"] }))
            }
            "token" => session::refresh(call, desk),
            act => match session::check(call, desk.now) {
                Checked::Refused(answer) => answer,
                Checked::Good(token) => match act {
                    "account" => session::account(&token),
                    "upload" => blob::upload(call, desk),
                    "post" => record::write(call, &token, desk),
                    "delete" => record::delete(call, &token, desk),
                    _ => error(501, "MethodNotImplemented", "Method Not Implemented"),
                },
            },
        }
    }

    fn problem(&self, problem: &Problem, desk: &Desk<'_>) -> Answer {
        match *problem {
            Problem::Broken { status: status @ (400 | 500) } => {
                error(status, "InternalServerError", "Internal Server Error")
            }
            Problem::Broken { status } => Answer::text(status, "upstream connect error"),
            #[expect(clippy::cast_possible_truncation, reason = "a wait of a test, far from the limits")]
            Problem::RateLimited { seconds } => {
                limited(seconds.map(|seconds| desk.now + (seconds * 1e6) as Micros))
            }
            Problem::Duplicate => {
                error(400, "InvalidSwap", "Record was at bafyreigkt5ojuanc65u3czffglus6nw6q4fxrrwvx3")
            }
            Problem::ExpiredToken => session::expired(),
            // An app password that was taken back fails at the login, and nowhere else.
            Problem::RevokedToken if desk.visit.act == "login" => session::wrong(),
            Problem::RevokedToken => error(400, "InvalidToken", "Token could not be verified"),
        }
    }
}

/// Until when this account has to wait.
fn exhausted(desk: &Desk<'_>) -> Option<Micros> {
    let act = desk.visit.act;
    let limits = match act {
        "login" => SESSIONS,
        "post" => WRITES,
        _ => return None,
    };
    let over = |(most, seconds): &(usize, i64)| desk.recent(Some(act), *seconds) >= *most;
    let (_, seconds) = limits.into_iter().filter(|_| desk.limits).find(over)?;
    Some((desk.now / (seconds * SECOND) + 1) * seconds * SECOND)
}

/// It tells the end of the wait as an instant, and sends no `Retry-After`.
fn limited(until: Option<Micros>) -> Answer {
    let answer = error(429, "RateLimitExceeded", "Rate Limit Exceeded");
    match until {
        Some(until) => {
            answer.header("ratelimit-remaining", "0").header("ratelimit-reset", (until / SECOND).to_string())
        }
        None => answer,
    }
}

fn error(status: u16, name: &str, message: &str) -> Answer {
    Answer::json(status, &json!({ "error": name, "message": message }))
}

fn text(fields: &serde_json::Map<String, Json>, name: &str) -> Option<String> {
    fields.get(name).and_then(Json::as_str).map(str::to_owned)
}
