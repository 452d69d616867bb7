//! Webhooks as channels: one signed POST; the receiver tells a repeat by its id.

use std::time::Duration;

use onceward::{Class, Failure, Fallback, Intent, Receipt, SendError, Time};
use onceward_http::{Client, Request, Response, SendFailure, StatusClass, Target};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Attached, Key, Published, body, sign};
use crate::body as markup;
use crate::channel::{Channel, Checked, Doing, Part, Reason, Sending};
use crate::channels::answer::{self, Means, Row, Said};
use crate::channels::reach::reach;
use crate::dress::Dressed;

/// For how long receivers are trusted to remember an id. The specification leaves it to them.
const WINDOW: Duration = Duration::from_hours(24);

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
            alert: it.alert,
        };
        let body = String::from_utf8_lossy(&body(&published, post.at)).into_owned();
        let (text, length) = (post.text.clone(), post.text.chars().count());
        Ok(vec![Part { text, length, request: serde_json::json!({ "body": body }) }])
    }

    fn class(&self, _request: &Json) -> Class {
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
            let request = self.request(&id, &frozen.body, now).map_err(|failure| answer::lost(&failure))?;
            let response = self.client.send(request).await.map_err(|failure| answer::lost(&failure))?;
            answered(&response, now)?;
            Ok(Receipt::id(id))
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            reach(&self.target, self.timeout).await?;
            let text = format!(
                "{} takes connections; nothing was sent, so the secret is not tried",
                self.target.host()
            );
            Ok(Checked::text(text))
        })
    }
}

/// What the receiver's statuses mean, beside the usual.
const ERRORS: &[Row] = &[
    Row::status(
        410,
        Means::Refused,
        "the receiver has closed this address; take the channel out, or change `url`",
    ),
    Row::status(
        401,
        Means::Auth,
        "the receiver does not accept the signature; compare `secret` on both sides",
    ),
    Row::status(
        403,
        Means::Auth,
        "the receiver does not accept the signature; compare `secret` on both sides",
    ),
    Row::status(409, Means::Unclear, "the receiver has something under this id already, perhaps from us"),
    Row::status(301, Means::Refused, MOVED),
    Row::status(302, Means::Refused, MOVED),
    Row::status(303, Means::Refused, MOVED),
    Row::status(307, Means::Refused, MOVED),
    Row::status(308, Means::Refused, MOVED),
];
const MOVED: &str = "the receiver points to another address; redirects are not followed, so change `url`";

fn answered(response: &Response, now: Time) -> Result<(), SendError> {
    match response.class() {
        StatusClass::Success => Ok(()),
        _ => Err(answer::means(ERRORS, response, Said::default(), now)),
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
            (409, "unknown, outage false"),
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
