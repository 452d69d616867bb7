//! A text that is too long, cut into parts that fit: between sentences, else words, else characters.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::facets::facets;

/// What cannot be cut and does not fit: a link, a mention, a hashtag, or a single character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLong {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
}

/// Cuts a text into parts that fit. `fits(number, text)` says whether a text can be the part of that number, counted
/// from 0; what fits must also fit when it is shorter. `keep` are further ranges that stay whole, beside the links,
/// mentions and hashtags of the text.
///
/// The parts are ranges of the text in order. Only white space stands outside them: they neither begin nor end with
/// white space, so the text is its parts with that white space between them. A text that fits is one part.
///
/// A part ends with the last sentence that fits, unless that would leave half of the room unused; then with the last
/// word, and where there are no words, with the last whole character.
///
/// # Errors
/// Something that may not be cut and fits in no part.
pub fn split(
    text: &str,
    keep: &[Range<usize>],
    fits: impl Fn(usize, &str) -> bool,
) -> Result<Vec<Range<usize>>, TooLong> {
    let cuts = Cuts::of(text, keep);
    let mut parts = Vec::new();
    let mut rest = trimmed(text, 0..text.len());
    while parts.is_empty() || !rest.is_empty() {
        let end = cuts.best(&rest, |end| fits(parts.len(), &text[trimmed(text, rest.start..end)]))?;
        parts.push(trimmed(text, rest.start..end));
        rest = trimmed(text, end..rest.end);
    }
    Ok(parts)
}

/// The range without the white space at its ends. A space that carries a mark is a character of its own.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let blank = |grapheme: &&str| grapheme.chars().all(char::is_whitespace);
    let piece = &text[range.clone()];
    let start: usize = piece.graphemes(true).take_while(blank).map(str::len).sum();
    let end: usize = piece[start..].graphemes(true).rev().take_while(blank).map(str::len).sum();
    range.start + start..range.end - end
}

/// Where a text may be cut, from best to worst; each in order, and each a border of whole characters.
struct Cuts {
    sentences: Vec<usize>,
    words: Vec<usize>,
    characters: Vec<usize>,
}

impl Cuts {
    fn of(text: &str, keep: &[Range<usize>]) -> Self {
        let whole = whole(text, keep);
        let inside = |at: usize| {
            let next = whole.partition_point(|kept| kept.end <= at);
            whole.get(next).is_some_and(|kept| kept.start < at)
        };
        let ends = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len());
        let characters: Vec<usize> = ends.filter(|&at| !inside(at) && !makes_a_sign(text, at)).collect();
        let among = |at: &usize| characters.binary_search(at).is_ok();
        let sentences = text.split_sentence_bound_indices().map(|(at, _)| at).filter(among).collect();
        let words = text.split_word_bound_indices().map(|(at, _)| at).filter(among);
        let words = words.filter(|&at| starts_a_word(text, at)).collect();
        Self { sentences, words, characters }
    }

    /// The best end for a part that begins where `rest` does: its end, if all of it fits.
    fn best(&self, rest: &Range<usize>, fits: impl Fn(usize) -> bool) -> Result<usize, TooLong> {
        let last = |cuts: &[usize]| {
            let cuts = &cuts[cuts.partition_point(|&at| at <= rest.start)..];
            last_fitting(&cuts[..cuts.partition_point(|&at| at <= rest.end)], &fits)
        };
        let room = match last(&self.characters) {
            Some(room) if room < rest.end => room,
            Some(_) => return Ok(rest.end),
            None if rest.is_empty() => return Ok(rest.end),
            None => {
                let next = self.characters.iter().copied().find(|&at| at > rest.start);
                return Err(TooLong { range: rest.start..next.unwrap_or(rest.end) });
            }
        };
        let (sentence, word) = (last(&self.sentences), last(&self.words));
        let half = rest.start + (room - rest.start) / 2;
        let good = [sentence, word].into_iter().flatten().find(|&at| at >= half);
        Ok(good.or(sentence).or(word).unwrap_or(room))
    }
}

/// Looks from the front in doubled steps, so that a long text is not counted as a whole for each of its parts.
fn last_fitting(cuts: &[usize], fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut end = 1;
    while end < cuts.len() && fits(cuts[end]) {
        end *= 2;
    }
    let near = &cuts[..end.min(cuts.len())];
    near[..near.partition_point(|&at| fits(at))].last().copied()
}

/// What stays whole, in order; what overlaps is one.
fn whole(text: &str, keep: &[Range<usize>]) -> Vec<Range<usize>> {
    let facets = facets(text).into_iter().map(|facet| facet.range);
    let mut ranges: Vec<Range<usize>> = keep.iter().cloned().chain(facets).collect();
    ranges.sort_by_key(|range| range.start);
    let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match whole.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => whole.push(range),
        }
    }
    whole
}

/// After white space, or beside it in scripts that know none: never before punctuation.
fn starts_a_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    before.ends_with(char::is_whitespace) || after.starts_with(char::is_alphanumeric)
}

/// A cut in the middle of `a@b` would make a mention of `@b`.
fn makes_a_sign(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let named = after
        .strip_prefix(['@', '#', '＃'])
        .is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    named && !before.ends_with(char::is_whitespace)
}
