//! What a platform answers.

use serde_json::{Value as Json, json};

use crate::clock::{Micros, SECOND};
use crate::date;
use crate::fault::Unit;

/// An answer, before it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Json) -> Self {
        Self::of(status, "application/json; charset=utf-8", body.to_string())
    }

    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self::of(status, "text/plain; charset=utf-8", body.into())
    }

    pub(crate) fn html(body: String) -> Self {
        Self::of(200, "text/html; charset=utf-8", body)
    }

    /// The same with another status.
    pub(crate) fn with(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Tells how long to wait, in the unit that a fault asks for.
    pub(crate) fn wait(self, seconds: f64, unit: Unit, now: Micros) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a wait of a test, far from the limits")]
        let until = now + (seconds * 1e6) as Micros;
        match unit {
            Unit::Seconds => self.header("retry-after", format!("{:.0}", seconds.ceil())),
            Unit::Float => self.header("retry-after", format!("{seconds:.3}")),
            Unit::Epoch => self.header("x-ratelimit-reset", (until / SECOND + 1).to_string()),
            Unit::Iso => self.header("x-ratelimit-reset", date::iso(until)),
            Unit::HttpDate => self.header("retry-after", date::http(until + SECOND)),
            Unit::Body => self.wait_in_body(seconds),
        }
    }

    /// Adds `retry_after` to the body, whatever else stands there.
    fn wait_in_body(mut self, seconds: f64) -> Self {
        let mut body = serde_json::from_slice(&self.body).unwrap_or_else(|_| json!({}));
        if let Json::Object(fields) = &mut body {
            fields.insert("retry_after".to_owned(), json!(seconds));
        }
        self.body = body.to_string().into_bytes();
        self
    }

    fn of(status: u16, kind: &str, body: String) -> Self {
        Self { status, headers: vec![("content-type", kind.to_owned())], body: body.into_bytes() }
    }
}
