//! Sessions: an access token for two hours, and one that renews it.

use serde_json::{Value as Json, json};

use super::{error, id, text};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Micros, SECOND};
use crate::desk::Desk;

const ACCESS_SECONDS: i64 = 2 * 3600;
const REFRESH_SECONDS: i64 = 60 * 86_400;

/// What stands in a token. Its third part, where others have a signature, holds this in the clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) account: String,
    pub(super) handle: String,
    refreshes: bool,
    /// Seconds since 1970.
    ends: i64,
}

/// Whether a request may go on.
pub(super) enum Checked {
    Good(Token),
    Refused(Answer),
}

impl Token {
    /// Reads what [`written`](Self::written) wrote; none of what it did not.
    pub(super) fn read(token: &str) -> Option<Self> {
        let fields: Vec<_> = token.splitn(3, '.').nth(2)?.splitn(4, '~').collect();
        let [account, refreshes, ends, handle] = fields.as_slice() else { return None };
        let refreshes = *refreshes == "refresh";
        Some(Self {
            account: (*account).to_owned(),
            handle: (*handle).to_owned(),
            refreshes,
            ends: ends.parse().ok()?,
        })
    }

    /// A JSON Web Token by its shape: its end can be read.
    fn written(&self) -> String {
        let kind = if self.refreshes { "refresh" } else { "access" };
        let head = id::base64(json!({ "typ": format!("{kind}+jwt"), "alg": "none" }).to_string().as_bytes());
        let claims = json!({ "sub": id::did(&self.handle), "exp": self.ends }).to_string();
        format!(
            "{head}.{}.{}~{kind}~{}~{}",
            id::base64(claims.as_bytes()),
            self.account,
            self.ends,
            self.handle
        )
    }
}

/// Who wants to log in.
pub(super) fn identifier(call: &Call) -> Option<String> {
    text(&call.fields(), "identifier").map(|handle| handle.to_ascii_lowercase())
}

pub(super) fn login(call: &Call, desk: &Desk<'_>) -> Answer {
    let (handle, password) = (identifier(call), text(&call.fields(), "password"));
    match (handle, password) {
        (Some(handle), Some(password)) if !handle.is_empty() && !password.is_empty() => made(&handle, desk),
        (Some(_), Some(_)) => wrong(),
        _ => error(400, "InvalidRequest", "Input must have the property \"identifier\""),
    }
}

/// A token that renews is good once: what is given with the new one is the next.
pub(super) fn refresh(call: &Call, desk: &Desk<'_>) -> Answer {
    match call.bearer().map(Token::read) {
        None => missing(),
        Some(Some(token)) if token.refreshes && token.ends > desk.now / SECOND => made(&token.handle, desk),
        Some(Some(token)) if token.refreshes => expired(),
        Some(_) => error(400, "InvalidToken", "Invalid token type"),
    }
}

/// Whether the request carries an access token that is still good.
pub(super) fn check(call: &Call, now: Micros) -> Checked {
    Checked::Refused(match call.bearer().map(Token::read) {
        None => missing(),
        Some(None) => error(400, "InvalidToken", "Token could not be verified"),
        Some(Some(token)) if token.refreshes => error(400, "InvalidToken", "Invalid token type"),
        Some(Some(token)) if token.ends <= now / SECOND => expired(),
        Some(Some(token)) => return Checked::Good(token),
    })
}

pub(super) fn account(token: &Token) -> Answer {
    Answer::json(200, &json!({ "did": id::did(&token.handle), "handle": token.handle, "active": true }))
}

pub(super) fn expired() -> Answer {
    error(400, "ExpiredToken", "Token has expired")
}

pub(super) fn wrong() -> Answer {
    error(401, "AuthenticationRequired", "Invalid identifier or password")
}

fn missing() -> Answer {
    error(401, "AuthMissing", "Authentication Required")
}

fn made(handle: &str, desk: &Desk<'_>) -> Answer {
    let token = |refreshes, seconds| {
        let account = crate::text::account(handle);
        Token { account, handle: handle.to_owned(), refreshes, ends: desk.now / SECOND + seconds }.written()
    };
    let body: Json = json!({
        "did": id::did(handle), "handle": handle, "active": true,
        "accessJwt": token(false, ACCESS_SECONDS), "refreshJwt": token(true, REFRESH_SECONDS),
    });
    Answer::json(200, &body)
}
