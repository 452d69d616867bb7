//! An alert as a post. Its text holds words of others (errors), so nothing in it may become markup or call anybody:
//! every mark is escaped, every mention is broken, and each channel's own dress does the rest.

use std::collections::BTreeMap;

use onceward::AlertMessage;

use crate::content::Thread;
use crate::post::Post;
use crate::text::unmentioned;

/// The message as the channel of that stable id gets it.
pub(crate) fn post(message: &AlertMessage, channel: &str) -> Post {
    let AlertMessage { rule, number, at, title, text, .. } = message;
    let content =
        if *number > 0 { format!("alert/{rule}/{number}") } else { format!("alert/{rule}/test-{at}") };
    Post {
        content,
        channel: channel.to_owned(),
        title: Some(unmentioned(title)),
        link: None,
        tags: Vec::new(),
        body: markdown(&unmentioned(text)),
        media: Vec::new(),
        thread: Thread::Auto,
        options: BTreeMap::new(),
        publish_at: None,
        expire_at: None,
        approve: false,
        alert: true,
    }
}

/// Plain text as Markdown that shows it as it is: paragraphs stay paragraphs, and lines lines.
fn markdown(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let lines: Vec<String> = paragraph.lines().map(literal).collect();
        lines.join("\\\n")
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Each mark of ASCII may be escaped (`CommonMark` 0.31, section 2.4), and means itself then.
fn literal(line: &str) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    for c in line.trim().chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::body::{self, Links};
    use crate::text::{What, facets};

    fn shown(text: &str) -> (String, String) {
        let markdown = markdown(text);
        (body::text(&markdown, &Links::NONE), body::html(&markdown, &Links::NONE))
    }

    #[test]
    fn words_of_others_are_shown_as_they_are() {
        let table = [
            "<!channel> <@U1> <https://evil.example|click>",
            "@everyone @here",
            "**bold** _it_ `code` ~~gone~~ # 1. - > [a](https://b.example) ![x](y.png)",
            "<script>alert(1)</script> <b>bold</b> <!-- gone? -->",
            "&amp; &#60; &nbsp; \\ \\\\",
            "1. one",
            "- one",
            "    code",
            "> quote",
            "| a | b |",
            "===",
            "---",
            "<https://auto.example> <a@b.example>",
        ];
        for text in table {
            let (plain, html) = shown(text);
            assert_eq!(plain, text.trim(), "{text}");
            assert_eq!(html.matches('<').count(), 2, "a paragraph and its end: {html}");
        }
    }

    #[test]
    fn words_of_others_call_nobody() {
        let text = "@everyone, @alice.bsky.social and @bob@m.example: ada@example.org is gone";
        let message = AlertMessage {
            rule: "ops".to_owned(),
            number: 1,
            at: onceward::Time::from_micros(0),
            title: text.to_owned(),
            text: text.to_owned(),
            notices: Vec::new(),
        };
        let post = post(&message, "ops");
        let said = [post.title.unwrap_or_default(), body::text(&post.body, &Links::NONE)];
        for said in said {
            let called = facets(&said).into_iter().filter(|facet| matches!(facet.what, What::Mention { .. }));
            assert_eq!(called.count(), 0, "{said}");
            assert_eq!(said.replace('\u{200B}', ""), text);
        }
    }

    #[test]
    fn lines_and_paragraphs_stay_apart() {
        let (plain, html) = shown("one\n- two\n\n| a |\n|---|\n| b |");
        assert_eq!(plain, "one\n- two\n\n| a |\n|---|\n| b |");
        assert_eq!(html, "<p>one<br />\n- two</p>\n<p>| a |<br />\n|---|<br />\n| b |</p>\n");
    }

    proptest! {
        #[test]
        fn any_line_is_shown_as_it_is(line in "[ -~가-힣]{1,60}") {
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(shown(&line).0, line);
        }
    }
}
