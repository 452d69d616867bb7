//! A text with its formatting beside it: ranges instead of signs, so that no text can become markup by itself.

use std::ops::Range;

/// A plain text, and what parts of it are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rich {
    /// The text as readers see it.
    pub text: String,
    /// Its formatting, by where it begins; outer marks come before inner ones.
    pub marks: Vec<Mark>,
}

/// A formatted piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where it stands: bytes of UTF-8.
    pub range: Range<usize>,
    /// How it is shown.
    pub style: Style,
}

/// How a piece of text is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    /// Strong.
    Bold,
    /// Emphasis.
    Italic,
    /// Struck through.
    Strike,
    /// Code within a line.
    Code,
    /// A block of code, with its language if it is named.
    Block(Option<String>),
    /// A link to this address.
    Link(String),
}

impl Rich {
    /// A text without formatting.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), marks: Vec::new() }
    }

    /// A piece of the text with its formatting.
    ///
    /// # Panics
    /// When the range is not one of whole characters in the text.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let within = |mark: &Mark| {
            let (start, end) = (mark.range.start.max(range.start), mark.range.end.min(range.end));
            (start < end)
                .then(|| Mark { range: start - range.start..end - range.start, style: mark.style.clone() })
        };
        Self {
            text: self.text[range.clone()].to_owned(),
            marks: self.marks.iter().filter_map(within).collect(),
        }
    }

    /// Adds a text without formatting, as a paragraph of its own.
    pub fn append(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }

    /// What should not be cut when the text becomes a thread: the labels of links.
    pub fn uncut(&self) -> Vec<Range<usize>> {
        let links = self.marks.iter().filter(|mark| matches!(mark.style, Style::Link(_)));
        links.map(|mark| mark.range.clone()).collect()
    }
}
