//! The content of a post as a server gives it, HTML, as the text that it was made from.

/// The text of a piece of HTML: tags are left out, lines and paragraphs end in white space, characters that are named
/// are themselves again. Whatever is broken stays as text; nothing is fetched or run.
pub(super) fn text(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if rest.starts_with('<') { tag(rest, &mut out) } else { entity(rest, &mut out) };
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// Leaves out a tag or comment; a `<` that begins none is a character.
fn tag(rest: &str, out: &mut String) -> usize {
    if let Some(comment) = rest.strip_prefix("<!--") {
        return comment.find("-->").map_or(rest.len(), |end| end + "<!---->".len());
    }
    let name = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!') {
        out.push('<');
        return 1;
    }
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if BREAKS.iter().any(|known| known.eq_ignore_ascii_case(&name[..length])) {
        out.push('\n');
    }
    end(rest)
}

/// These end a line.
const BREAKS: [&str; 13] =
    ["br", "p", "div", "li", "ul", "ol", "pre", "blockquote", "h1", "h2", "h3", "h4", "hr"];

/// Where a tag ends: at the first `>` that stands in no quotes.
fn end(tag: &str) -> usize {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// The longest name of a character, with its `&` and `;`.
const LONGEST: usize = 12;

/// A named or numbered character; an `&` that begins none is a character itself.
fn entity(rest: &str, out: &mut String) -> usize {
    let near = &rest.as_bytes()[..rest.len().min(LONGEST)];
    let Some(end) = near.iter().position(|byte| *byte == b';') else {
        out.push('&');
        return 1;
    };
    let name = &rest[1..end];
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    });
    let character = number.and_then(char::from_u32).or_else(|| named(name));
    out.push(character.unwrap_or('&'));
    if character.is_some() { end + 1 } else { 1 }
}

/// The names that servers use.
fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{A0}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_becomes_the_text_that_it_was_made_from() {
        let table = [
            ("<p>Hello</p>", "\nHello\n"),
            ("<p>a<br />b<BR>c</p><p>d</p>", "\na\nb\nc\n\nd\n"),
            ("1 &lt; 2 &amp;&#38; &#x26; &quot;x&quot; &#39;y&#39;", "1 < 2 && & \"x\" 'y'"),
            (
                "<a href=\"https://a.example/?x=1&amp;y=>\" class='x'><span class=\"invisible\">https://</span>\
              <span class=\"ellipsis\">a.example/?x=1</span><span class=\"invisible\">&amp;y=2</span></a>",
                "https://a.example/?x=1&y=2",
            ),
            ("#<span>한글_태그</span> @<span>user</span>", "#한글_태그 @user"),
            ("a < b & c &nosuch; &#xD800; &", "a < b & c &nosuch; &#xD800; &"),
            ("a<!-- b > c -->d<!-- e", "ad"),
            ("<p", "\n"),
            ("&amp;lt;", "&lt;"),
        ];
        for (html, expected) in table {
            assert_eq!(text(html), expected, "{html}");
        }
    }

    proptest! {
        #[test]
        fn what_was_escaped_comes_back(written in "\\PC{0,60}") {
            let escaped = written.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            prop_assert_eq!(text(&escaped), written);
        }

        #[test]
        fn nothing_breaks_it(html in "([<>&;#x\"'/!a-z0-9 한-]|&#|<p|<!--|-->){0,40}") {
            text(&html);
        }
    }
}
