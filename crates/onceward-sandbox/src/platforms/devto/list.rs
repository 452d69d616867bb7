//! Articles as they are looked at: one by its number, if it is published; an account's own in pages.

use serde_json::{Value as Json, json};

use super::{account, error, username};
use crate::answer::Answer;
use crate::call::Call;
use crate::clock::Micros;
use crate::date;
use crate::desk::Desk;
use crate::ledger::Accepted;

/// The most articles of one page.
const PAGE: usize = 1000;

pub(super) fn look(call: &Call, desk: &Desk<'_>) -> Answer {
    match call.route().1.as_slice() {
        ["api", "articles", "me"] => mine(call, desk, |published| published),
        ["api", "articles", "me", "published"] => mine(call, desk, |published| published),
        ["api", "articles", "me", "unpublished"] => mine(call, desk, |published| !published),
        ["api", "articles", "me", "all"] => mine(call, desk, |_| true),
        // Drafts are not found here, not even by their author.
        ["api", "articles", id] => match desk.everyones("article").find(|item| item.remote_id == *id) {
            Some(item) if is_listed(item, desk) => Answer::json(200, &shown(item, &call.base, desk)),
            _ => error(404, "not found"),
        },
        _ => error(404, "not found"),
    }
}

/// Own articles: drafts first, since they have no date, then the newest.
fn mine(call: &Call, desk: &Desk<'_>, wanted: impl Fn(bool) -> bool) -> Answer {
    let number = |name: &str, usual: usize| call.asked(name).and_then(|it| it.parse().ok()).unwrap_or(usual);
    let (page, size) = (number("page", 1).max(1), number("per_page", 30).clamp(1, PAGE));
    let mut own: Vec<&Accepted> = desk.seen("article").filter(|it| wanted(is_listed(it, desk))).collect();
    let published_at = |item: &Accepted| item.data["published_at"].as_i64().filter(|_| is_listed(item, desk));
    own.sort_by_key(|item| {
        let at = published_at(item);
        (at.is_some(), std::cmp::Reverse(at), std::cmp::Reverse(item.number))
    });
    let own = own.into_iter().skip((page - 1) * size).take(size);
    Answer::json(200, &own.map(|item| listed(item, &call.base, desk)).collect())
}

/// Whether lists know by now that it is published.
fn is_listed(item: &Accepted, desk: &Desk<'_>) -> bool {
    item.data["published"] == true && item.data["listed_from"].as_i64().is_none_or(|from| from <= desk.now)
}

/// The page that an article's link leads to.
pub(super) fn page(call: &Call, desk: &Desk<'_>) -> Answer {
    let slug = call.route().1.last().copied().unwrap_or_default().to_owned();
    let found = desk.everyones("article").find(|it| it.data["slug"] == *slug && it.data["published"] == true);
    match found {
        Some(item) => Answer::text(200, item.data["body_markdown"].as_str().unwrap_or_default()),
        None => error(404, "not found"),
    }
}

/// One article, as it is answered when it is made, changed or asked for: there is no field that says `published`.
pub(super) fn shown(item: &Accepted, base: &str, desk: &Desk<'_>) -> Json {
    let mut shown = common(item, base, desk);
    shown["created_at"] = json!(date::iso(item.at));
    shown["tag_list"] = json!(tags(item).join(", "));
    shown["tags"] = json!(tags(item));
    shown
}

fn listed(item: &Accepted, base: &str, desk: &Desk<'_>) -> Json {
    let mut listed = common(item, base, desk);
    let published = is_listed(item, desk);
    listed["published"] = json!(published);
    if !published {
        listed["published_at"] = Json::Null;
        listed["published_timestamp"] = json!("");
    }
    listed["tag_list"] = json!(tags(item));
    listed
}

fn common(item: &Accepted, base: &str, desk: &Desk<'_>) -> Json {
    let data = &item.data;
    let slug = data["slug"].as_str().unwrap_or_default();
    let path = format!("/{}/{slug}", username(desk));
    let url = format!("{base}{path}");
    let published: Option<Micros> = data["published_at"].as_i64().filter(|_| data["published"] == true);
    let at = published.map(date::iso);
    json!({
        "type_of": "article",
        "id": item.remote_id.parse::<u64>().unwrap_or(0),
        "title": data["title"],
        "description": data["description"],
        "slug": slug,
        "path": path,
        "url": url,
        "canonical_url": data["canonical_url"].as_str().map_or_else(|| json!(url), |own| json!(own)),
        "cover_image": data["main_image"],
        "published_at": at,
        "published_timestamp": at.unwrap_or_default(),
        "body_markdown": data["body_markdown"],
        "user": account(desk),
    })
}

fn tags(item: &Accepted) -> Vec<&str> {
    item.data["tags"].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}
