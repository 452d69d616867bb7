//! How Mastodon counts: graphemes, with each link as 23 and of a remote mention only the name.

use crate::text::graphemes;

/// What a link counts.
pub(super) const LINK: usize = 23;

/// The length of a status.
pub(super) fn count(text: &str) -> usize {
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => graphemes(text),
            Piece::Link(_) => LINK,
            Piece::Mention { name, .. } => graphemes(name) + 1,
        })
        .sum()
}

/// Something in a text that a server treats on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Link(&'a str),
    /// `@name@host`.
    Mention {
        name: &'a str,
        host: &'a str,
    },
}

/// A text in its pieces, in order; put together they give the text again.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut begun, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let free = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let found = if free { link(&text[at..]).or_else(|| mention(&text[at..])) } else { None };
        let Some((piece, length)) = found else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if begun < at {
            pieces.push(Piece::Text(&text[begun..at]));
        }
        pieces.push(piece);
        at += length;
        begun = at;
    }
    if begun < text.len() {
        pieces.push(Piece::Text(&text[begun..]));
    }
    pieces
}

/// A link at the beginning of a text: only with its scheme, up to a space or a bracket, without final punctuation.
fn link(text: &str) -> Option<(Piece<'_>, usize)> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme))?;
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, '<' | '>')).unwrap_or(text.len());
    let link = text[..end].trim_end_matches(|char: char| "?!*\"'「」;:=,.$%[]~&|@".contains(char));
    let link = if link.contains('(') { link } else { link.trim_end_matches(')') };
    (link.len() > scheme.len()).then_some((Piece::Link(link), link.len()))
}

fn mention(text: &str) -> Option<(Piece<'_>, usize)> {
    let rest = text.strip_prefix('@')?;
    let name =
        &rest[..rest.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_')).unwrap_or(rest.len())];
    let rest = rest[name.len()..].strip_prefix('@').filter(|_| !name.is_empty())?;
    let end =
        rest.find(|char: char| !(char.is_alphanumeric() || matches!(char, '.' | '-'))).unwrap_or(rest.len());
    let host = rest[..end].trim_end_matches(['.', '-']);
    host.contains('.').then_some((Piece::Mention { name, host }, name.len() + host.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_count_23_and_mentions_their_name() {
        for (text, length) in [
            ("한글", 2),
            ("https://example.org/a/very/long/path/that/goes/on", 23),
            ("see https://a.b.", 28),
            ("(https://a.b/c)", 25),
            ("example.org/not/a/link/without/scheme", 37),
            ("@user@host.example hi", 8),
            ("@user hi", 8),
            ("me@host.example", 15),
            ("👨\u{200d}👩\u{200d}👧\u{200d}👦", 1),
        ] {
            assert_eq!(count(text), length, "{text}");
        }
    }
}
