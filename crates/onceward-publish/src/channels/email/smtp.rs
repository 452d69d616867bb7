//! The dialogue with a mail server (RFC 5321), and how far it came.
//!
//! Written here and not taken from a library: whoever sends must know whether the final dot has left, and what a server
//! says before STARTTLS must not count after it.

mod reply;
mod session;
mod wire;

use std::io;

#[cfg(test)]
pub(super) use reply::Lines;
pub(super) use reply::Reply;
pub(super) use session::{Account, Envelope, Session};

/// How far a dialogue came. Up to and with [`Stage::Content`] the server cannot have the mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Looking up the name, connecting, the greeting.
    Connect,
    /// EHLO.
    Hello,
    /// STARTTLS and the handshake.
    Secure,
    /// AUTH.
    Login,
    /// MAIL FROM.
    Sender,
    /// RCPT TO.
    Recipient,
    /// DATA.
    Data,
    /// The mail itself, without the dot that ends it.
    Content,
    /// The dot has left, or has begun to: only a reply tells.
    Dot,
}

/// Why a dialogue ended before its time.
#[derive(Debug)]
pub(super) enum Why {
    /// The name has no address.
    NoName(io::Error),
    /// No connection.
    NoConnection(io::Error),
    /// No secure connection.
    NoTls(io::Error),
    /// The server offers no STARTTLS, and the way to it is not this machine.
    TlsMissing,
    /// The server knows no way to log in that we know.
    LoginMissing,
    /// The connection broke.
    Lost(io::Error),
    /// The server said no.
    No(Reply),
    /// What came was no reply, or no reply to that.
    Unreadable(String),
    /// Time was up.
    Deadline,
}
