//! What a platform's answer means. Each adapter's error table is data: rows of status and code.

use std::time::Duration;

use onceward::{Cause, Failure, Seen, SendError, Time};
use onceward_http::{FailureKind, Response, SendFailure, StatusClass, parse_wait};
use serde_json::Value as Json;

/// How long to wait when a platform asks for it and does not say how long.
const WAIT: Duration = Duration::from_mins(1);

/// One row of a platform's error table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// The HTTP status; 0: any.
    pub(crate) status: u16,
    /// The platform's own code; empty: any.
    pub(crate) code: &'static str,
    /// What it means.
    pub(crate) means: Means,
    /// Our words for it: what happened, what to do.
    pub(crate) text: &'static str,
}

impl Row {
    /// Whatever the platform's own code.
    pub(crate) const fn status(status: u16, means: Means, text: &'static str) -> Self {
        Self::both(status, "", means, text)
    }

    /// Whatever the status.
    pub(crate) const fn code(code: &'static str, means: Means, text: &'static str) -> Self {
        Self::both(0, code, means, text)
    }

    /// With this status and this code.
    pub(crate) const fn both(status: u16, code: &'static str, means: Means, text: &'static str) -> Self {
        Self { status, code, means, text }
    }

    fn fits(&self, status: u16, code: Option<&str>) -> bool {
        (self.status == 0 || self.status == status) && (self.code.is_empty() || Some(self.code) == code)
    }
}

/// What an answer means for a request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// It will never be taken as it is.
    Refused,
    /// It was not taken; the same may be taken later.
    Later,
    /// It was not taken: too many requests.
    TooMany,
    /// It was not taken: the credentials of the account.
    Auth,
    /// It was not taken: the credentials are good, and do not allow this one thing.
    Barred,
    /// It may have been taken. Go and look.
    Unclear,
}

/// What the platform said, as its adapter understood the body.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said<'a> {
    /// Its own code.
    pub(crate) code: Option<&'a str>,
    /// Its own words.
    pub(crate) text: Option<&'a str>,
    /// The wait that it asks for in the body, where it does.
    pub(crate) wait: Option<Duration>,
}

/// What an answer that is no success means: the first row that fits, else the default of its status.
pub(crate) fn means(table: &[Row], response: &Response, said: Said<'_>, now: Time) -> SendError {
    let status = response.status();
    let row = table.iter().find(|row| row.fits(status, said.code));
    let (means, ours) = row.map_or_else(|| by_status(response), |row| (row.means, row.text));
    let words = said.text.map_or_else(|| response.safe_text(), |text| response.safe(text));
    let words: String = words.trim().chars().take(300).collect();
    let text = if words.is_empty() { ours.to_owned() } else { format!("{ours}; it says {words:?}") };
    // Some platforms answer 200 and put the verdict into the body: there the code is the name of the failure.
    let code = said.code.map(|code| response.safe(code));
    let name = match &code {
        Some(code) if status < 400 => code.clone(),
        _ => format!("http_{status}"),
    };
    let mut cause = Cause::new(name, text).status(status);
    if let Some(code) = code {
        cause = cause.platform(code);
    }
    match means {
        Means::Refused => SendError::Refused(Failure::permanent(cause)),
        Means::Later => SendError::Refused(Failure::transient(cause)),
        Means::Auth | Means::Barred => SendError::Refused(Failure::AuthNeeded { cause }),
        Means::TooMany => {
            let wait = said.wait.or_else(|| response.retry_after(now.timestamp()));
            let wait = wait.or_else(|| wait_in_body(response, now)).unwrap_or(WAIT);
            SendError::Refused(Failure::RateLimited { until: now.after(wait), cause })
        }
        Means::Unclear => {
            cause.until = response.retry_after(now.timestamp()).map(|wait| now.after(wait));
            SendError::Unknown(if status >= 500 { cause.outage() } else { cause })
        }
    }
}

/// `retry_after` in the body, as a number or a text: how platforms say it that send no header.
fn wait_in_body(response: &Response, now: Time) -> Option<Duration> {
    let body: Json = response.json().ok()?;
    let wait = match &body["retry_after"] {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return None,
    };
    parse_wait(&wait, now.timestamp())
}

fn by_status(response: &Response) -> (Means, &'static str) {
    match response.class() {
        StatusClass::RateLimited => (Means::TooMany, "the platform asks to slow down"),
        StatusClass::Auth if response.status() == 403 => {
            (Means::Barred, "the platform does not let this account do it")
        }
        StatusClass::Auth => (Means::Auth, "the platform does not accept the credentials"),
        StatusClass::Refused => (Means::Refused, "the platform refused it"),
        StatusClass::Success | StatusClass::Unclear => {
            (Means::Unclear, "the platform failed, perhaps after it took the post")
        }
    }
}

/// What an exchange without an answer means.
pub(crate) fn lost(failure: &SendFailure) -> SendError {
    let cause = Cause::new(failure.code(), failure.to_string());
    match failure.kind() {
        FailureKind::Invalid | FailureKind::AddressForbidden => SendError::Refused(Failure::permanent(cause)),
        _ if failure.not_sent() => SendError::NotSent(cause.outage()),
        _ => SendError::Unknown(cause.outage()),
    }
}

/// The same, said of a request that may be repeated unseen: an upload, a look, a renewed token.
pub(crate) fn unseen(error: SendError) -> Failure {
    match error {
        SendError::Refused(failure) => failure,
        SendError::NotSent(cause) | SendError::Unknown(cause) => Failure::transient(cause),
    }
}

/// What a look comes to that could not be made.
///
/// Down, asking to wait, or not knowing our credentials any more: so would a send fare, and the look is made when that
/// is over. All else tells nothing and is counted, so that a person is asked in the end: above all a look that the
/// credentials do not allow must not pause the sending, which they do allow.
pub(crate) fn cannot_look(table: &[Row], error: SendError) -> Seen {
    let failure = unseen(error);
    let cause = failure.cause();
    let row = || table.iter().find(|row| row.fits(cause.status.unwrap_or(0), cause.platform_code.as_deref()));
    let waits = match &failure {
        Failure::RateLimited { .. } => true,
        Failure::AuthNeeded { .. } => row().map_or(cause.status != Some(403), |row| row.means == Means::Auth),
        _ => cause.outage,
    };
    tracing::warn!(code = %cause.code, why = cause.text, waits, "a look could not be made");
    if waits { Seen::Failed(failure) } else { Seen::CannotTell }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Row] = &[
        Row::status(401, Means::Auth, "token"),
        Row::code("token_revoked", Means::Auth, "token"),
        Row::code("missing_scope", Means::Barred, "scope"),
    ];

    fn now() -> Time {
        Time::from_micros(1_800_000_000_000_000)
    }

    fn said(status: u16, code: Option<&str>, body: &str) -> SendError {
        means(TABLE, &Response::new(status, &[], body), Said { code, ..Said::default() }, now())
    }

    #[test]
    fn a_wait_in_the_body_is_kept_in_any_notation() {
        for (body, seconds) in [
            (r#"{"retry_after":7}"#, 7),
            (r#"{"retry_after":6.5}"#, 7),
            (r#"{"retry_after":"7"}"#, 7),
            (r#"{"retry_after":1800000007}"#, 7),
            (r#"{"retry_after":null}"#, 60),
            (r#"["retry_after"]"#, 60),
            ("slow down", 60),
        ] {
            let SendError::Refused(Failure::RateLimited { until, .. }) = said(429, None, body) else {
                panic!("{body}")
            };
            assert_eq!(until.since(now()).as_millis().div_ceil(1000), seconds, "{body}");
        }
    }

    #[test]
    fn whoever_is_down_may_name_a_time() {
        let response = Response::new(503, &[("Retry-After", "90")], "");
        let SendError::Unknown(cause) = means(TABLE, &response, Said::default(), now()) else { panic!() };
        assert_eq!((cause.outage, cause.until), (true, Some(now().after(Duration::from_secs(90)))));
        let SendError::Unknown(cause) = said(503, None, "") else { panic!() };
        assert_eq!((cause.outage, cause.until), (true, None));
    }

    /// Down, limited, or without a token, a look waits; all else tells nothing, and a person is asked in the end.
    #[test]
    fn a_look_that_could_not_be_made_waits_only_where_a_send_would() {
        for (error, waits) in [
            (said(503, None, ""), true),
            (said(429, None, ""), true),
            (said(401, None, ""), true),
            (said(200, Some("token_revoked"), ""), true),
            (said(200, Some("missing_scope"), ""), false),
            (said(403, None, ""), false),
            (said(404, None, ""), false),
            (said(400, None, ""), false),
            (SendError::NotSent(Cause::new("dns", "no name").outage()), true),
            (SendError::Unknown(Cause::new("answer_unreadable", "no JSON")), false),
        ] {
            let found = cannot_look(TABLE, error.clone());
            assert_eq!(matches!(found, Seen::Failed(_)), waits, "{error:?}");
            assert!(waits || found == Seen::CannotTell, "{error:?}");
        }
    }
}
