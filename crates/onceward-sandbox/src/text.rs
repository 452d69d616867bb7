//! Small things done to text and bytes, all by hand: see the crate's first lines for the reason.

mod graphemes;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

pub(crate) use graphemes::graphemes;

/// SHA-256 in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A short name for whoever holds these credentials, from which nobody gets them back.
pub(crate) fn account(credentials: &str) -> String {
    sha256(credentials.as_bytes())[..10].to_owned()
}

/// Text that stands in HTML, in elements as in attributes.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}

/// `%41` decoded; what is no such sequence stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The first characters of a text that is too long to show.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    let mut short: String = text.chars().take(characters).collect();
    if short.len() < text.len() {
        let _ = write!(short, " …");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_harmless_in_html() {
        assert_eq!(html("<a href='x'>\"&amp;"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;");
    }

    #[test]
    fn percent_sequences_are_decoded_and_others_kept() {
        assert_eq!(percent_decoded("%ED%95%9C%2"), "한%2");
        assert_eq!(percent_decoded("100%zz%"), "100%zz%");
        assert_eq!(percent_decoded("%한글"), "%한글");
    }
}
