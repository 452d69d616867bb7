//! What a platform's answer means. Each adapter's error table is data: rows of status and code.

use std::time::Duration;

use onceward::{Cause, Failure, SendError, Time};
use onceward_http::{FailureKind, Response, SendFailure, StatusClass};

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

/// What an answer means for a request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// It will never be taken as it is.
    Refused,
    /// It was not taken; the same may be taken later.
    Later,
    /// It was not taken: too many requests.
    TooMany,
    /// It was not taken: the credentials or permissions of the account.
    Auth,
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
    let fits = |row: &&Row| {
        (row.status == 0 || row.status == status) && (row.code.is_empty() || Some(row.code) == said.code)
    };
    let (means, ours) =
        table.iter().find(fits).map_or_else(|| by_status(response), |row| (row.means, row.text));
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
        Means::Auth => SendError::Refused(Failure::AuthNeeded { cause }),
        Means::TooMany => {
            let wait = said.wait.or_else(|| response.retry_after(now.timestamp())).unwrap_or(WAIT);
            SendError::Refused(Failure::RateLimited { until: now.after(wait), cause })
        }
        Means::Unclear => SendError::Unknown(if status >= 500 { cause.outage() } else { cause }),
    }
}

fn by_status(response: &Response) -> (Means, &'static str) {
    match response.class() {
        StatusClass::RateLimited => (Means::TooMany, "the platform asks to slow down"),
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
