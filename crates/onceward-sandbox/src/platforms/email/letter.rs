//! Mails as RFC 5322 and 2047 have them, as far as a stand-in looks into them.

use crate::text::percent_decoded;

/// The longest line, without its end.
const LINE: usize = 998;

/// A header's value, its lines put together again.
pub(super) fn header(mail: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(mail);
    let head = text.split("\r\n\r\n").next()?.replace("\r\n ", " ").replace("\r\n\t", " ");
    head.split("\r\n").find_map(|line| {
        let (have, value) = line.split_once(':')?;
        have.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// What is wrong with a mail.
pub(super) fn unsound(mail: &[u8]) -> Option<&'static str> {
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\r\n") else { return Some("a line ends in a bare line feed") };
        if line.contains(&b'\r') {
            return Some("a carriage return stands alone");
        }
        if line.len() > LINE {
            return Some("a line is too long");
        }
        if !line.is_ascii() || line.contains(&0) {
            return Some("a byte is not ASCII, and 8BITMIME was not offered");
        }
    }
    let missing = ["from", "date", "message-id"].into_iter().any(|name| header(mail, name).is_none());
    missing.then_some("a header that every mail has is missing")
}

/// A header with its encoded words decoded. Between two of them, white space does not count.
pub(super) fn words(value: &str) -> String {
    let mut out = String::new();
    let mut coded_before = false;
    for word in value.split(' ') {
        let coded = word.strip_prefix("=?").and_then(|word| word.strip_suffix("?=")).and_then(decoded);
        let joins = out.is_empty() || (coded.is_some() && coded_before);
        if !joins {
            out.push(' ');
        }
        coded_before = coded.is_some();
        out.push_str(coded.as_deref().unwrap_or(word));
    }
    out
}

/// `utf-8?b?…` or `utf-8?q?…`.
fn decoded(word: &str) -> Option<String> {
    let mut pieces = word.splitn(3, '?');
    let (charset, way, text) = (pieces.next()?, pieces.next()?, pieces.next()?);
    if !charset.eq_ignore_ascii_case("utf-8") {
        return None;
    }
    match way {
        "b" | "B" => String::from_utf8(base64(text)?).ok(),
        "q" | "Q" => Some(percent_decoded(&text.replace('%', "%25").replace('=', "%").replace('_', " "))),
        _ => None,
    }
}

pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = (bits << 6) | u32::from(value(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_unfolded_and_their_words_decoded() {
        let mail = b"Subject: =?utf-8?b?7ZWc?=\r\n =?utf-8?B?6riA?= and =?utf-8?q?caf=C3=A9_x?=\r\nX: y\r\n\r\nSubject: no\r\n";
        let subject = header(mail, "subject").unwrap();
        assert_eq!(words(&subject), "한글 and café x");
        assert_eq!(words("plain 100% = a_b"), "plain 100% = a_b");
        assert_eq!(header(mail, "to"), None);
    }

    #[test]
    fn what_no_mail_may_hold_is_found() {
        let head = "From: a@b.c\r\nDate: x\r\nMessage-ID: <a@b>\r\n\r\n";
        assert_eq!(unsound(format!("{head}text\r\n").as_bytes()), None);
        for body in ["a\nb\r\n", "a\rb\r\n", "ä\r\n", "\0\r\n", "no end"] {
            assert!(unsound(format!("{head}{body}").as_bytes()).is_some(), "{body:?}");
        }
        assert!(unsound(b"From: a@b.c\r\n\r\n").is_some());
    }
}
