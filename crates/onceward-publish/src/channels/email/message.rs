//! What is frozen → the bytes of the mail: the same letter, key and media give the same bytes.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Body, Message, MultiPart, SinglePart};
use onceward::{Cause, Failure};

use super::address::Mailbox;
use super::letter::{Enclosed, Letter};

/// The longest line of a mail, without its end (RFC 5322, 2.1.1).
const LINE: usize = 998;

/// A mail, ready to be handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mail {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) bytes: Vec<u8>,
}

impl Mail {
    /// The mail of this letter. `key` names it for ever; `media` are the bytes of what is enclosed, in order.
    ///
    /// # Errors
    /// When the letter cannot be a mail: it was frozen by another version, or changed by hand.
    pub(super) fn of(letter: &Letter, key: &str, media: Vec<Vec<u8>>) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::permanent(Cause::new("mail_malformed", why));
        let (from, to) = (mailbox(&letter.from)?, mailbox(&letter.to)?);
        let id = format!("<{key}@{}>", from.domain());
        let seconds = u64::try_from(letter.date.micros().div_euclid(1_000_000)).unwrap_or_default();
        let mut message = Message::builder()
            .from(from.inner())
            .to(to.inner())
            .subject(letter.subject.as_str())
            .date(UNIX_EPOCH + Duration::from_secs(seconds))
            .message_id(Some(id.clone()))
            .raw_header(header("X-Entity-Ref-ID", key.to_owned()));
        if !letter.keywords.is_empty() {
            message = message.raw_header(header("Keywords", letter.keywords.join(", ")));
        }
        let parts = parts(letter, key, from.domain(), media);
        let bytes = message.multipart(parts).map_err(|error| wrong(error.to_string()))?.formatted();
        unsound(&bytes).map_or(Ok(()), |why| Err(wrong(why)))?;
        Ok(Self { id, from: from.address().to_owned(), to: to.address().to_owned(), bytes })
    }
}

fn mailbox(text: &str) -> Result<Mailbox, Failure> {
    text.parse()
        .map_err(|error| Failure::permanent(Cause::new("address_invalid", format!("{text:?}: {error}"))))
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

/// Text and page as alternatives, the page with its pictures, and what is attached beside both.
fn parts(letter: &Letter, key: &str, domain: &str, media: Vec<Vec<u8>>) -> MultiPart {
    let enclosed = letter.media.iter().zip(media);
    let (inline, attached): (Vec<_>, Vec<_>) = enclosed.partition(|(it, _)| it.inline);
    let html = coded(ContentType::TEXT_HTML, &letter.html);
    let both = MultiPart::alternative().boundary(format!("{key}-text")).build();
    let both = both.singlepart(coded(ContentType::TEXT_PLAIN, &letter.text));
    let both = if inline.is_empty() {
        both.singlepart(html)
    } else {
        let page = MultiPart::related().boundary(format!("{key}-page")).build().singlepart(html);
        both.multipart(
            inline.into_iter().fold(page, |page, (it, bytes)| page.singlepart(shown(it, domain, bytes))),
        )
    };
    if attached.is_empty() {
        return both;
    }
    let whole = MultiPart::mixed().boundary(format!("{key}-whole")).build().multipart(both);
    attached.into_iter().fold(whole, |whole, (it, bytes)| whole.singlepart(beside(it, bytes)))
}

/// Always quoted-printable: no line is too long, and none is left as the author wrote it.
fn coded(kind: ContentType, text: &str) -> SinglePart {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    SinglePart::builder().header(kind).header(ContentTransferEncoding::QuotedPrintable).body(text)
}

fn shown(it: &Enclosed, domain: &str, bytes: Vec<u8>) -> SinglePart {
    Attachment::new_inline_with_name(it.content_id(domain), it.name.clone()).body(binary(bytes), mime(it))
}

fn beside(it: &Enclosed, bytes: Vec<u8>) -> SinglePart {
    Attachment::new(it.name.clone()).body(binary(bytes), mime(it))
}

/// Bytes that look like text would else travel as text, with what ends their lines.
fn binary(bytes: Vec<u8>) -> Body {
    let coded = Body::new_with_encoding(bytes, ContentTransferEncoding::Base64);
    coded.unwrap_or_else(Body::new)
}

fn mime(it: &Enclosed) -> ContentType {
    ContentType::parse(it.kind.mime()).unwrap_or(ContentType::TEXT_PLAIN)
}

/// What a server could take for the end of the mail, or for something that we did not mean.
fn unsound(mail: &[u8]) -> Option<String> {
    for (at, line) in mail.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Some(format!("line {} does not end in CR LF", at + 1));
        };
        if line.iter().any(|byte| !matches!(byte, b'\t' | b' '..=b'~')) {
            return Some(format!("line {} holds a byte that is not printable ASCII", at + 1));
        }
        if line.len() > LINE {
            return Some(format!("line {} has {} bytes; at most {LINE} are allowed", at + 1, line.len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_printable_lines_are_a_mail() {
        assert_eq!(unsound(b"A: b\r\n\r\n.\r\n\ttab\r\n"), None);
        for bad in [
            &b"a\n.\r\n"[..],
            b"a\r.\r\n",
            b"a\r\n.\n\r\n",
            b"\0\r\n",
            b"\xc3\xa4\r\n",
            b"no end",
            b"a\r\r\n",
        ] {
            assert!(unsound(bad).is_some(), "{bad:?}");
        }
        let long = format!("{}\r\n", "x".repeat(LINE + 1));
        assert!(unsound(long.as_bytes()).is_some());
        assert_eq!(unsound(&long.as_bytes()[1..]), None);
    }
}
