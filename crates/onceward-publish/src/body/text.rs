//! Markdown → plain text with full links, for channels that know no markup.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Links, alt_text, is_local, parser, without_comments};

/// Renders a Markdown text as plain text: paragraphs apart by an empty line, lists with their marks, each link
/// as `label (address)`. Local images are left out, since they travel as media.
pub fn text(markdown: &str, links: &Links<'_>) -> String {
    let mut plain = Plain::new(links);
    let mut events = parser(markdown);
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                let alt = alt_text(&mut events);
                plain.image(&dest_url, &alt);
            }
            Event::Start(tag) => plain.start(tag),
            Event::End(tag) => plain.end(tag),
            Event::Text(text) | Event::Code(text) => plain.push(&text),
            Event::Html(raw) | Event::InlineHtml(raw) => plain.push(&without_comments(&raw)),
            Event::SoftBreak => plain.push(" "),
            Event::HardBreak => plain.apart(Gap::Line),
            Event::Rule => plain.alone("---"),
            _ => {}
        }
    }
    tidy(&plain.out)
}

/// What stands between the last piece of text and the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Line,
    Blank,
}

enum Inside {
    Quote,
    Item,
}

struct Plain<'a> {
    links: &'a Links<'a>,
    out: String,
    gap: Gap,
    inside: Vec<Inside>,
    /// The next number of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    /// Where the label of each open link begins, and its address.
    open: Vec<(usize, Option<String>)>,
    /// A list mark was just written: its text follows on the same line.
    marked: bool,
    /// Inside a code block, where white space counts.
    code: bool,
}

impl<'a> Plain<'a> {
    fn new(links: &'a Links<'a>) -> Self {
        Self {
            links,
            out: String::new(),
            gap: Gap::None,
            inside: Vec::new(),
            lists: Vec::new(),
            open: Vec::new(),
            marked: false,
            code: false,
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.code = matches!(tag, Tag::CodeBlock(_));
        match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) => {
                self.apart(Gap::Blank);
            }
            Tag::BlockQuote(_) => {
                self.apart(Gap::Blank);
                self.inside.push(Inside::Quote);
            }
            Tag::List(first) => {
                self.apart(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::TableHead | Tag::TableRow => self.apart(Gap::Line),
            Tag::Link { link_type, dest_url, .. } => {
                self.push("");
                let target = self.links.of(link_type, &dest_url);
                self.open.push((self.out.len(), target));
            }
            Tag::Strikethrough => self.push("~~"),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::Table => {
                self.apart(Gap::Blank);
            }
            TagEnd::BlockQuote(_) => {
                self.inside.pop();
                self.apart(Gap::Blank);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.apart(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
            }
            TagEnd::Item => {
                self.inside.pop();
                self.marked = false;
                self.apart(Gap::Line);
            }
            TagEnd::TableCell => self.push(" | "),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(),
            TagEnd::Link => self.end_link(),
            TagEnd::Strikethrough => self.push("~~"),
            _ => {}
        }
    }

    fn item(&mut self) {
        self.apart(Gap::Line);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        };
        self.push(&mark);
        self.marked = true;
        self.inside.push(Inside::Item);
    }

    fn end_row(&mut self) {
        let kept = self.out.trim_end_matches([' ', '|']).len();
        self.out.truncate(kept);
        self.apart(Gap::Line);
    }

    fn end_link(&mut self) {
        let Some((start, Some(url))) = self.open.pop() else { return };
        let label = self.out.get(start..).unwrap_or_default().trim();
        if label.is_empty() {
            self.push(&url);
        } else if label != url && Some(label) != url.strip_prefix("mailto:") {
            self.push(&format!(" ({url})"));
        }
    }

    fn image(&mut self, target: &str, alt: &str) {
        if is_local(target) {
            return;
        }
        match self.links.image(target) {
            Some(url) if alt.is_empty() => self.push(&url),
            Some(url) => self.push(&format!("{alt} ({url})")),
            None => self.push(alt),
        }
    }

    fn alone(&mut self, text: &str) {
        self.apart(Gap::Blank);
        self.push(text);
        self.apart(Gap::Blank);
    }

    /// Asks for a gap before the next text.
    fn apart(&mut self, gap: Gap) {
        if !self.marked {
            self.gap = self.gap.max(gap);
        }
    }

    fn close_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if gap == Gap::None {
            return;
        }
        let prefix = self.prefix();
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        if gap == Gap::Blank && !self.out.is_empty() {
            self.out.push_str(prefix.trim_end());
            self.out.push('\n');
        }
        self.out.push_str(&prefix);
    }

    fn push(&mut self, text: &str) {
        let text = if self.at_line_start() && !self.code { text.trim_start_matches(' ') } else { text };
        self.close_gap();
        self.marked &= text.is_empty();
        let mut lines = text.trim_end_matches('\n').split('\n');
        self.out.push_str(lines.next().unwrap_or_default());
        for line in lines {
            let prefix = self.prefix();
            self.out.push('\n');
            self.out.push_str(&prefix);
            self.out.push_str(line);
        }
        if text.ends_with('\n') {
            self.gap = Gap::Line;
        }
    }

    /// What came before may have left nothing: an image that travels as media, or a comment.
    fn at_line_start(&self) -> bool {
        self.gap != Gap::None || self.out.is_empty() || self.out.ends_with('\n')
    }

    fn prefix(&self) -> String {
        self.inside.iter().map(|it| if matches!(it, Inside::Quote) { "> " } else { "  " }).collect()
    }
}

/// No spaces at the end of a line, and no empty lines at either end.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
