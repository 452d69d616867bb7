//! A post → its records, each within the platform's limits. Pure.

use jiff::fmt::temporal::DateTimePrinter;
use onceward::Time;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::record::{COLLECTION, Frozen, Mention, Picture, facet};
use crate::body::{Rich, Style};
use crate::channel::{Limits, MediaLimits, Part, Reason};
use crate::dress::Dressed;
use crate::media::MediaType;
use crate::text::{Counter, Facet, Limit, Room, What, facets};

/// By the lexicon `app.bsky.feed.post`: `maxGraphemes` and `maxLength` of `text`.
const CHARACTERS: Limit = Limit::new(Counter::Graphemes, 300);
const BYTES: Limit = Limit::new(Counter::Bytes, 3000);
/// By the same lexicon: `langs`.
const LANGUAGES: usize = 3;
/// By the lexicon `app.bsky.richtext.facet`: a tag with more is no tag.
const TAG: [Limit; 2] = [Limit::new(Counter::Graphemes, 64), Limit::new(Counter::Bytes, 640)];
/// By the lexicon `app.bsky.embed.images`. A GIF is shown as its first picture.
const PICTURES: usize = 4;
const PICTURE_BYTES: u64 = 2_000_000;

pub(super) fn limits() -> Limits {
    let media = MediaLimits {
        count: PICTURES,
        types: vec![MediaType::Png, MediaType::Jpeg, MediaType::Webp, MediaType::Gif],
        bytes: PICTURE_BYTES,
        pixels: None,
        alt: None,
        alt_required: false,
    };
    Limits { text: Some(CHARACTERS.most), media: Some(media) }
}

/// All parts. Pictures, or else the card of the link, go with the first.
pub(super) fn parts(post: &Dressed<'_>, languages: &[String]) -> Result<Vec<Part>, Reason> {
    let languages = languages_of(post, languages)?;
    let texts = post.rich_parts(&Room::same(&[CHARACTERS, BYTES]))?;
    let part = |(number, text): (usize, Rich)| {
        let mut frozen = record(&text, moment(post.at, number), &languages);
        if number == 0 {
            show(post, &mut frozen);
        }
        let request = serde_json::to_value(frozen).unwrap_or_default();
        Part { length: CHARACTERS.count(&text.text), text: text.text, request }
    };
    Ok(texts.into_iter().enumerate().map(part).collect())
}

/// The variant's own `languages`, else the channel's.
fn languages_of(post: &Dressed<'_>, languages: &[String]) -> Result<Vec<String>, Reason> {
    let Some(own) = post.post.options.get("languages") else { return Ok(languages.to_vec()) };
    let own: Option<Vec<String>> = serde_json::from_value(own.clone()).ok();
    own.filter(|own| own.len() <= LANGUAGES).ok_or_else(|| {
        let text = format!("`languages`: expected a list of at most {LANGUAGES}, such as [ko, en]");
        Reason::new("option_invalid", text).of("variants")
    })
}

/// Parts of one thread are a millisecond apart: by the moment, apps put them in order, to the millisecond.
fn moment(at: Time, part: usize) -> String {
    let millis = at.micros().div_euclid(1000).saturating_add(i64::try_from(part).unwrap_or(0));
    let at = Time::from_micros(millis.saturating_mul(1000)).timestamp();
    DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&at)
}

fn record(text: &Rich, created: String, languages: &[String]) -> Frozen {
    let mut record = Map::new();
    record.insert("$type".to_owned(), COLLECTION.into());
    record.insert("text".to_owned(), text.text.as_str().into());
    record.insert("createdAt".to_owned(), created.into());
    if !languages.is_empty() {
        record.insert("langs".to_owned(), json!(languages));
    }
    let (facets, mentions) = linked(text);
    if !facets.is_empty() {
        record.insert("facets".to_owned(), facets.into());
    }
    Frozen { did: String::new(), record, mentions, pictures: Vec::new() }
}

/// Links and hashtags, which need nobody's word, and names, which do.
fn linked(text: &Rich) -> (Vec<Json>, Vec<Mention>) {
    let (mut found, mut mentions) = (Vec::new(), Vec::new());
    for mark in &text.marks {
        if let Style::Link(url) = &mark.style {
            found.push(facet(mark.range.start, mark.range.end, &link(url)));
        }
    }
    for Facet { range, what } in facets(&text.text).into_iter().filter(|it| is_free(text, it)) {
        match what {
            What::Link { url } => found.push(facet(range.start, range.end, &link(&url))),
            What::Hashtag { tag } if TAG.iter().all(|limit| limit.fits(&tag)) => {
                let feature = json!({ "$type": "app.bsky.richtext.facet#tag", "tag": tag });
                found.push(facet(range.start, range.end, &feature));
            }
            What::Mention { name } if is_handle(&name) => {
                let handle = name.to_ascii_lowercase();
                mentions.push(Mention { handle, start: range.start, end: range.end });
            }
            What::Hashtag { .. } | What::Mention { .. } => {}
        }
    }
    found.sort_by_key(|facet| facet["index"]["byteStart"].as_u64());
    (found, mentions)
}

fn link(url: &str) -> Json {
    json!({ "$type": "app.bsky.richtext.facet#link", "uri": url })
}

/// Nothing is looked for in the label of a link, nor in code.
fn is_free(text: &Rich, facet: &Facet) -> bool {
    let taken = |style: &Style| matches!(style, Style::Link(_) | Style::Code | Style::Block(_));
    let meets =
        |range: &std::ops::Range<usize>| range.start < facet.range.end && facet.range.start < range.end;
    !text.marks.iter().any(|mark| taken(&mark.style) && meets(&mark.range))
}

/// By the AT Protocol's specification of handles: a domain name of two labels or more, whose last begins with a letter.
fn is_handle(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let good = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253
        && labels.len() > 1
        && labels.iter().all(good)
        && labels.last().is_some_and(|top| top.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Pictures; without any, the link as a card.
fn show(post: &Dressed<'_>, frozen: &mut Frozen) {
    let picture = |it: &crate::post::Picture| Picture {
        sha256: it.facts.sha256.clone(),
        mime: it.facts.kind.mime().to_owned(),
        alt: it.alt.clone().unwrap_or_default(),
        width: it.facts.width,
        height: it.facts.height,
    };
    frozen.pictures = post.post.media.iter().map(picture).collect();
    let (Some(link), true) = (&post.link, frozen.pictures.is_empty()) else { return };
    let host = || Url::parse(link).ok().and_then(|url| url.host_str().map(str::to_owned));
    let title = post.post.title.clone().or_else(host).unwrap_or_default();
    let card = json!({ "uri": link, "title": title, "description": "" });
    frozen.record.insert("embed".to_owned(), json!({ "$type": "app.bsky.embed.external", "external": card }));
}

#[cfg(test)]
mod tests;
