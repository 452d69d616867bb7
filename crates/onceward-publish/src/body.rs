//! The Markdown body of a content: as plain text, with its formatting beside it, as HTML, and the images in it.
//!
//! Raw HTML is data here: it is shown as written and never becomes markup. HTML comments are left out.

mod html;
mod links;
mod rich;
mod text;

pub(crate) use html::escape;
pub use html::html;
pub use links::Links;
pub use rich::{Mark, Rich, Style};
pub use text::{rich, text};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::front_matter::line_at;

/// An image of the body that is a file of ours, not an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyImage {
    /// The file's path as written, with `%20` and the like decoded.
    pub path: String,
    /// The text between the brackets; none when it is empty.
    pub alt: Option<String>,
    /// The line of the file on which the image stands, counted from 1.
    pub line: u32,
}

/// The local images of a Markdown text whose first line is line `first_line` of its file, in order.
pub fn images(markdown: &str, first_line: u32) -> Vec<BodyImage> {
    let mut found = Vec::new();
    let mut events = parser(markdown).into_offset_iter();
    while let Some((event, range)) = events.next() {
        let Event::Start(Tag::Image { dest_url, .. }) = event else { continue };
        let alt = alt_text(&mut events.by_ref().map(|(event, _)| event));
        if is_local(&dest_url) {
            let line = line_at(&markdown.as_bytes()[..range.start], first_line);
            found.push(BodyImage {
                path: decode_percent(&dest_url),
                alt: Some(alt).filter(|it| !it.is_empty()),
                line,
            });
        }
    }
    found
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// Takes the events of an image up to its end, and returns their text.
fn alt_text<'a>(events: &mut impl Iterator<Item = Event<'a>>) -> String {
    let mut alt = String::new();
    let mut depth = 0_usize;
    for event in events {
        match event {
            Event::Start(Tag::Image { .. }) => depth += 1,
            Event::End(TagEnd::Image) if depth == 0 => break,
            Event::End(TagEnd::Image) => depth -= 1,
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => alt.push_str(&text),
            Event::SoftBreak | Event::HardBreak => alt.push(' '),
            _ => {}
        }
    }
    alt.trim().to_owned()
}

/// A path of ours, not an address: it has no scheme and no host.
fn is_local(target: &str) -> bool {
    !target.is_empty()
        && !target.starts_with("//")
        && matches!(url::Url::parse(target), Err(url::ParseError::RelativeUrlWithoutBase))
}

/// Undoes `%XX`, when the result is UTF-8.
fn decode_percent(target: &str) -> String {
    let bytes = target.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| target.get(at + 1..at + 3)).flatten();
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| target.to_owned())
}

/// Raw HTML without its comments.
fn without_comments(html: &str) -> String {
    let mut kept = String::new();
    let mut rest = html;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}
