//! A dressed post as a letter to one recipient: all that the ledger freezes. Pure.

use std::cell::RefCell;
use std::collections::BTreeSet;

use onceward::Time;
use serde::{Deserialize, Serialize};

use super::address::Mailbox;
use crate::body::{self, Links, escape};
use crate::channel::Reason;
use crate::dress::Dressed;
use crate::media::MediaType;
use crate::post::Picture;

/// What readers will call a long subject, and mail programs cut anyway.
const SUBJECT: usize = 255;

/// From this the bytes of the mail are made, the same each time; only the key of the effect is added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Letter {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) subject: String,
    pub(super) date: Time,
    pub(super) keywords: Vec<String>,
    pub(super) text: String,
    pub(super) html: String,
    pub(super) media: Vec<Enclosed>,
}

/// A picture or film that goes along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Enclosed {
    pub(super) sha256: String,
    pub(super) kind: MediaType,
    pub(super) name: String,
    pub(super) alt: Option<String>,
    /// Shown in the text; else attached.
    pub(super) inline: bool,
}

impl Letter {
    /// The letter to each recipient.
    ///
    /// # Errors
    /// When there is no subject, or one that cannot be sent.
    pub(super) fn all(
        post: &Dressed<'_>,
        from: &Mailbox,
        to: &[Mailbox],
        subject: Option<&str>,
    ) -> Result<Vec<Self>, Reason> {
        let subject = subject_of(post, subject)?;
        let (html, shown) = html(post, &subject, from.domain());
        let media = post.post.media.iter().map(|picture| Enclosed::of(picture, &shown));
        let letter = Self {
            from: from.to_string(),
            to: String::new(),
            subject,
            date: post.at,
            keywords: post.post.tags.iter().map(|tag| visible(tag)).collect(),
            text: text(post),
            html,
            media: media.collect(),
        };
        Ok(to.iter().map(|to| Self { to: to.to_string(), ..letter.clone() }).collect())
    }
}

impl Enclosed {
    fn of(picture: &Picture, shown: &BTreeSet<String>) -> Self {
        let file = picture.given.rsplit(['/', '\\']).next().unwrap_or_default();
        Self {
            sha256: picture.facts.sha256.clone(),
            kind: picture.facts.kind,
            name: visible(file),
            alt: picture.alt.as_deref().map(visible),
            inline: shown.contains(&picture.facts.sha256),
        }
    }

    /// The name by which the text refers to it (RFC 2392).
    pub(super) fn content_id(&self, domain: &str) -> String {
        content_id(&self.sha256, domain)
    }
}

fn content_id(sha256: &str, domain: &str) -> String {
    format!("{sha256}@{domain}")
}

/// The variant's own subject, the channel's, or the title.
fn subject_of(post: &Dressed<'_>, usual: Option<&str>) -> Result<String, Reason> {
    let own = post.post.options.get("subject").and_then(|subject| subject.as_str());
    let subject = own.or(usual).or(post.post.title.as_deref()).map(str::trim).unwrap_or_default();
    let refuse = |code, text: String| {
        let reason = Reason::new(code, text);
        Err(if own.is_none() && usual.is_none() { reason.of("title") } else { reason })
    };
    if subject.is_empty() {
        let text = "a mail needs a subject; give a `title`, or set `subject` of the channel";
        return refuse("subject_missing", text.to_owned());
    }
    if subject.chars().any(char::is_control) {
        let text = "a line break or control character stands in the subject; remove it";
        return refuse("subject_invalid", text.to_owned());
    }
    let length = subject.chars().count();
    if length > SUBJECT {
        let text = format!("the subject has {length} characters; at most {SUBJECT} are sent");
        return refuse("subject_too_long", text);
    }
    Ok(subject.to_owned())
}

/// Tags have a header of their own, so they are not in the text.
fn text(post: &Dressed<'_>) -> String {
    match link_below(post) {
        Some(link) if post.text.is_empty() => link.to_owned(),
        Some(link) => format!("{}\n\n{link}", post.text),
        None => post.text.clone(),
    }
}

/// The link, where the text does not hold it already. A template decides by itself.
fn link_below<'a>(post: &'a Dressed<'_>) -> Option<&'a str> {
    post.link.as_deref().filter(|link| post.is_own() && !post.text.contains(link))
}

/// The letter as a page, and which pictures are shown in it: those of the text in their places, others below.
fn html(post: &Dressed<'_>, subject: &str, domain: &str) -> (String, BTreeSet<String>) {
    let shown = RefCell::new(BTreeSet::new());
    let mut inner = if post.is_own() { own_html(post, domain, &shown) } else { plain_html(&post.text) };
    let mut shown = shown.into_inner();
    for picture in post.post.media.iter().filter(|picture| is_shown_everywhere(picture.facts.kind)) {
        if shown.insert(picture.facts.sha256.clone()) {
            let (id, alt) = (content_id(&picture.facts.sha256, domain), picture.alt.as_deref());
            let alt = escape(alt.unwrap_or_default());
            inner.extend(["<p><img src=\"cid:", &id, "\" alt=\"", &alt, "\" /></p>\n"]);
        }
    }
    if let Some(link) = link_below(post) {
        let link = escape(link);
        inner.extend(["<p><a href=\"", &link, "\">", &link, "</a></p>\n"]);
    }
    let title = escape(subject);
    let page = format!(
        "<!doctype html>\n<html>\n<head><meta charset=\"utf-8\" /><title>{title}</title></head>\n\
         <body>\n{inner}</body>\n</html>\n"
    );
    (page, shown)
}

fn own_html(post: &Dressed<'_>, domain: &str, shown: &RefCell<BTreeSet<String>>) -> String {
    let image = |path: &str| {
        let picture = post.post.media.iter().find(|picture| picture.given == path)?;
        let sha256 = &picture.facts.sha256;
        is_shown_everywhere(picture.facts.kind).then(|| {
            shown.borrow_mut().insert(sha256.clone());
            format!("cid:{}", content_id(sha256, domain))
        })
    };
    body::html(&post.post.body, &Links { base: None, images: &image })
}

/// A text of lines and paragraphs.
fn plain_html(text: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty());
    let lines = paragraphs.map(|paragraph| escape(paragraph.trim()).replace('\n', "<br />\n"));
    lines.flat_map(|lines| ["<p>".to_owned(), lines, "</p>\n".to_owned()]).collect()
}

/// The types that mail programs show in a text.
fn is_shown_everywhere(kind: MediaType) -> bool {
    matches!(kind, MediaType::Png | MediaType::Jpeg | MediaType::Gif | MediaType::Webp)
}

/// What goes into a header: no line breaks, no control characters.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
