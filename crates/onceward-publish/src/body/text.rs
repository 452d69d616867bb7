//! Markdown → plain text with full links, for channels that know no markup, and the same with its formatting beside it.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::{Links, Mark, Rich, Style, alt_text, is_local, parser, without_comments};

/// Renders a Markdown text as plain text: paragraphs apart by an empty line, lists with their marks, each link
/// as `label (address)`. Local images are left out, since they travel as media.
pub fn text(markdown: &str, links: &Links<'_>) -> String {
    write(markdown, Plain::new(links, false)).text
}

/// Renders a Markdown text as plain text in which a link is its label, with bold, italic, struck, code and links as
/// ranges. Quotes and lists keep their signs.
pub fn rich(markdown: &str, links: &Links<'_>) -> Rich {
    write(markdown, Plain::new(links, true))
}

fn write(markdown: &str, mut plain: Plain<'_>) -> Rich {
    let mut events = parser(markdown);
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                let alt = alt_text(&mut events);
                plain.image(&dest_url, &alt);
            }
            Event::Start(tag) => plain.start(tag),
            Event::End(tag) => plain.end(tag),
            Event::Text(text) => plain.push(&text),
            Event::Code(text) => plain.styled(&text, Style::Code),
            Event::Html(raw) | Event::InlineHtml(raw) => plain.push(&without_comments(&raw)),
            Event::SoftBreak => plain.push(" "),
            Event::HardBreak => plain.apart(Gap::Line),
            Event::Rule => plain.alone("---"),
            _ => {}
        }
    }
    tidy(&plain.out, plain.marks)
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
    /// Whether formatting is kept as marks.
    rich: bool,
    marks: Vec<Mark>,
    /// Where each open mark begins.
    begun: Vec<(usize, Style)>,
    /// A list mark was just written: its text follows on the same line.
    marked: bool,
    /// Inside a code block, where white space counts.
    code: bool,
}

impl<'a> Plain<'a> {
    fn new(links: &'a Links<'a>, rich: bool) -> Self {
        Self {
            links,
            out: String::new(),
            gap: Gap::None,
            inside: Vec::new(),
            lists: Vec::new(),
            open: Vec::new(),
            rich,
            marks: Vec::new(),
            begun: Vec::new(),
            marked: false,
            code: false,
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.code = matches!(tag, Tag::CodeBlock(_));
        match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::HtmlBlock | Tag::Table(_) => self.apart(Gap::Blank),
            Tag::CodeBlock(kind) => {
                self.apart(Gap::Blank);
                self.begin(Style::Block(language(&kind)));
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
            Tag::Strikethrough if !self.rich => self.push("~~"),
            Tag::Strikethrough => self.begin(Style::Strike),
            Tag::Strong => self.begin(Style::Bold),
            Tag::Emphasis => self.begin(Style::Italic),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock | TagEnd::Table => {
                self.apart(Gap::Blank);
            }
            TagEnd::CodeBlock => {
                self.finish();
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
            TagEnd::Strikethrough if !self.rich => self.push("~~"),
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => self.finish(),
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
        let named = !label.is_empty() && self.rich && url.starts_with("http");
        if label.is_empty() {
            self.push(&url);
        } else if named {
            self.mark(start, Style::Link(url));
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
            Some(url) if self.rich => self.styled(alt, Style::Link(url)),
            Some(url) => self.push(&format!("{alt} ({url})")),
            None => self.push(alt),
        }
    }

    fn begin(&mut self, style: Style) {
        if self.rich {
            self.push("");
            self.begun.push((self.out.len(), style));
        }
    }

    fn finish(&mut self) {
        if let Some((start, style)) = self.begun.pop() {
            self.mark(start, style);
        }
    }

    fn styled(&mut self, text: &str, style: Style) {
        self.begin(style);
        self.push(text);
        self.finish();
    }

    fn mark(&mut self, start: usize, style: Style) {
        self.marks.push(Mark { range: start..self.out.len(), style });
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

/// The language of a fenced block: the first word of its info string.
fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    info.split([' ', ',']).next().filter(|word| !word.is_empty()).map(str::to_owned)
}

/// No spaces at the end of a line, and no empty lines at either end. Marks follow their text.
fn tidy(raw: &str, marks: Vec<Mark>) -> Rich {
    let (mut text, mut lines, mut at) = (String::new(), Vec::new(), 0);
    for line in raw.split('\n') {
        let kept = line.trim_end();
        lines.push((at, text.len(), kept.len()));
        text.push_str(kept);
        text.push('\n');
        at += line.len() + 1;
    }
    let place = |raw: usize| {
        let (start, new, length) = lines[lines.partition_point(|(start, ..)| *start <= raw) - 1];
        new + (raw - start).min(length)
    };
    let moved = |mark: Mark| Mark { range: place(mark.range.start)..place(mark.range.end), ..mark };
    // An inner mark is finished first: of two over the same text it comes last.
    let mut marks: Vec<Mark> = marks.into_iter().rev().map(moved).collect();
    marks.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
    let start = text.len() - text.trim_start_matches('\n').len();
    let end = text.trim_end_matches('\n').len().max(start);
    Rich { text, marks }.slice(start..end)
}
