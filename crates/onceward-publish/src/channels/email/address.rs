//! Mailboxes, checked so that none can add a header or a command.

use std::fmt;
use std::str::FromStr;

use lettre::Address;

/// An address of mail, with a name where it has one: `News <news@example.org>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox(lettre::message::Mailbox);

/// Why a text is no mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailboxError {
    /// A line break or another control character: it could add a header.
    Control,
    /// No address by RFC 5321.
    NoAddress,
    /// Letters outside ASCII, which few servers take.
    NotAscii,
}

impl Mailbox {
    /// The address alone.
    pub fn address(&self) -> &str {
        self.0.email.as_ref()
    }

    /// What stands after the `@`.
    pub fn domain(&self) -> &str {
        self.0.email.domain()
    }

    pub(super) fn inner(&self) -> lettre::message::Mailbox {
        self.0.clone()
    }
}

impl FromStr for Mailbox {
    type Err = MailboxError;

    fn from_str(text: &str) -> Result<Self, MailboxError> {
        if text.chars().any(char::is_control) {
            return Err(MailboxError::Control);
        }
        let mailbox: lettre::message::Mailbox = text.parse().map_err(|_| MailboxError::NoAddress)?;
        if !AsRef::<str>::as_ref(&mailbox.email).is_ascii() {
            return Err(MailboxError::NotAscii);
        }
        // Quoted local parts may hold spaces and angle brackets, which end an address in a command.
        if !is_plain(&mailbox.email) {
            return Err(MailboxError::NoAddress);
        }
        Ok(Self(mailbox))
    }
}

fn is_plain(address: &Address) -> bool {
    let text: &str = address.as_ref();
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"\\,;()".contains(&byte))
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for MailboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Control => "a line break or control character stands in it; remove it",
            Self::NoAddress => {
                "expected an address, such as \"news@example.org\" or \"News <news@example.org>\""
            }
            Self::NotAscii => {
                "an address must be ASCII; write a domain such as bücher.example as xn--bcher-kva.example"
            }
        })
    }
}

impl std::error::Error for MailboxError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailboxes_are_read_with_and_without_a_name() {
        for (text, address, shown) in [
            ("a@b.example", "a@b.example", "a@b.example"),
            ("News <news@b.example>", "news@b.example", "News <news@b.example>"),
            ("새 소식 <news@b.example>", "news@b.example", "새 소식 <news@b.example>"),
            ("\"Doe, Jane\" <j@b.example>", "j@b.example", "\"Doe, Jane\" <j@b.example>"),
            ("me+tag@localhost", "me+tag@localhost", "me+tag@localhost"),
        ] {
            let mailbox: Mailbox = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((mailbox.address(), mailbox.to_string().as_str()), (address, shown));
            assert_eq!(mailbox.to_string().parse(), Ok(mailbox), "what is shown reads the same");
        }
    }

    #[test]
    fn nothing_that_could_add_a_header_or_a_command_is_an_address() {
        for text in [
            "a@b.example\r\nBcc: c@d.example",
            "a@b.example\nRCPT TO:<c@d.example>",
            "Name\r\nX: y <a@b.example>",
            "a@b.example\0",
            "a b@c.example",
            "\"a b\"@c.example",
            "\"a>\"@c.example",
            "a@b.example> SIZE=1",
            "a@b.example, c@d.example",
            "a@bücher.example",
            "ü@b.example",
            "no address",
            "@b.example",
            "a@",
            "",
        ] {
            assert!(text.parse::<Mailbox>().is_err(), "{text:?}");
        }
    }
}
