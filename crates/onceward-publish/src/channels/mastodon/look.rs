//! Whether a post is among the account's own: by its text, what it answers, and how many media it has.

use std::time::Duration;

use onceward::{Intent, Receipt, Seen, SendError, Time};
use onceward_http::Response;
use serde::Deserialize;
use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;

use super::api::{Api, read};
use super::errors::ERRORS;
use super::html;
use super::render::Frozen;
use crate::channel::Sending;
use crate::channels::answer;
use crate::text::{What, facets};

/// How far clocks may be apart, after the server's was looked at.
const SKEW: Duration = Duration::from_mins(5);
/// So many pages of forty are read.
const PAGES: usize = 20;

#[derive(Deserialize)]
pub(super) struct Account {
    pub(super) id: String,
    pub(super) username: String,
}

#[derive(Deserialize)]
struct Status {
    id: String,
    url: Option<String>,
    created_at: String,
    #[serde(default)]
    content: String,
    #[serde(default)]
    in_reply_to_id: Option<String>,
    #[serde(default)]
    media_attachments: Vec<Json>,
}

/// The account behind the token.
pub(super) async fn account(api: &Api) -> Result<Account, SendError> {
    read(&api.get("api/v1/accounts/verify_credentials", &[]).await?)
}

/// Looks through the account's own posts, back to a little before the first send.
pub(super) async fn look(api: &Api, to: &Sending<'_>, intent: &Intent<Json>) -> Seen {
    match found(api, to, intent).await {
        Ok(Some(found)) => Seen::AnyOf(found),
        Ok(None) => {
            tracing::warn!(server = api.host(), "there are more posts than are read: the look tells nothing");
            Seen::CannotTell
        }
        Err(error) => answer::cannot_look(ERRORS, error),
    }
}

/// `None`: the listing was not read to its end.
async fn found(
    api: &Api,
    to: &Sending<'_>,
    intent: &Intent<Json>,
) -> Result<Option<Vec<Receipt>>, SendError> {
    let frozen: Frozen = serde_json::from_value(intent.request.clone())?;
    let wanted = likeness(&frozen.status);
    let account = account(api).await?.id;
    let (mut found, mut before) = (Vec::new(), None);
    for _ in 0..PAGES {
        let answer = page(api, &account, before.as_deref()).await?;
        let oldest = oldest(intent.first_sent_at, &answer, to.at);
        let statuses: Vec<Status> = read(&answer)?;
        let last = statuses.last().map(|last| last.id.clone());
        let mut past = false;
        for status in statuses {
            let at: Time = status.created_at.parse()?;
            past |= at < oldest;
            let same = status.in_reply_to_id.as_deref() == parent(to)
                && status.media_attachments.len() == frozen.pictures.len()
                && likeness(&html::text(&status.content)) == wanted;
            if at >= oldest && same {
                found.push((at, receipt(status.id, status.url)));
            }
        }
        if past || last.is_none() {
            found.sort_by_key(|(at, _)| *at);
            return Ok(Some(found.into_iter().map(|(_, receipt)| receipt).collect()));
        }
        before = last;
    }
    Ok(None)
}

async fn page(api: &Api, account: &str, before: Option<&str>) -> Result<Response, SendError> {
    let mut query = vec![("limit", "40"), ("exclude_reblogs", "true")];
    query.extend(before.map(|id| ("max_id", id)));
    api.get(&format!("api/v1/accounts/{account}/statuses"), &query).await
}

/// The part that this one answers.
pub(super) fn parent<'a>(to: &Sending<'a>) -> Option<&'a str> {
    to.before.last().and_then(|parent| parent.id.as_deref())
}

/// The earliest moment, by the server's clock, at which the post may have been made. `begun` is when this attempt began,
/// by the store's clock, which also knows when the post was first sent: a look follows at once.
fn oldest(first_sent_at: Option<Time>, answer: &Response, begun: Time) -> Time {
    let Some(first) = first_sent_at else { return Time::from_micros(0) };
    let apart = answer.date().map_or(0, |date| date.as_microsecond().saturating_sub(begun.micros()));
    Time::from_micros(first.micros().saturating_add(apart)).before(SKEW)
}

/// A text as servers show it: composed, without white space, and of `@user@host` only `@user`.
fn likeness(text: &str) -> String {
    let (mut short, mut at) = (String::with_capacity(text.len()), 0);
    for facet in facets(text) {
        if let What::Mention { name } = facet.what {
            short.push_str(&text[at..facet.range.start]);
            short.push('@');
            short.push_str(name.split('@').next().unwrap_or_default());
            at = facet.range.end;
        }
    }
    short.push_str(&text[at..]);
    short.nfc().filter(|c| !c.is_whitespace()).collect()
}

pub(super) fn receipt(id: String, url: Option<String>) -> Receipt {
    Receipt { id: Some(id), url, detail: Json::Null }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_like_its_html() {
        let table = [
            ("Hello\n\nworld", "<p>Hello</p><p>world</p>"),
            ("Hello  world \n", "<p>Hello world</p>"),
            ("a\nb", "<p>a<br>b</p>"),
            ("\u{1112}\u{1161}\u{11AB}", "<p>한</p>"),
            (
                "hi @me@b.example!",
                "<p>hi <span class=\"h-card\"><a href=\"https://b.example/@me\">@<span>me</span></a></span>!</p>",
            ),
            ("hi @me@b.example!", "<p>hi @me@b.example!</p>"),
            ("1 < 2 & \"3\" '4'", "<p>1 &lt; 2 &amp; &quot;3&quot; &#39;4&#39;</p>"),
            ("#한글_태그", "<p><a href=\"https://a.example/tags/x\">#<span>한글_태그</span></a></p>"),
        ];
        for (text, content) in table {
            assert_eq!(likeness(text), likeness(&html::text(content)), "{text}");
        }
        assert_ne!(likeness("a"), likeness("b"));
        assert_ne!(likeness("Hello"), likeness(&html::text("<p>Hello</p><p>again</p>")));
    }

    #[test]
    fn the_servers_clock_moves_the_border() {
        let now: Time = "2026-12-01T10:00:00Z".parse().unwrap();
        let late = Response::new(200, &[("date", "Tue, 01 Dec 2026 09:00:00 GMT")], "");
        let plain = Response::new(200, &[], "");
        assert_eq!(oldest(Some(now), &late, now).to_string(), "2026-12-01T08:55:00Z");
        assert_eq!(oldest(Some(now), &plain, now).to_string(), "2026-12-01T09:55:00Z");
    }
}
