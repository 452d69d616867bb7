//! The formatting of a text as Telegram takes it: ranges in UTF-16 beside the text, so that nothing in the text itself
//! can become markup (<https://core.telegram.org/bots/api#messageentity>). Links, mentions and hashtags that stand in
//! the text are found by Telegram itself.

use std::ops::Range;

use serde::Serialize;

use crate::body::{Mark, Rich, Style};

/// A formatted piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// `bold`, `italic`, `strikethrough`, `code`, `pre` or `text_link`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Where it begins, in UTF-16 code units.
    pub offset: usize,
    /// How long it is, in UTF-16 code units.
    pub length: usize,
    /// Where a `text_link` leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The language of a `pre`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Telegram takes no more with one message.
const MOST: usize = 100;

/// The entities of a text, in order. Of more than a hundred, links stay before other formatting.
pub fn entities(rich: &Rich) -> Vec<Entity> {
    let mut marks: Vec<Mark> = rich.marks.iter().flat_map(|mark| beside_code(rich, mark)).collect();
    marks.sort_by_key(|mark| !matches!(mark.style, Style::Link(_)));
    marks.truncate(MOST);
    marks.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
    marks.into_iter().map(|mark| entity(&rich.text, mark)).collect()
}

/// A mark without the white space at its ends, and without the code in it: code is never bold as well, nor a link.
fn beside_code(rich: &Rich, mark: &Mark) -> Vec<Mark> {
    let code = |mark: &&Mark| matches!(mark.style, Style::Code | Style::Block(_));
    let mut pieces = Vec::new();
    let mut at = mark.range.start;
    if !code(&mark) && !matches!(mark.style, Style::Link(_)) {
        for code in rich.marks.iter().filter(code).filter(|code| mark.range.contains(&code.range.start)) {
            pieces.push(at..code.range.start);
            at = code.range.end.min(mark.range.end);
        }
    } else if code(&mark) && rich.marks.iter().any(|link| is_link_over(link, mark)) {
        return Vec::new();
    }
    pieces.push(at..mark.range.end);
    let pieces = pieces.into_iter().map(|range| trimmed(&rich.text, range, &mark.style));
    pieces.filter(|it| !it.is_empty()).map(|range| Mark { range, style: mark.style.clone() }).collect()
}

fn is_link_over(link: &Mark, mark: &Mark) -> bool {
    matches!(link.style, Style::Link(_)) && link.range.contains(&mark.range.start)
}

/// The indentation of a block of code is part of it.
fn trimmed(text: &str, range: Range<usize>, style: &Style) -> Range<usize> {
    let piece = &text[range.clone()];
    let end = range.start + piece.trim_end().len();
    let start = if matches!(style, Style::Block(_)) { 0 } else { piece.len() - piece.trim_start().len() };
    range.start + start..end.max(range.start + start)
}

fn entity(text: &str, mark: Mark) -> Entity {
    let units = |text: &str| text.encode_utf16().count();
    let (mut url, mut language) = (None, None);
    let kind = match mark.style {
        Style::Bold => "bold",
        Style::Italic => "italic",
        Style::Strike => "strikethrough",
        Style::Code => "code",
        Style::Block(of) => {
            language = of;
            "pre"
        }
        Style::Link(to) => {
            url = Some(to);
            "text_link"
        }
    };
    Entity { kind, offset: units(&text[..mark.range.start]), length: units(&text[mark.range]), url, language }
}
