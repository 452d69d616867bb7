//! One broker by its URL: what stands in `to` and `from` of the configuration. No message repeats a password. Pure.

use std::collections::BTreeMap;

use onceward::Error;
use url::Url;

/// A URL taken apart. It may hold a password, and is never shown.
pub(crate) struct Address {
    pub url: Url,
    query: BTreeMap<String, String>,
}

impl Address {
    /// Reads a URL of these schemes, with these parameters and no others.
    pub(crate) fn parse(text: &str, schemes: &[&str], parameters: &[&str]) -> Result<Self, Error> {
        let mut url = Url::parse(text).map_err(|error| wrong(format!("no URL: {error}")))?;
        if !schemes.contains(&url.scheme()) {
            return Err(wrong(format!("{}: expected {}://…", url.scheme(), schemes.join(":// or "))));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(wrong(format!("expected a host after {}://", url.scheme())));
        }
        let query: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        if let Some(unknown) = query.keys().find(|name| !parameters.contains(&name.as_str())) {
            let known = if parameters.is_empty() { "none".to_owned() } else { parameters.join(", ") };
            return Err(wrong(format!("?{unknown}: no such parameter; known: {known}")));
        }
        url.set_query(None);
        Ok(Self { url, query })
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        self.query.remove(name)
    }

    /// The parts of the path, decoded.
    pub(crate) fn path(&self) -> Vec<String> {
        let parts = self.url.path().split('/').filter(|part| !part.is_empty());
        parts.map(decoded).collect()
    }
}

/// Percent-decoded.
pub(crate) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

pub(crate) fn wrong(text: String) -> Error {
    Error::Invalid { code: "broker_url", text }
}
