//! Webhooks as channels: one signed POST; the receiver tells a repeat by its id.

use std::time::Duration;

use onceward::{Cause, Class, Failure, Fallback, Intent, Receipt, SendError, Time};
use onceward_http::{Client, FailureKind, Request, Response, SendFailure, StatusClass, Target};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Attached, Key, Published, body, sign};
use crate::body as markup;
use crate::channel::{Channel, Doing, Part, Reason, Sending};
use crate::dress::Dressed;

/// For how long receivers are trusted to remember an id. The specification leaves it to them.
const WINDOW: Duration = Duration::from_hours(24);
/// How long to wait after a 429 that says no time.
const WAIT: Duration = Duration::from_mins(1);

/// A webhook of the owner's choice.
#[derive(Debug, Clone)]
pub struct WebhookChannel {
    target: Target,
    key: Key,
    client: Client,
    timeout: Duration,
}

/// The body is frozen; id, time and signature are headers, made for each send from what is frozen.
#[derive(Serialize, Deserialize)]
struct Frozen {
    body: String,
}

impl WebhookChannel {
    /// A webhook at an address that the configuration names; `timeout` is for the whole request.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn new(url: &str, key: Key, client: Client, timeout: Duration) -> Result<Self, SendFailure> {
        Ok(Self { target: Target::operator(url)?, key, client, timeout })
    }

    fn request(&self, id: &str, body: &str, now: Time) -> Result<Request, SendFailure> {
        let seconds = now.micros().div_euclid(1_000_000);
        Request::post(self.target.clone())
            .header("webhook-id", id)?
            .header("webhook-timestamp", &seconds.to_string())?
            .secret_header("webhook-signature", &sign(&self.key, id, seconds, body.as_bytes()))
            .map(|request| request.deadline(self.timeout))?
            .body("application/json", body)
    }
}

impl Channel for WebhookChannel {
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        let it = post.post;
        let media = it.media.iter().map(|media| Attached {
            sha256: media.facts.sha256.clone(),
            kind: media.facts.kind,
            alt: media.alt.clone(),
        });
        let published = Published {
            id: it.content.clone(),
            title: it.title.clone(),
            text: post.text.clone(),
            html: markup::html(&it.body, &markup::Links::NONE),
            link: post.link.clone(),
            tags: it.tags.clone(),
            media: media.collect(),
        };
        let body = String::from_utf8_lossy(&body(&published, post.at)).into_owned();
        let (text, length) = (post.text.clone(), post.text.chars().count());
        Ok(vec![Part { text, length, request: serde_json::json!({ "body": body }) }])
    }

    fn class(&self) -> Class {
        Class::Keyed { window: WINDOW, fallback: Fallback::Blind }
    }

    fn commit<'a>(
        &'a self,
        _to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let frozen: Frozen = serde_json::from_value(intent.request.clone())?;
            let id = format!("msg_{}", intent.key);
            let now = Time::now();
            let request = self.request(&id, &frozen.body, now).map_err(|failure| lost(&failure))?;
            let response = self.client.send(request).await.map_err(|failure| lost(&failure))?;
            answered(&response, now)?;
            Ok(Receipt::id(id))
        })
    }

    fn check(&self) -> Doing<'_, Result<String, Failure>> {
        Box::pin(async {
            Ok("the secret is there; a webhook cannot be asked without sending it something".to_owned())
        })
    }
}

/// What a status of the receiver means.
fn answered(response: &Response, now: Time) -> Result<(), SendError> {
    let status = response.status();
    let cause = |text: &str| Cause::new(format!("http_{status}"), said(text, response)).status(status);
    let refused = |text: &str| Err(SendError::Refused(Failure::permanent(cause(text))));
    match response.class() {
        StatusClass::Success => Ok(()),
        StatusClass::RateLimited => {
            let wait = response.retry_after(now.timestamp()).unwrap_or(WAIT);
            let cause = cause("the receiver asks to slow down");
            Err(SendError::Refused(Failure::RateLimited { until: now.after(wait), cause }))
        }
        StatusClass::Auth => {
            let cause = cause("the receiver does not accept the signature; compare `secret` on both sides");
            Err(SendError::Refused(Failure::AuthNeeded { cause }))
        }
        _ if status == 410 => {
            refused("the receiver has closed this address; take the channel out, or change `url`")
        }
        StatusClass::Refused => refused("the receiver refused it"),
        _ if matches!(status, 301 | 302 | 303 | 307 | 308) => {
            refused("the receiver points to another address; redirects are not followed, so change `url`")
        }
        StatusClass::Unclear => {
            let cause = cause("the receiver failed, perhaps after it took the message");
            Err(SendError::Unknown(if status >= 500 { cause.outage() } else { cause }))
        }
    }
}

/// Our words, then the receiver's own in quotes.
fn said(ours: &str, response: &Response) -> String {
    let text = response.safe_text();
    let text: String = text.trim().chars().take(300).collect();
    if text.is_empty() { ours.to_owned() } else { format!("{ours}; it says {text:?}") }
}

/// What an exchange without an answer means.
fn lost(failure: &SendFailure) -> SendError {
    let cause = Cause::new(failure.code(), failure.to_string());
    match failure.kind() {
        FailureKind::Invalid | FailureKind::AddressForbidden => SendError::Refused(Failure::permanent(cause)),
        _ if failure.not_sent() => SendError::NotSent(cause.outage()),
        _ => SendError::Unknown(cause.outage()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, headers: &[(&str, &str)]) -> String {
        let now: Time = "2026-12-01T00:00:00Z".parse().unwrap();
        match answered(&Response::new(status, headers, "why"), now) {
            Ok(()) => "accepted".to_owned(),
            Err(SendError::Refused(Failure::RateLimited { until, .. })) => format!("wait until {until}"),
            Err(SendError::Refused(failure)) => failure.class().to_owned(),
            Err(SendError::Unknown(cause)) => format!("unknown, outage {}", cause.outage),
            Err(SendError::NotSent(_)) => "not sent".to_owned(),
        }
    }

    #[test]
    fn each_status_means_one_thing() {
        let table = [
            (200, "accepted"),
            (204, "accepted"),
            (301, "permanent"),
            (307, "permanent"),
            (304, "unknown, outage false"),
            (400, "permanent"),
            (401, "auth_needed"),
            (403, "auth_needed"),
            (404, "permanent"),
            (408, "unknown, outage false"),
            (410, "permanent"),
            (422, "permanent"),
            (429, "wait until 2026-12-01T00:01:00Z"),
            (500, "unknown, outage true"),
            (503, "unknown, outage true"),
        ];
        for (status, meaning) in table {
            assert_eq!(said(status, &[]), meaning, "{status}");
        }
        assert_eq!(said(429, &[("retry-after", "5")]), "wait until 2026-12-01T00:00:05Z");
    }
}
