//! Links, mentions and hashtags of a text, as ranges of bytes.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::links;

/// Something in a text that leads elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// Where it stands: bytes of UTF-8, whole characters.
    pub range: Range<usize>,
    /// What it is.
    pub what: What,
}

/// What a facet is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A link, with or without a scheme.
    Link {
        /// The address in ASCII, with its scheme.
        url: String,
    },
    /// `@user`, `@user@host` or `@handle.example`.
    Mention {
        /// What follows the first `@`.
        name: String,
    },
    /// A hashtag in any script.
    Hashtag {
        /// What follows the `#`.
        tag: String,
    },
}

/// The facets of a text, in order; none overlap.
pub fn facets(text: &str) -> Vec<Facet> {
    let mut found = Vec::new();
    let mut at = 0;
    for link in links::find(text) {
        words(text, at..link.range.start, &mut found);
        at = link.range.end;
        found.push(Facet { range: link.range, what: What::Link { url: link.url } });
    }
    words(text, at..text.len(), &mut found);
    // A domain within a mention (`@user@host.example`) is no link of its own: it follows an `@`.
    found
}

/// The same text with nobody mentioned: behind each `@` of a mention stands a space of no width.
pub fn unmentioned(text: &str) -> String {
    let mut out = text.to_owned();
    for facet in facets(text).into_iter().rev().filter(|facet| matches!(facet.what, What::Mention { .. })) {
        out.insert(facet.range.start + 1, '\u{200B}');
    }
    out
}

/// Mentions and hashtags of a piece of the text that holds no links.
fn words(text: &str, piece: Range<usize>, found: &mut Vec<Facet>) {
    let mut at = piece.start;
    while let Some(sign) = text[at..piece.end].find(['@', '#', '＃']) {
        let start = at + sign;
        let facet = mention(text, start, piece.end).or_else(|| hashtag(text, start, piece.end));
        at = match &facet {
            Some(facet) => facet.range.end,
            None => start + text[start..].chars().next().map_or(1, char::len_utf8),
        };
        found.extend(facet);
    }
}

/// By Mastodon's `Account::MENTION_RE`, with the host in ASCII. It covers Bluesky's handles and Telegram's names.
fn mention(text: &str, start: usize, end: usize) -> Option<Facet> {
    let rest = text[start..end].strip_prefix('@')?;
    if text[..start].ends_with(|c: char| c.is_alphanumeric() || "=/_@.".contains(c)) {
        return None;
    }
    let user = name(rest);
    let host = rest[user..].strip_prefix('@').map_or(0, name);
    let length = user + if host > 0 { host + 1 } else { 0 };
    let name = rest[..length].to_owned();
    (user > 0).then(|| Facet { range: start..start + 1 + length, what: What::Mention { name } })
}

/// How long a name is: letters, digits and `_` of ASCII, with `.` and `-` between them.
fn name(text: &str) -> usize {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let length = text.bytes().take_while(allowed).count();
    let name = text[..length].trim_end_matches(['.', '-']);
    if name.starts_with(['.', '-']) { 0 } else { name.len() }
}

/// Letters, digits and `_` of any script, composed or not; digits alone are a number.
fn hashtag(text: &str, start: usize, end: usize) -> Option<Facet> {
    let rest = text[start..end].strip_prefix(['#', '＃'])?;
    if text[..start].ends_with(|c: char| c.is_alphanumeric() || "_&/#＃".contains(c) || is_combining_mark(c))
    {
        return None;
    }
    if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let length = rest.find(|c| !in_tag(c)).unwrap_or(rest.len());
    let tag = rest[..length].trim_end_matches(['\u{B7}', '\u{30FB}', '\u{200C}', '\u{200D}']);
    let word = tag.chars().any(|c| c.is_alphanumeric() && !c.is_numeric());
    let range = start..start + (text[start..end].len() - rest.len()) + tag.len();
    word.then(|| Facet { range, what: What::Hashtag { tag: tag.to_owned() } })
}

/// Besides letters: the marks of composed letters, the dot between Catalan and Japanese words, and the joiners that
/// Persian and Indic words are written with.
fn in_tag(c: char) -> bool {
    c.is_alphanumeric()
        || is_combining_mark(c)
        || matches!(c, '_' | '\u{B7}' | '\u{30FB}' | '\u{200C}' | '\u{200D}')
}
