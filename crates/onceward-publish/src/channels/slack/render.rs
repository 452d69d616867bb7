//! A post → Slack's texts: one message, or a thread of them.

use super::mrkdwn::mrkdwn;
use crate::body::Rich;
use crate::channel::Reason;
use crate::content::Thread;
use crate::dress::Dressed;
use crate::text::{Counter, Limit, Room};

/// The longest text of one message, in characters as they are sent. Slack takes more and cuts it into several messages.
pub(super) const LONGEST: usize = 4000;
/// The longest text of a block, which a message with pictures needs.
const BLOCK: usize = 3000;

/// One message's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    /// As it is sent.
    pub(super) mrkdwn: String,
    /// As it is read.
    pub(super) shown: String,
}

/// All messages of a post. With pictures, which stand in the first, that one has less room.
///
/// # Errors
/// When the text fits in no message, or there is none.
pub(super) fn texts(post: &Dressed<'_>, pictures: bool) -> Result<Vec<Text>, Reason> {
    let limits = if pictures { [BLOCK, LONGEST] } else { [LONGEST, LONGEST] };
    let texts = fitting(post, limits)?;
    if texts.iter().all(|text| text.shown.is_empty()) && !pictures {
        return Err(Reason::new("text_missing", "there is no text; Slack takes no empty message"));
    }
    Ok(texts)
}

/// The only message of a post, where there can be no thread.
///
/// # Errors
/// As [`texts`], and when one message is not enough.
pub(super) fn one(post: &Dressed<'_>) -> Result<Text, Reason> {
    let mut texts = texts(post, false)?;
    match (texts.pop(), texts.is_empty()) {
        (Some(text), true) => Ok(text),
        _ => Err(Reason::new(
            "text_too_long",
            format!(
                "the text needs more than one message of {LONGEST} characters, and a webhook cannot make a thread; \
                 shorten it, or use a bot (`token` and `room`)"
            ),
        )),
    }
}

/// Whether the content asks for a preview of its links. Without that, readers see what was written and nothing else:
/// a page that changes cannot change the message.
///
/// # Errors
/// When the variant's `unfurl` is neither true nor false.
pub(super) fn unfurl(post: &Dressed<'_>) -> Result<bool, Reason> {
    let Some(wish) = post.post.options.get("unfurl") else { return Ok(false) };
    let wrong =
        || Reason::new("option_invalid", "`unfurl` of a Slack channel is true or false").of("variants");
    wish.as_bool().ok_or_else(wrong)
}

/// Escaping and links make a text longer than it is read; where it no longer fits, it is cut shorter and tried again.
fn fitting(post: &Dressed<'_>, limits: [usize; 2]) -> Result<Vec<Text>, Reason> {
    let mut most = limits;
    loop {
        let room = Room { first: scalars(most[0]), rest: scalars(most[1]) };
        let texts: Vec<Text> = post.rich_parts(&room)?.iter().map(Text::of).collect();
        let length = |text: &Text| text.mrkdwn.chars().count();
        let first = texts.first().map_or(0, length);
        let rest = texts.iter().skip(1).map(length).max().unwrap_or(0);
        if first <= limits[0] && rest <= limits[1] {
            return Ok(texts);
        }
        let less = |at: usize, found: usize| {
            if found > limits[at] { most[at] * limits[at] / found } else { most[at] }
        };
        most = [less(0, first), less(1, rest)];
        if post.post.thread != Thread::Auto || most.contains(&0) {
            return Err(too_long(first.max(rest)));
        }
    }
}

fn too_long(length: usize) -> Reason {
    let text =
        format!("as Slack writes &, <, > and links, the text has {length}/{LONGEST} characters; shorten it");
    Reason::new("text_too_long", text)
}

fn scalars(most: usize) -> Vec<Limit> {
    vec![Limit::new(Counter::Scalars, most)]
}

impl Text {
    fn of(rich: &Rich) -> Self {
        Self { mrkdwn: mrkdwn(rich), shown: rich.text.clone() }
    }
}
