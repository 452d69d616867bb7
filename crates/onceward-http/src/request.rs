//! One request, complete before anything is sent.

use std::fmt;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::{Multipart, SendFailure, Target};

/// The methods that the platforms use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of RFC 9110")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

/// Headers that frame the message or name the host. Setting them by hand could smuggle a second request.
const OURS: [&str; 7] =
    ["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"];

/// One request. `Debug` shows the method, the host and the names of the headers, no values.
#[derive(Clone)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) secrets: Vec<String>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) answer_limit: Option<usize>,
    pub(crate) fresh: bool,
}

impl Request {
    /// A request without headers and with an empty body.
    pub fn new(method: Method, target: Target) -> Request {
        let secrets = target.secrets();
        Request {
            method,
            target,
            headers: HeaderMap::new(),
            body: Vec::new(),
            secrets,
            deadline: None,
            answer_limit: None,
            fresh: false,
        }
    }

    /// `GET`.
    pub fn get(target: Target) -> Request {
        Request::new(Method::Get, target)
    }

    /// `POST`.
    pub fn post(target: Target) -> Request {
        Request::new(Method::Post, target)
    }

    /// `PUT`.
    pub fn put(target: Target) -> Request {
        Request::new(Method::Put, target)
    }

    /// Adds a header. Refused, by name, when the value holds a control character or the client sets it itself.
    pub fn header(mut self, name: &str, value: &str) -> Result<Request, SendFailure> {
        let (name, value) = self.vet_header(name, value)?;
        self.headers.append(name, value);
        Ok(self)
    }

    /// Adds a header whose value never shows up in any text: neither whole, nor without its scheme (`Bearer …`).
    pub fn secret_header(mut self, name: &str, value: &str) -> Result<Request, SendFailure> {
        let (name, mut checked) = self.vet_header(name, value)?;
        checked.set_sensitive(true);
        self.headers.append(name, checked);
        if let Some((_scheme, credentials)) = value.split_once(' ') {
            self.secrets.push(credentials.to_owned());
        }
        Ok(self.hide(value))
    }

    /// Sets the body and its content type.
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Result<Request, SendFailure> {
        let (_, value) = self.vet_header(CONTENT_TYPE.as_str(), content_type)?;
        self.headers.insert(CONTENT_TYPE, value);
        self.body = body.into();
        Ok(self)
    }

    /// Sets the body to a form with files.
    pub fn multipart(self, form: Multipart) -> Result<Request, SendFailure> {
        let (content_type, body) = form.encode();
        self.body(&content_type, body)
    }

    /// Names a value that must not surface in the texts of this request and its answer.
    #[must_use]
    pub fn hide(mut self, secret: &str) -> Request {
        self.secrets.push(secret.to_owned());
        self
    }

    /// A total deadline for this request in place of the client's.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Request {
        self.deadline = Some(deadline);
        self
    }

    /// Sends this request on a connection of its own, never on one that was kept: the server may be closing that one
    /// just now, and then nobody knows what became of the request.
    #[must_use]
    pub fn fresh(mut self) -> Request {
        self.fresh = true;
        self
    }

    /// The longest answer taken, in bytes, in place of the client's.
    #[must_use]
    pub fn answer_limit(mut self, bytes: usize) -> Request {
        self.answer_limit = Some(bytes);
        self
    }

    fn vet_header(&self, name: &str, value: &str) -> Result<(HeaderName, HeaderValue), SendFailure> {
        let refuse = |why: String| SendFailure::invalid(self.target.host(), why);
        let shown = name.escape_debug();
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| refuse(format!("`{shown}` cannot be the name of a header")))?;
        if OURS.contains(&parsed.as_str()) {
            return Err(refuse(format!("the header `{shown}` is set by the client itself; leave it out")));
        }
        if let Some((at, control)) = value.char_indices().find(|(_, c)| c.is_control()) {
            let code = u32::from(control);
            return Err(refuse(format!(
                "the header `{shown}` holds a control character (U+{code:04X} at byte {at}); remove it"
            )));
        }
        let value = HeaderValue::from_bytes(value.as_bytes())
            .map_err(|_| refuse(format!("the header `{shown}` holds bytes that cannot be sent")))?;
        Ok((parsed, value))
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("target", &self.target)
            .field("headers", &self.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl From<Method> for reqwest::Method {
    fn from(method: Method) -> reqwest::Method {
        match method {
            Method::Get => reqwest::Method::GET,
            Method::Head => reqwest::Method::HEAD,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        }
    }
}
