//! Where a request goes, and whose choice that was.

use std::fmt;

use url::Url;

use crate::SendFailure;

/// Who chose a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The operator, in the configuration or on the command line: allowed as it is, loopback included.
    Operator,
    /// Anybody else (content, a media link, the API, a feed, a redirect): must pass the [`Guard`](crate::Guard).
    Untrusted,
}

/// An http or https URL and whose choice it was. `Debug` shows the host only, since a URL may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    trust: Trust,
}

impl Target {
    /// A URL from the configuration or the command line.
    pub fn operator(url: &str) -> Result<Target, SendFailure> {
        Target::parse(url, Trust::Operator)
    }

    /// A URL from anywhere else. The guard's verdict falls when the request is sent.
    pub fn untrusted(url: &str) -> Result<Target, SendFailure> {
        Target::parse(url, Trust::Untrusted)
    }

    fn parse(text: &str, trust: Trust) -> Result<Target, SendFailure> {
        // The parser's error names the rule that was broken and nothing of the URL.
        let url = Url::parse(text).map_err(|error| SendFailure::invalid("", format!("the URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SendFailure::invalid("", "the URL must begin with http:// or https://".into()));
        }
        Ok(Target { url, trust })
    }

    /// The same server with `path` put after the URL's own path; a `?query` in it replaces the query.
    /// The host cannot change, whatever `path` holds.
    #[must_use]
    pub fn join(&self, path: &str) -> Target {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = self.url.clone();
        let joined = format!("{}/{}", url.path().trim_end_matches('/'), path.trim_start_matches('/'));
        url.set_path(&joined);
        url.set_query(query);
        url.set_fragment(None);
        Target { url, trust: self.trust }
    }

    /// Adds `name=value` to the query, encoded.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Target {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    /// The host, which is all of a URL that errors and logs may show.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Whose choice it was.
    pub fn trust(&self) -> Trust {
        self.trust
    }

    /// The whole URL, secrets included: for signatures and comparisons, never for a text.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The parts of the URL that must not surface in a text: the URL, the password, and whatever is long enough
    /// to be a token. Shorter parts are words (`/api`), and hiding those would make an answer unreadable.
    pub(crate) fn secrets(&self) -> Vec<String> {
        const TOKEN: usize = 12;
        let url = &self.url;
        let whole = [url.as_str(), &url[url::Position::BeforePath..], url.path(), url.username()];
        let optional = [url.query(), url.fragment()].into_iter().flatten();
        let segments = url.path().split('/');
        let values = url.query().unwrap_or_default().split(['=', '&']);
        let decoded = url.query_pairs().map(|(_, value)| value.into_owned());
        let mut secrets: Vec<String> = whole
            .into_iter()
            .chain(optional)
            .chain(segments)
            .chain(values)
            .map(str::to_owned)
            .chain(decoded)
            .filter(|part| part.len() >= TOKEN)
            .collect();
        secrets.extend(url.password().map(str::to_owned));
        secrets
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}://{}/…, {:?})", self.url.scheme(), self.host(), self.trust)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_the_base_path_and_never_leaves_the_host() {
        let cases = [
            ("https://a.example", "/api/v1", "https://a.example/api/v1"),
            ("https://a.example/sub/", "api", "https://a.example/sub/api"),
            ("https://a.example/sub?x=1#f", "/api?y=2", "https://a.example/sub/api?y=2"),
            ("https://a.example", "//evil.example/x", "https://a.example/evil.example/x"),
            ("https://a.example", "@evil.example", "https://a.example/@evil.example"),
            ("https://a.example", "https://evil.example", "https://a.example/https://evil.example"),
            ("https://a.example", "x#y", "https://a.example/x%23y"),
        ];
        for (base, path, expected) in cases {
            assert_eq!(Target::operator(base).unwrap().join(path).url().as_str(), expected);
        }
    }

    #[test]
    fn query_values_are_encoded() {
        let target = Target::operator("https://a.example/find").unwrap().query("q", "a&b=c ü");
        assert_eq!(target.url().as_str(), "https://a.example/find?q=a%26b%3Dc+%C3%BC");
    }

    #[test]
    fn only_http_and_https_can_be_a_target_and_the_refusal_shows_nothing_of_the_url() {
        for url in [
            "ftp://h/s3cret",
            "file:///s3cret",
            "data:,s3cret",
            "/s3cret",
            "",
            "http://",
            "gopher://h/s3cret",
        ] {
            let failure = Target::operator(url).unwrap_err();
            assert_eq!(failure.code(), "invalid_request", "{url}");
            assert!(!format!("{failure} {failure:?}").contains("s3cret"), "{failure}");
        }
    }

    #[test]
    fn debug_shows_the_host_only() {
        let target = Target::operator("https://me:pw@h.example/bot-s3cret?k=s3cret").unwrap();
        assert_eq!(format!("{target:?}"), "Target(https://h.example/…, Operator)");
    }
}
