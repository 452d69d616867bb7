//! How long a text is, as a platform counts.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::facets::{What, facets};
use super::links;

/// A way to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Characters as people see them (grapheme clusters): Bluesky.
    Graphemes,
    /// Bytes of UTF-8: Bluesky's second limit, ntfy, Matrix.
    Bytes,
    /// Unicode scalar values: Telegram, Slack, dev.to, `GoToSocial`.
    Scalars,
    /// UTF-16 code units: Telegram's offsets, and platforms that count as JavaScript does.
    Utf16,
    /// Grapheme clusters, but a link that begins with `http` is as long as the server says, and of `@user@host` only
    /// `@user` counts: Mastodon's `StatusLengthValidator`.
    Mastodon {
        /// The server's `characters_reserved_per_url`.
        link: usize,
    },
    /// Weights by twitter-text's `config/v3.json`: links 23, emoji 2, most of Latin 1, all else 2.
    X,
}

/// The most that a platform takes, by one way to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// How it counts.
    pub counter: Counter,
    /// The most that fits.
    pub most: usize,
}

impl Counter {
    /// How long a text is.
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Graphemes => text.graphemes(true).count(),
            Self::Bytes => text.len(),
            Self::Scalars => text.chars().count(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Mastodon { link } => mastodon(text, link),
            Self::X => x(text),
        }
    }

    /// What is counted, for people.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            _ => "characters",
        }
    }
}

impl Limit {
    /// At most so many, counted so.
    pub const fn new(counter: Counter, most: usize) -> Self {
        Self { counter, most }
    }

    /// How long a text is, by this limit's counter.
    pub fn count(self, text: &str) -> usize {
        self.counter.count(text)
    }

    /// Whether a text is short enough.
    pub fn fits(self, text: &str) -> bool {
        self.count(text) <= self.most
    }
}

fn mastodon(text: &str, link: usize) -> usize {
    let (mut count, mut at) = (0, 0);
    for facet in facets(text) {
        let shown = &text[facet.range.clone()];
        let length = match &facet.what {
            What::Link { .. } if links::has_scheme(shown) => link,
            What::Mention { name } => 1 + name.split('@').next().unwrap_or_default().len(),
            _ => continue,
        };
        count += text[at..facet.range.start].graphemes(true).count() + length;
        at = facet.range.end;
    }
    count + text[at..].graphemes(true).count()
}

/// A link has this length on X, however long it is.
const X_LINK: usize = 23;

fn x(text: &str) -> usize {
    let text: String = text.nfc().collect();
    let (mut count, mut at) = (0, 0);
    for link in links::find(&text) {
        count += x_weight(&text[at..link.range.start]) + X_LINK;
        at = link.range.end;
    }
    count + x_weight(&text[at..])
}

fn x_weight(text: &str) -> usize {
    text.graphemes(true).map(|it| if is_emoji(it) { 2 } else { it.chars().map(weight).sum() }).sum()
}

fn weight(c: char) -> usize {
    match u32::from(c) {
        0..=0x10FF | 0x2000..=0x200D | 0x2010..=0x201F | 0x2032..=0x2037 => 1,
        _ => 2,
    }
}

/// A sequence that is shown as one emoji: it holds the selector for emoji, a keycap, a joiner between pictures, a flag
/// or a skin tone. Single pictures weigh 2 in any case.
fn is_emoji(grapheme: &str) -> bool {
    let pictures = |c: char| matches!(u32::from(c), 0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0xE0020..=0xE007F);
    let joins = |c: char| matches!(c, '\u{FE0F}' | '\u{20E3}');
    grapheme.chars().nth(1).is_some() && grapheme.chars().any(|c| pictures(c) || joins(c))
}
