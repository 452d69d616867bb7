//! An answer that arrived whole.

use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::{SendFailure, StatusClass, classify, redact, retry_after};

/// An answer that arrived whole, whatever its status. `Debug` shows sizes, no contents.
#[derive(Clone)]
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    pub(crate) host: String,
    pub(crate) secrets: Vec<String>,
}

impl Response {
    /// An answer made by hand: for an adapter's table of statuses and headers.
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Response {
        let headers = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_owned()));
        Response {
            status,
            headers: headers.collect(),
            body: body.into(),
            host: String::new(),
            secrets: Vec::new(),
        }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// What the status means by default.
    pub fn class(&self) -> StatusClass {
        classify(self.status)
    }

    /// The first value of a header, whatever the case of `name`; bytes that are not UTF-8 are replaced.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as it came.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body, owned.
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The body as JSON. An answer that cannot be read (code `answer_unreadable`) says nothing about whether the
    /// request was carried out.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, SendFailure> {
        // The parser's own text may quote the body; its position does not.
        serde_json::from_slice(&self.body).map_err(|error| {
            let detail = format!("line {}, column {}", error.line(), error.column());
            SendFailure::unreadable(&self.host, self.status, detail)
        })
    }

    /// The body as a text that is safe to keep and show: see [`redact()`]. The request's secrets are gone from it.
    pub fn safe_text(&self) -> String {
        self.safe(&String::from_utf8_lossy(&self.body))
    }

    /// A text out of the body, such as one field of it, made safe in the same way.
    pub fn safe(&self, text: &str) -> String {
        redact(text, self.secrets.iter().map(String::as_str))
    }

    /// The server's clock when it answered: its `Date` header.
    pub fn date(&self) -> Option<jiff::Timestamp> {
        self.header("date").and_then(retry_after::instant)
    }

    /// How long the server asks to wait, counted from `now`; at most 7 days. Meant for 429 and 503: other answers
    /// may carry reset headers without asking for anything.
    ///
    /// Read in this order: `Retry-After`, `X-RateLimit-Reset-After`, `RateLimit-Reset`, `X-RateLimit-Reset`,
    /// `X-Rate-Limit-Reset`; the first that makes sense wins. The server's `Date` corrects a difference of clocks.
    pub fn retry_after(&self, now: jiff::Timestamp) -> Option<Duration> {
        retry_after::from_headers(|name| self.header(name), now)
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("headers", &self.headers.len())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
