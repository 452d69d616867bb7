//! What a broken exchange means: certainly not sent, or unknown.

use std::error::Error;
use std::fmt;
use std::io;

use crate::{Forbidden, redact};

/// Why a request has no usable answer. Its texts name the host and never the rest of the URL, nor a secret header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendFailure {
    kind: FailureKind,
    host: String,
    status: Option<u16>,
    detail: String,
}

/// What went wrong. Those up to [`FailureKind::Tls`] are certain: no byte of the request left this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The request could not even be built: bad URL, bad header.
    Invalid,
    /// The guard refused the URL or an address behind it.
    AddressForbidden,
    /// The name has no address, or the resolver failed.
    Dns,
    /// Nobody listens there.
    ConnectRefused,
    /// No route, or this machine does not let the connection out.
    ConnectUnreachable,
    /// No connection (name, TCP and TLS together) within the connect deadline.
    ConnectTimeout,
    /// No connection for another reason (too many open files, a reset while connecting).
    ConnectFailed,
    /// The TLS handshake failed: certificate, name, protocol, or not a TLS server at all.
    Tls,
    /// The total deadline passed. The request may have been carried out.
    Timeout,
    /// The connection ended, or something that is not HTTP came, before the answer was complete.
    Cut,
    /// An answer came and was longer than the limit.
    AnswerTooLong,
    /// An answer came whole and could not be understood.
    AnswerUnreadable,
}

impl FailureKind {
    /// The stable code, as it stands in the store and in the API.
    pub fn code(self) -> &'static str {
        match self {
            FailureKind::Invalid => "invalid_request",
            FailureKind::AddressForbidden => "address_forbidden",
            FailureKind::Dns => "dns",
            FailureKind::ConnectRefused => "connect_refused",
            FailureKind::ConnectUnreachable => "connect_unreachable",
            FailureKind::ConnectTimeout => "connect_timeout",
            FailureKind::ConnectFailed => "connect_failed",
            FailureKind::Tls => "tls",
            FailureKind::Timeout => "timeout",
            FailureKind::Cut => "cut",
            FailureKind::AnswerTooLong => "answer_too_long",
            FailureKind::AnswerUnreadable => "answer_unreadable",
        }
    }

    /// Whether the request was certainly not sent. A closed list: whatever is added later is unknown until proven.
    pub fn not_sent(self) -> bool {
        use FailureKind::{
            AddressForbidden, ConnectFailed, ConnectRefused, ConnectTimeout, ConnectUnreachable, Dns,
            Invalid, Tls,
        };
        matches!(
            self,
            Invalid
                | AddressForbidden
                | Dns
                | ConnectRefused
                | ConnectUnreachable
                | ConnectTimeout
                | ConnectFailed
                | Tls
        )
    }

    fn sentence(self) -> &'static str {
        match self {
            FailureKind::Invalid => "the request is not valid",
            FailureKind::AddressForbidden => "this address is not allowed",
            FailureKind::Dns => "the name could not be resolved",
            FailureKind::ConnectRefused => "the connection was refused",
            FailureKind::ConnectUnreachable => "the server cannot be reached from here",
            FailureKind::ConnectTimeout => "no connection was made in time",
            FailureKind::ConnectFailed => "no connection could be made",
            FailureKind::Tls => "no secure connection could be made",
            FailureKind::Timeout => "no complete answer came in time",
            FailureKind::Cut => "the connection broke before the answer was complete",
            FailureKind::AnswerTooLong => "the answer is too long",
            FailureKind::AnswerUnreadable => "the answer cannot be understood",
        }
    }
}

impl SendFailure {
    /// What went wrong.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The stable code of the kind.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Whether the request was certainly not sent; otherwise it may have been carried out.
    pub fn not_sent(&self) -> bool {
        self.kind.not_sent()
    }

    /// Whether this client itself refused (bad request, forbidden address): time alone will not cure it.
    pub fn refused_by_us(&self) -> bool {
        matches!(self.kind, FailureKind::Invalid | FailureKind::AddressForbidden)
    }

    /// The status of the answer, where one had begun to arrive.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    pub(crate) fn invalid(host: &str, detail: String) -> SendFailure {
        SendFailure { kind: FailureKind::Invalid, host: host.into(), status: None, detail }
    }

    pub(crate) fn forbidden(host: &str, why: &Forbidden) -> SendFailure {
        SendFailure {
            kind: FailureKind::AddressForbidden,
            host: host.into(),
            status: None,
            detail: why.to_string(),
        }
    }

    pub(crate) fn timeout(host: &str, status: Option<u16>) -> SendFailure {
        SendFailure { kind: FailureKind::Timeout, host: host.into(), status, detail: String::new() }
    }

    pub(crate) fn too_long(host: &str, status: Option<u16>, limit: usize) -> SendFailure {
        let detail = format!("more than {limit} bytes");
        SendFailure { kind: FailureKind::AnswerTooLong, host: host.into(), status, detail }
    }

    pub(crate) fn unreadable(host: &str, status: u16, detail: String) -> SendFailure {
        SendFailure { kind: FailureKind::AnswerUnreadable, host: host.into(), status: Some(status), detail }
    }

    /// Reads the HTTP library's error. Only the innermost cause is quoted, since outer layers may show the URL.
    pub(crate) fn of(
        error: reqwest::Error,
        host: &str,
        status: Option<u16>,
        secrets: &[String],
    ) -> SendFailure {
        let error = error.without_url();
        let kind = kind_of(&error);
        let detail = match kind {
            FailureKind::ConnectRefused | FailureKind::ConnectTimeout | FailureKind::Timeout => String::new(),
            _ => causes(&error).last().map(ToString::to_string).unwrap_or_default(),
        };
        let detail = redact(&detail, secrets.iter().map(String::as_str));
        SendFailure { kind, host: host.into(), status, detail }
    }
}

/// The kind of an error of the HTTP library.
///
/// "Certainly not sent" rests on two marks of the library: an error while building the request, and an error
/// while connecting, which comes before there is a connection to write to. Anything else may follow a write, also
/// on a connection that was kept alive and died, and is unknown.
fn kind_of(error: &reqwest::Error) -> FailureKind {
    if error.is_builder() {
        FailureKind::Invalid
    } else if error.is_connect() {
        connect_kind(error)
    } else if error.is_timeout() {
        FailureKind::Timeout
    } else {
        FailureKind::Cut
    }
}

fn connect_kind(error: &reqwest::Error) -> FailureKind {
    let mut io = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>());
    if has::<Forbidden>(error) {
        FailureKind::AddressForbidden
    } else if error.is_dns() {
        FailureKind::Dns
    } else if has::<rustls::Error>(error) {
        FailureKind::Tls
    } else if error.is_timeout() {
        FailureKind::ConnectTimeout
    } else {
        match (io.next(), io.next()) {
            // The TLS layer wraps the errors of its handshake (reset, end of file) once more.
            (Some(_), Some(_)) => FailureKind::Tls,
            (Some(socket), None) => socket_kind(socket.kind()),
            (None, _) => FailureKind::ConnectFailed,
        }
    }
}

fn socket_kind(error: io::ErrorKind) -> FailureKind {
    match error {
        io::ErrorKind::ConnectionRefused => FailureKind::ConnectRefused,
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::PermissionDenied => FailureKind::ConnectUnreachable,
        io::ErrorKind::TimedOut => FailureKind::ConnectTimeout,
        _ => FailureKind::ConnectFailed,
    }
}

fn has<T: Error + 'static>(error: &reqwest::Error) -> bool {
    causes(error).any(<dyn Error>::is::<T>)
}

/// An error and all that lies beneath it. `io::Error::source` skips the error that it wraps, which is the very
/// one looked for here.
fn causes<'a>(outermost: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(outermost), |error: &&'a (dyn Error + 'static)| {
        let error: &'a (dyn Error + 'static) = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

impl fmt::Display for SendFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.host.is_empty() {
            write!(f, "{}: ", self.host)?;
        }
        f.write_str(self.kind.sentence())?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        match self.status {
            Some(status) => write!(f, "; the status was {status}"),
            None if self.not_sent() => f.write_str("; nothing was sent"),
            None => f.write_str("; whether the request was carried out is unknown"),
        }
    }
}

impl Error for SendFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_never_connected_says_why() {
        let table = [
            (io::ErrorKind::ConnectionRefused, "connect_refused"),
            (io::ErrorKind::HostUnreachable, "connect_unreachable"),
            (io::ErrorKind::NetworkUnreachable, "connect_unreachable"),
            (io::ErrorKind::PermissionDenied, "connect_unreachable"),
            (io::ErrorKind::TimedOut, "connect_timeout"),
            (io::ErrorKind::ConnectionReset, "connect_failed"),
            (io::ErrorKind::Other, "connect_failed"),
        ];
        for (error, code) in table {
            assert_eq!(socket_kind(error).code(), code, "{error:?}");
            assert!(socket_kind(error).not_sent());
        }
    }

    #[test]
    fn what_follows_a_write_is_never_called_not_sent() {
        for kind in [
            FailureKind::Timeout,
            FailureKind::Cut,
            FailureKind::AnswerTooLong,
            FailureKind::AnswerUnreadable,
        ] {
            assert!(!kind.not_sent(), "{kind:?}");
        }
    }
}
