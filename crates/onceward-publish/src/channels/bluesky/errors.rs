//! What the answers of a server mean, by the name of the error: one status has many, and an overloaded server says
//! 400 for what is no fault of the request (christopherkenny/bskyr#15).

use onceward::{SendError, Time};
use onceward_http::Response;
use serde::Deserialize;

use crate::channels::answer::{self, Means, Row, Said};

/// Said of a write to a key where something is: go and look.
pub(super) const TAKEN: &str = "InvalidSwap";
/// Said of a record that is not there.
pub(super) const ABSENT: &str = "RecordNotFound";
/// Said of a session that has ended.
pub(super) const EXPIRED: [&str; 2] = ["ExpiredToken", "InvalidToken"];

/// Names first; then the statuses whose default does not fit.
pub(super) const ERRORS: &[Row] = &[
    Row::code(EXPIRED[0], Means::Later, "the session ended; the next attempt renews it"),
    Row::code(
        EXPIRED[1],
        Means::Later,
        "the server does not know the session; the next attempt makes a new one",
    ),
    Row::code("AuthMissing", Means::Auth, "the server saw no session"),
    Row::code("AuthenticationRequired", Means::Auth, LOGIN),
    Row::code(
        "AuthFactorTokenRequired",
        Means::Auth,
        "the account asks for a second factor; use an app password",
    ),
    Row::code("AccountTakedown", Means::Auth, CLOSED),
    Row::code("AccountSuspended", Means::Auth, CLOSED),
    Row::code("AccountDeactivated", Means::Auth, CLOSED),
    Row::code("AccountNotFound", Means::Auth, CLOSED),
    Row::code("RepoNotFound", Means::Auth, CLOSED),
    Row::code("RepoTakendown", Means::Auth, CLOSED),
    Row::code("RepoSuspended", Means::Auth, CLOSED),
    Row::code("RepoDeactivated", Means::Auth, CLOSED),
    Row::code(TAKEN, Means::Unclear, "something is at this key already"),
    Row::code("RateLimitExceeded", Means::TooMany, "the server asks to slow down"),
    Row::code(
        "BlobNotFound",
        Means::Later,
        "the server has lost a picture; the next attempt uploads it again",
    ),
    Row::code("BlobTooLarge", Means::Refused, "a picture is too large"),
    Row::code("PayloadTooLarge", Means::Refused, "a picture is too large"),
    Row::code("InvalidMimeType", Means::Refused, "the server does not take a picture of this type"),
    Row::code("InvalidRequest", Means::Refused, "the server does not take the post"),
    Row::code("InternalServerError", Means::Unclear, FAILED),
    Row::code("UpstreamFailure", Means::Unclear, FAILED),
    Row::code("UpstreamTimeout", Means::Unclear, FAILED),
    Row::code("NotEnoughResources", Means::Unclear, FAILED),
    Row::status(400, Means::Unclear, "the server refused it without a known reason"),
];
const LOGIN: &str = "the server does not accept the login; check `handle`, and make a new app password";
const CLOSED: &str = "the account is not open at this server; look at it there, then resume the channel";
const FAILED: &str = "the server failed, perhaps after it took the post";

/// The body of an error, after the protocol's specification of HTTP calls.
#[derive(Deserialize)]
struct Body {
    error: Option<String>,
    message: Option<String>,
}

/// What an answer that is no success means.
pub(super) fn means(response: &Response, now: Time) -> SendError {
    let body: Option<Body> = serde_json::from_str(&response.safe_text()).ok();
    let (error, message) = body.map_or((None, None), |body| (body.error, body.message));
    let said = Said { code: error.as_deref(), text: message.as_deref(), wait: None };
    answer::means(ERRORS, response, said, now)
}

/// Whether the answer was that the session has ended.
pub(super) fn expired(error: &SendError) -> bool {
    let SendError::Refused(failure) = error else { return false };
    failure.cause().platform_code.as_deref().is_some_and(|code| EXPIRED.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onceward::Failure;

    fn said(status: u16, body: &str) -> String {
        let now: Time = "2026-12-01T00:00:00Z".parse().unwrap();
        // Bluesky's reset is an instant, and its 429 has no Retry-After.
        let reset = (now.micros() / 1_000_000 + 90).to_string();
        match means(&Response::new(status, &[("RateLimit-Reset", &reset)], body), now) {
            SendError::Refused(Failure::RateLimited { until, .. }) => format!("wait until {until}"),
            SendError::Refused(failure) => failure.class().to_owned(),
            SendError::Unknown(cause) => format!("unknown, outage {}", cause.outage),
            SendError::NotSent(_) => "not sent".to_owned(),
        }
    }

    fn body(name: &str) -> String {
        format!(r#"{{"error":"{name}","message":"why"}}"#)
    }

    #[test]
    fn each_name_means_one_thing_whatever_its_status() {
        let table = [
            ("ExpiredToken", "transient"),
            ("InvalidToken", "transient"),
            ("AuthMissing", "auth_needed"),
            ("AuthenticationRequired", "auth_needed"),
            ("AuthFactorTokenRequired", "auth_needed"),
            ("AccountTakedown", "auth_needed"),
            ("AccountSuspended", "auth_needed"),
            ("AccountDeactivated", "auth_needed"),
            ("AccountNotFound", "auth_needed"),
            ("RepoNotFound", "auth_needed"),
            ("RepoTakendown", "auth_needed"),
            ("RepoSuspended", "auth_needed"),
            ("RepoDeactivated", "auth_needed"),
            ("InvalidSwap", "unknown, outage false"),
            ("RateLimitExceeded", "wait until 2026-12-01T00:01:30Z"),
            ("BlobNotFound", "transient"),
            ("BlobTooLarge", "permanent"),
            ("PayloadTooLarge", "permanent"),
            ("InvalidMimeType", "permanent"),
            ("InvalidRequest", "permanent"),
            ("InternalServerError", "unknown, outage false"),
            ("UpstreamFailure", "unknown, outage false"),
            ("UpstreamTimeout", "unknown, outage false"),
            ("NotEnoughResources", "unknown, outage false"),
        ];
        assert_eq!(table.len() + 1, ERRORS.len(), "a row without its test");
        for (name, meaning) in table {
            assert_eq!(said(400, &body(name)), meaning, "{name}");
        }
    }

    #[test]
    fn without_a_known_name_the_status_speaks() {
        let table = [
            (400, "<html>", "unknown, outage false"),
            (400, r#"{"error":"SomethingNew"}"#, "unknown, outage false"),
            (400, "{}", "unknown, outage false"),
            (401, "", "auth_needed"),
            (403, "<html>", "auth_needed"),
            (404, "<html>", "permanent"),
            (413, "<html>", "permanent"),
            (429, "slow", "wait until 2026-12-01T00:01:30Z"),
            (500, r#"{"error":"InternalServerError"}"#, "unknown, outage true"),
            (502, "<html>", "unknown, outage true"),
            (503, "", "unknown, outage true"),
            (504, "", "unknown, outage true"),
            (301, "", "unknown, outage false"),
        ];
        for (status, body, meaning) in table {
            assert_eq!(said(status, body), meaning, "{status} {body}");
        }
    }
}
