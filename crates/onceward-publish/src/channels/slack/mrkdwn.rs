//! A text with formatting as Slack's "mrkdwn". What people wrote is data: `<!channel>` is shown and calls nobody.
//!
//! <https://docs.slack.dev/messaging/formatting-message-text>

use std::ops::Range;

use crate::body::{Mark, Rich, Style};
use crate::text::{What, facets};

/// The text with Slack's signs for its marks.
pub(super) fn mrkdwn(rich: &Rich) -> String {
    written(&rich.text, 0..rich.text.len(), &rich.marks)
}

/// Only these three begin anything in Slack's notation; there is no way to escape its stars and underscores.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn written(text: &str, range: Range<usize>, marks: &[Mark]) -> String {
    let (mut out, mut at, mut rest) = (String::new(), range.start, marks);
    while let Some((mark, after)) = rest.split_first() {
        let inside = after.iter().take_while(|it| it.range.start < mark.range.end).count();
        out.push_str(&running(&text[at..mark.range.start]));
        out.push_str(&dressed(text, mark, &after[..inside]));
        (at, rest) = (mark.range.end, &after[inside..]);
    }
    out.push_str(&running(&text[at..range.end]));
    out
}

/// A text between marks. Slack would take a particle into the link before it (`https://a.example에서`), so the addresses
/// that stand in the text are set apart.
fn running(text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for facet in facets(text) {
        let shown = &text[facet.range.clone()];
        let What::Link { url } = facet.what else { continue };
        // Slack makes no link of a bare domain, and `main.rs` is none.
        if shown.contains("://") {
            out.push_str(&escape(&text[at..facet.range.start]));
            out.push_str(&link(&url, shown));
            at = facet.range.end;
        }
    }
    out.push_str(&escape(&text[at..]));
    out
}

fn dressed(text: &str, mark: &Mark, inside: &[Mark]) -> String {
    let own = &text[mark.range.clone()];
    let styled = |sign: char| {
        let inner = written(text, mark.range.clone(), inside);
        if stands_alone(text, &mark.range, sign) { format!("{sign}{inner}{sign}") } else { inner }
    };
    match &mark.style {
        Style::Bold => styled('*'),
        Style::Italic => styled('_'),
        Style::Strike => styled('~'),
        Style::Code if own.contains(['`', '\n']) => escape(own),
        Style::Code => format!("`{}`", escape(own)),
        Style::Block(_) if own.contains("```") => escape(own),
        Style::Block(_) => format!("```\n{}\n```", escape(own)),
        Style::Link(url) => link(url, own),
    }
}

/// Slack knows a style only between white space or punctuation: `*큐*를` would show its stars.
fn stands_alone(text: &str, range: &Range<usize>, sign: char) -> bool {
    let own = &text[range.clone()];
    let apart = |near: Option<char>| near.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation());
    let tight = |edge: Option<char>| edge.is_some_and(|c| !c.is_whitespace());
    !own.contains([sign, '\n'])
        && tight(own.chars().next())
        && tight(own.chars().next_back())
        && apart(text[..range.start].chars().next_back())
        && apart(text[range.end..].chars().next())
}

fn link(url: &str, label: &str) -> String {
    let address = escape(url).replace('|', "%7C");
    if label == url {
        return format!("<{address}>");
    }
    format!("<{address}|{}>", escape(label).replace('\n', " ").replace('|', "¦"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Links, rich};
    use proptest::prelude::*;

    fn shown(markdown: &str) -> String {
        mrkdwn(&rich(markdown, &Links::NONE))
    }

    #[test]
    fn styles_and_links_have_slacks_signs() {
        let table = [
            ("**bold** and *italic* and ~~gone~~", "*bold* and _italic_ and ~gone~"),
            ("***both***", "_*both*_"),
            ("`a < b`", "`a &lt; b`"),
            ("```rust\nlet a = &b;\n```", "```\nlet a = &amp;b;\n```"),
            ("[here](https://example.org/?a=1&b=2)", "<https://example.org/?a=1&amp;b=2|here>"),
            ("[a|b](https://example.org/a|b)", "<https://example.org/a%7Cb|a¦b>"),
            ("<https://example.org/>", "<https://example.org/>"),
            ("**see [here](https://example.org)**", "*see <https://example.org|here>*"),
            ("- one\n- two", "• one\n• two"),
            ("> said", "&gt; said"),
            ("see https://a.example/x에서 main.rs", "see <https://a.example/x>에서 main.rs"),
            ("https://한글.kr/길", "<https://xn--bj0bj06e.kr/%EA%B8%B8|https://한글.kr/길>"),
        ];
        for (markdown, expected) in table {
            assert_eq!(shown(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn a_style_that_slack_would_not_see_leaves_no_signs() {
        let table = [("**큐**를", "큐를"), ("a**b**c", "abc"), ("**a\\*b**", "a*b"), ("**a**, b", "*a*, b")];
        for (markdown, expected) in table {
            assert_eq!(shown(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn what_people_wrote_calls_nobody_and_links_nowhere() {
        let table = [
            ("<!channel> <!here>", "&lt;!channel&gt; &lt;!here&gt;"),
            ("\\<@U024BE7LH> \\<#C024BE7LR>", "&lt;@U024BE7LH&gt; &lt;#C024BE7LR&gt;"),
            ("\\<https://evil.example|good.example>", "&lt;https://evil.example|good.example&gt;"),
            ("Q&amp;A", "Q&amp;A"),
            ("[<!channel>](https://example.org)", "<https://example.org|&lt;!channel&gt;>"),
            ("`<!here>`", "`&lt;!here&gt;`"),
        ];
        for (markdown, expected) in table {
            assert_eq!(shown(markdown), expected, "{markdown}");
        }
    }

    proptest! {
        #[test]
        fn an_angle_bracket_is_always_one_of_our_links(markdown in "[a<>!|#&*`\\[\\]() ]{0,40}") {
            let out = shown(&markdown);
            prop_assert!(!out.contains('<'), "{}", out);
        }

        #[test]
        fn a_plain_text_comes_back_when_its_signs_are_read_again(text in "\\PC{0,40}") {
            let read = escape(&text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            prop_assert_eq!(read, text);
        }
    }
}
