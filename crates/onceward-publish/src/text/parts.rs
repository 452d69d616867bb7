//! A post → its parts, as `thread` says and as the channel has room for.

use super::{Limit, TooLong, split};
use crate::body::{self, Links, Rich};
use crate::channel::Reason;
use crate::content::Thread;
use crate::dress::Dressed;

/// What fits into the parts of one post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// Into the first part: all of these hold.
    pub first: Vec<Limit>,
    /// Into each further part.
    pub rest: Vec<Limit>,
}

impl Room {
    /// The same for each part.
    pub fn same(limits: &[Limit]) -> Self {
        Self { first: limits.to_vec(), rest: limits.to_vec() }
    }

    /// The limits of the part of that number, counted from 0.
    pub fn of(&self, part: usize) -> &[Limit] {
        if part == 0 { &self.first } else { &self.rest }
    }

    fn fits(&self, part: usize, text: &str) -> bool {
        self.of(part).iter().all(|limit| limit.fits(text))
    }

    /// The counts of a text that does not fit: `271/280 characters`.
    fn excess(&self, part: usize, text: &str) -> Option<String> {
        let limit = self.of(part).iter().find(|limit| !limit.fits(text))?;
        Some(format!("{}/{} {}", limit.count(text), limit.most, limit.counter.unit()))
    }
}

impl Dressed<'_> {
    /// The parts for a platform without markup: text, link and hashtags, each part short enough. A post without text
    /// is one empty part. Parts that the author wrote are sent as they are, without link and hashtags.
    ///
    /// # Errors
    /// `text_too_long`, with the counts by the platform's own rule.
    pub fn plain_parts(&self, room: &Room) -> Result<Vec<String>, Reason> {
        let plain = |markdown: &str| Rich::plain(body::text(markdown, &Links::NONE));
        let parts = parts(&self.post.thread, Rich::plain(self.whole.clone()), plain, room)?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }

    /// The same for a platform that knows bold, links and the like.
    ///
    /// # Errors
    /// `text_too_long`, with the counts by the platform's own rule.
    pub fn rich_parts(&self, room: &Room) -> Result<Vec<Rich>, Reason> {
        parts(&self.post.thread, self.rich.clone(), |markdown| body::rich(markdown, &Links::NONE), room)
    }
}

fn parts(thread: &Thread, whole: Rich, of: impl Fn(&str) -> Rich, room: &Room) -> Result<Vec<Rich>, Reason> {
    match thread {
        Thread::Parts(written) if !written.is_empty() => {
            let parts = written.iter().map(|markdown| of(markdown)).collect();
            as_written(parts, room)
        }
        Thread::Never => match room.excess(0, &whole.text) {
            None => Ok(vec![whole]),
            Some(counts) => Err(too_long(format!(
                "the text has {counts}; shorten it, or let it become a thread with `thread: auto`"
            ))),
        },
        _ => cut(&whole, room),
    }
}

fn as_written(parts: Vec<Rich>, room: &Room) -> Result<Vec<Rich>, Reason> {
    for (at, part) in parts.iter().enumerate() {
        let number = at + 1;
        if part.text.trim().is_empty() {
            return Err(
                Reason::new("part_empty", format!("part {number} of the thread has no text")).of("thread")
            );
        }
        if let Some(counts) = room.excess(at, &part.text) {
            return Err(
                too_long(format!("part {number} of the thread has {counts}; shorten it")).of("thread")
            );
        }
    }
    Ok(parts)
}

fn cut(whole: &Rich, room: &Room) -> Result<Vec<Rich>, Reason> {
    let ranges = split(&whole.text, &whole.uncut(), |part, text| room.fits(part, text));
    let ranges = ranges.map_err(|TooLong { range }| {
        let piece = &whole.text[range];
        let counts = room.excess(1, piece).or_else(|| room.excess(0, piece)).unwrap_or_default();
        too_long(format!("{} cannot be cut and has {counts}; shorten it", short(piece)))
    })?;
    Ok(ranges.into_iter().map(|range| whole.slice(range)).collect())
}

/// The beginning of a piece, in quotes.
fn short(piece: &str) -> String {
    let shown: String = piece.chars().take(40).collect();
    format!("{shown:?}{}", if shown.len() < piece.len() { "…" } else { "" })
}

fn too_long(text: String) -> Reason {
    Reason::new("text_too_long", text)
}
