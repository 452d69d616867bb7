//! Markdown → HTML that is safe to show anywhere.

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use super::{Links, alt_text, parser, without_comments};

/// Renders a Markdown text as HTML. Only elements that Markdown itself makes come out; scripts, styles and
/// unknown address schemes do not.
pub fn html(markdown: &str, links: &Links<'_>) -> String {
    let mut out = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut out, dress(markdown, links).into_iter());
    out
}

fn dress<'a>(markdown: &'a str, links: &Links<'_>) -> Vec<Event<'a>> {
    let mut out = Vec::new();
    let mut events = parser(markdown);
    let mut kept = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::HtmlBlock) => out.extend(html_block(&mut events)),
            Event::Html(raw) | Event::InlineHtml(raw) => out.push(Event::Text(without_comments(&raw).into())),
            Event::Start(Tag::Image { dest_url, title, .. }) => {
                let alt = alt_text(&mut events);
                out.push(image(links.image(&dest_url), &alt, &title));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = links.of(link_type, &dest_url);
                kept.push(target.is_some());
                out.extend(target.map(|url| link_to(url, title, id)));
            }
            // A link whose target was refused has no end either.
            Event::End(TagEnd::Link) if !kept.pop().unwrap_or(true) => {}
            other => out.push(other),
        }
    }
    out
}

/// Always of the plain kind: the writer would put a second `mailto:` before an address of the e-mail kind.
fn link_to<'a>(url: String, title: CowStr<'a>, id: CowStr<'a>) -> Event<'a> {
    Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url: url.into(), title, id })
}

fn html_block<'a>(events: &mut impl Iterator<Item = Event<'a>>) -> Vec<Event<'a>> {
    let mut raw = String::new();
    for event in events {
        match event {
            Event::End(TagEnd::HtmlBlock) => break,
            Event::Html(text) | Event::Text(text) => raw.push_str(&text),
            _ => {}
        }
    }
    let shown = without_comments(&raw).trim().to_owned();
    if shown.is_empty() {
        return Vec::new();
    }
    vec![Event::Start(Tag::Paragraph), Event::Text(shown.into()), Event::End(TagEnd::Paragraph)]
}

fn image<'a>(url: Option<String>, alt: &str, title: &CowStr<'_>) -> Event<'a> {
    let Some(url) = url else { return Event::Text(alt.to_owned().into()) };
    let title = if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(title)) };
    Event::InlineHtml(format!("<img src=\"{}\" alt=\"{}\"{title} />", escape(&url), escape(alt)).into())
}

/// Text as the value of an attribute or the content of an element.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
