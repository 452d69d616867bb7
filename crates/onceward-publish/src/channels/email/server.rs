//! `smtp://user@host:587`: where mail is handed in, as whom, and how the way there is secured.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use url::{Host, Url};

/// Where mail is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<String>,
    pub(super) tls: Tls,
}

/// When the connection becomes a secure one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    /// At once (RFC 8314).
    Implicit,
    /// By STARTTLS, or not at all.
    Required,
    /// By STARTTLS where it is offered: on this machine, to protect a password.
    Offered,
    /// Not: on this machine, with no password to protect.
    None,
}

/// Why a text names no mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerError {
    /// Not of the form `smtp://user@host:587`.
    Form,
    /// A password would stand in the file.
    Password,
}

impl MailServer {
    /// Whether a password belongs to it.
    pub fn has_user(&self) -> bool {
        self.user.is_some()
    }

    /// The user at this server, or the server alone: one account has one such name.
    pub(super) fn account(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.host),
            None => self.host.clone(),
        }
    }
}

impl FromStr for MailServer {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        let url = Url::parse(text).map_err(|_| ServerError::Form)?;
        if url.password().is_some() {
            return Err(ServerError::Password);
        }
        let (implicit, usual) = match url.scheme() {
            "smtps" => (true, 465),
            "smtp" => (false, 587),
            _ => return Err(ServerError::Form),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(ServerError::Form);
        }
        let host = match url.host().ok_or(ServerError::Form)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let user = Some(url.username()).filter(|user| !user.is_empty()).map(decoded).transpose()?;
        let tls = match (implicit, is_loopback(&host), user.is_some()) {
            (true, _, _) => Tls::Implicit,
            (false, false, _) => Tls::Required,
            (false, true, true) => Tls::Offered,
            (false, true, false) => Tls::None,
        };
        Ok(Self { host, port: url.port().unwrap_or(usual), user, tls })
    }
}

/// A user name such as `me@example.org`, whose `@` stands as `%40` in an address.
fn decoded(user: &str) -> Result<String, ServerError> {
    let pair = format!("u={}", user.replace('+', "%2B"));
    let name = url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, name)| name.into_owned());
    name.filter(|name| !name.chars().any(char::is_control)).ok_or(ServerError::Form)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "expected \"smtp://user@host:587\" (STARTTLS) or \"smtps://user@host:465\"",
            Self::Password => "a password in the address would be a secret in this file; use `password`",
        })
    }
}

impl std::error::Error for ServerError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_and_the_host_decide_how_the_way_is_secured() {
        for (text, host, port, user, tls) in [
            ("smtp://me@mx.example:2525", "mx.example", 2525, Some("me"), Tls::Required),
            ("smtp://mx.example", "mx.example", 587, None, Tls::Required),
            ("smtps://me@mx.example", "mx.example", 465, Some("me"), Tls::Implicit),
            ("smtps://127.0.0.1:4650/", "127.0.0.1", 4650, None, Tls::Implicit),
            ("smtp://me@127.0.0.1:25", "127.0.0.1", 25, Some("me"), Tls::Offered),
            ("smtp://localhost:25", "localhost", 25, None, Tls::None),
            ("smtp://[::1]:25", "::1", 25, None, Tls::None),
            ("smtp://127.0.0.1.evil.example", "127.0.0.1.evil.example", 587, None, Tls::Required),
            ("smtp://me%40b.example@mx.example", "mx.example", 587, Some("me@b.example"), Tls::Required),
            ("smtp://me@b.example@mx.example", "mx.example", 587, Some("me@b.example"), Tls::Required),
            ("smtp://me+tag@mx.example", "mx.example", 587, Some("me+tag"), Tls::Required),
        ] {
            let expected = MailServer { host: host.into(), port, user: user.map(str::to_owned), tls };
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn whatever_else_stands_in_the_address_is_refused() {
        assert_eq!("smtp://me:pw@mx.example".parse::<MailServer>(), Err(ServerError::Password));
        for text in [
            "mx.example:587",
            "http://mx.example",
            "smtp:mx",
            "smtp://",
            "smtp://mx/inbox",
            "smtp://mx?a=b",
            "smtp://a%0d%0ab@mx",
        ] {
            assert_eq!(text.parse::<MailServer>(), Err(ServerError::Form), "{text}");
        }
    }
}
