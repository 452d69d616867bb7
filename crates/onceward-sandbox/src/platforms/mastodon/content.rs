//! A status as HTML, as servers of this family make it.

use std::fmt::Write as _;

use super::count::{Piece, pieces};
use crate::text::html;

/// Paragraphs at empty lines, breaks at others; links, mentions and hashtags marked up.
pub(super) fn content(text: &str, base: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|it| !it.trim().is_empty());
    let marked = |text: &str| pieces(text).into_iter().map(|it| piece(it, base)).collect::<String>();
    paragraphs
        .flat_map(|text| ["<p>".to_owned(), marked(text.trim_matches('\n')), "</p>".to_owned()])
        .collect()
}

fn piece(piece: Piece<'_>, base: &str) -> String {
    match piece {
        Piece::Text(text) => hashtags(text, base),
        Piece::Link(link) => anchor(link),
        Piece::Mention { name, host } => format!(
            "<span class=\"h-card\" translate=\"no\"><a href=\"https://{0}/@{1}\" class=\"u-url mention\">@<span>{1}</span></a></span>",
            html(host),
            html(name)
        ),
    }
}

/// The link in three pieces of which readers see the middle one: together they are the link again.
fn anchor(link: &str) -> String {
    let shown = link.find("://").map_or(0, |at| at + 3);
    let shown = if link[shown..].starts_with("www.") { shown + 4 } else { shown };
    let rest = &link[shown..];
    let cut = rest.char_indices().nth(30).map_or(rest.len(), |(at, _)| at);
    let class = if cut < rest.len() { "ellipsis" } else { "" };
    format!(
        "<a href=\"{}\" target=\"_blank\" rel=\"nofollow noopener noreferrer\" translate=\"no\">\
         <span class=\"invisible\">{}</span><span class=\"{class}\">{}</span><span class=\"invisible\">{}</span></a>",
        html(link),
        html(&link[..shown]),
        html(&rest[..cut]),
        html(&rest[cut..])
    )
}

fn hashtags(text: &str, base: &str) -> String {
    let mut marked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        let tag = &rest[at + 1..];
        let end = tag.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(tag.len());
        marked.push_str(&plain(&rest[..at]));
        let tag = &tag[..end];
        if tag.chars().any(char::is_alphabetic) {
            let (shown, name) = (html(tag), html(&tag.to_lowercase()));
            let _ = write!(
                marked,
                "<a href=\"{base}/tags/{name}\" class=\"mention hashtag\" rel=\"tag\">#<span>{shown}</span></a>"
            );
        } else {
            marked.push_str(&html(&rest[at..=at + end]));
        }
        rest = &rest[at + 1 + end..];
    }
    marked + &plain(rest)
}

fn plain(text: &str) -> String {
    html(text).replace('\n', "<br />")
}

#[cfg(test)]
mod tests {
    use super::content;

    #[test]
    fn a_status_is_marked_up_and_harmless() {
        assert_eq!(
            content("a <b>\nc\n\nd & #1 e", "http://x"),
            "<p>a &lt;b&gt;<br />c</p><p>d &amp; #1 e</p>"
        );
        assert_eq!(
            content("#한글_태그!", "http://x"),
            "<p><a href=\"http://x/tags/한글_태그\" class=\"mention hashtag\" rel=\"tag\">#<span>한글_태그</span></a>!</p>"
        );
        let long = "https://www.example.org/a/path/that/is/long/enough?a=b&c=d";
        let marked = content(long, "http://x");
        assert!(
            marked.contains(
                "<span class=\"invisible\">https://www.</span><span class=\"ellipsis\">example.org"
            )
        );
        assert!(marked.contains("&amp;c=d</span></a></p>"));
        assert!(content("@a@b.c", "x").contains("@<span>a</span>"));
    }
}
