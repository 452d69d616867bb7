//! An incoming webhook: it answers `ok` and nothing else, so nothing can be looked for, and nothing answered to.

use std::fmt;
use std::time::Duration;

use onceward::{Cause, Class, Failure, Intent, Receipt, SendError, Time};
use onceward_http::{Client, Request, Response, SendFailure, StatusClass, Target};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value as Json, json};

use super::errors::WEBHOOK_ERRORS;
use super::render;
use crate::channel::{Channel, Checked, Doing, Limits, MediaLimits, Part, Reason, Sending};
use crate::channels::answer::{self, Said};
use crate::dress::Dressed;

/// A webhook, whose address is a secret: whoever knows it may post.
#[derive(Clone)]
pub struct SlackWebhook {
    target: Target,
    client: Client,
    timeout: Duration,
}

impl SlackWebhook {
    /// A webhook by its address; `timeout` is for one request.
    ///
    /// # Errors
    /// When the address cannot be used; it is not repeated.
    pub fn new(url: &SecretString, client: Client, timeout: Duration) -> Result<Self, SendFailure> {
        Ok(Self { target: Target::operator(url.expose_secret())?, client, timeout })
    }

    async fn send(&self, body: &Json) -> Result<Response, SendFailure> {
        let request = Request::post(self.target.clone()).deadline(self.timeout).fresh();
        self.client.send(request.body("application/json; charset=utf-8", body.to_string())?).await
    }
}

impl Channel for SlackWebhook {
    fn limits(&self, _server: &Json) -> Limits {
        let none = MediaLimits {
            count: 0,
            types: Vec::new(),
            bytes: 0,
            pixels: None,
            alt: None,
            alt_required: false,
        };
        Limits { text: Some(render::LONGEST), media: Some(none) }
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        let text = render::one(post)?;
        let unfurl = render::unfurl(post)?;
        let request = json!({ "text": text.mrkdwn, "unfurl_links": unfurl, "unfurl_media": unfurl });
        Ok(vec![Part { length: text.mrkdwn.chars().count(), text: text.shown, request }])
    }

    fn class(&self, _request: &Json) -> Class {
        Class::Blind
    }

    fn commit<'a>(
        &'a self,
        _to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let response = self.send(&intent.request).await.map_err(|failure| answer::lost(&failure))?;
            read(&response, Time::now()).map(|()| Receipt::default())
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            // Slack refuses a message without a text, and posts nothing.
            let response = self
                .send(&json!({ "text": "" }))
                .await
                .map_err(|failure| answer::unseen(answer::lost(&failure)))?;
            found(read(&response, Time::now()))
        })
    }
}

/// What the answer to a message without a text says of the address. Only Slack refuses that by its name: any other
/// server's refusal would be the end of the first post.
fn found(answer: Result<(), SendError>) -> Result<Checked, Failure> {
    let stranger = |text: String| {
        Failure::permanent(Cause::new(
            "not_slack",
            format!("{text}; set `webhook_url` to an address of Slack's"),
        ))
    };
    match answer {
        Err(SendError::Refused(Failure::Permanent { cause, .. })) => match cause.platform_code.as_deref() {
            Some("no_text" | "invalid_payload") => {
                Ok(Checked::text("the webhook answers, and takes messages"))
            }
            _ => Err(stranger(format!("it does not answer as Slack does: {}", cause.text))),
        },
        Err(error) => Err(answer::unseen(error)),
        Ok(()) => Err(stranger("it took a message without a text, which Slack refuses".to_owned())),
    }
}

/// What an answer means: only the word `ok` is a success.
pub(super) fn read(response: &Response, now: Time) -> Result<(), SendError> {
    let said = response.safe_text();
    let said = said.trim();
    match response.class() {
        StatusClass::Success if said == "ok" => Ok(()),
        StatusClass::Success => {
            let text = "the answer is not Slack's `ok`; whether the message was taken is unknown";
            Err(SendError::Unknown(Cause::new("answer_unreadable", text).status(response.status())))
        }
        _ => {
            let code = Some(said).filter(|code| is_code(code));
            Err(answer::means(WEBHOOK_ERRORS, response, Said { code, ..Said::default() }, now))
        }
    }
}

/// Slack's codes are small words; anything else came from somewhere on the way.
fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

impl fmt::Debug for SlackWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlackWebhook").field("target", &self.target).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slacks_own_refusal_shows_that_the_webhook_is_there() {
        let now = Time::from_micros(0);
        for (status, body, expected) in [
            (400, "no_text", "fine"),
            (400, "invalid_payload", "fine"),
            (400, "missing_text_or_fallback_or_attachments", "not_slack"),
            (400, "Bad Request", "not_slack"),
            (405, "", "not_slack"),
            (405, "no such page", "not_slack"),
            (200, "ok", "not_slack"),
            (200, "<html>", "answer_unreadable"),
            (404, "no_service", "http_404"),
        ] {
            let found = found(read(&Response::new(status, &[], body), now));
            let code = found.map_or_else(|failure| failure.cause().code.to_string(), |_| "fine".to_owned());
            assert_eq!(code, expected, "{status} {body}");
        }
    }
}
