//! A post → Telegram's messages: one, or a thread in which each answers the one before.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::media::{self, Film};
use crate::body::{Rich, Style};
use crate::channel::{Part, Reason};
use crate::dress::Dressed;
use crate::text::{Counter, Limit, Room, entities};

/// The longest text, in Unicode characters after its formatting was taken out.
pub(super) const LONGEST: usize = 4096;
/// The longest text under pictures.
const CAPTION: usize = 1024;

/// A message as it is frozen. The chat is part of it, so that a thread stays where it began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) chat: String,
    pub(super) text: String,
    pub(super) entities: Vec<Json>,
    /// The page that is shown below the text; none: no page.
    pub(super) preview: Option<String>,
    /// Whether nobody's telephone rings.
    pub(super) silent: bool,
    pub(super) media: Vec<Film>,
}

/// The messages of a post in a chat. Its media go with the first.
///
/// # Errors
/// What does not fit, or that there is nothing to send.
pub(super) fn parts(post: &Dressed<'_>, chat: &str) -> Result<Vec<Part>, Reason> {
    let media = media::of(&post.post.media)?;
    let text = vec![Limit::new(Counter::Scalars, LONGEST)];
    let first = if media.is_empty() { text.clone() } else { vec![Limit::new(Counter::Scalars, CAPTION)] };
    let texts = post.rich_parts(&Room { first, rest: text })?;
    if media.is_empty() && texts.iter().all(|rich| rich.text.is_empty()) {
        return Err(Reason::new("text_missing", "there is no text; Telegram takes no empty message"));
    }
    let silent = silent(post)?;
    let media = Some(media).into_iter().chain(std::iter::repeat_with(Vec::new));
    let message = |(rich, media): (Rich, Vec<Film>)| {
        let entities = entities(&rich).iter().map(|entity| json!(entity)).collect();
        let preview = post.link.clone().filter(|link| leads_to(&rich, link));
        part(&Message { chat: chat.to_owned(), entities, preview, silent, media, text: rich.text })
    };
    Ok(texts.into_iter().zip(media).map(message).collect())
}

/// Of all links, only the page that the content announces is shown: where a part leads to it.
fn leads_to(rich: &Rich, link: &str) -> bool {
    rich.text.contains(link)
        || rich.marks.iter().any(|mark| matches!(&mark.style, Style::Link(url) if url == link))
}

fn part(message: &Message) -> Part {
    let text = message.text.clone();
    Part { length: Counter::Scalars.count(&text), text, request: json!(message) }
}

fn silent(post: &Dressed<'_>) -> Result<bool, Reason> {
    let Some(wish) = post.post.options.get("silent") else { return Ok(false) };
    let wrong =
        || Reason::new("option_invalid", "`silent` of a Telegram channel is true or false").of("variants");
    wish.as_bool().ok_or_else(wrong)
}
