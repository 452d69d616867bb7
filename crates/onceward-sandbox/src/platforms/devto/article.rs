//! An article: made, changed, published.
//!
//! The article itself lies in the ledger as `article`, which nobody sees; each time that it is published, a `post`
//! that readers see comes beside it.

use serde_json::{Map, Value as Json, json};

use super::{checks, error, list, username};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::{Desk, Item};
use crate::ledger::Accepted;

/// What the request says of the article. Front matter in its text has the last word, as on the server.
pub(super) fn asked(call: &Call) -> Map<String, Json> {
    let mut asked = match call.json().map(|mut body| body["article"].take()) {
        Some(Json::Object(fields)) => fields,
        _ => Map::new(),
    };
    let text = asked.get("body_markdown").and_then(Json::as_str).unwrap_or_default().to_owned();
    asked.extend(front_matter(&text));
    asked
}

/// `key: value` lines between two lines of `---` at the top of a text.
fn front_matter(text: &str) -> Vec<(String, Json)> {
    let Some((head, _)) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) else {
        return Vec::new();
    };
    let value = |text: &str| match text.trim().trim_matches('"') {
        "true" => json!(true),
        "false" => json!(false),
        other => json!(other),
    };
    let pairs = head.lines().filter_map(|line| line.split_once(':'));
    let known = |key: &str| matches!(key, "title" | "published" | "canonical_url" | "description");
    pairs
        .filter(|(key, _)| known(key.trim()))
        .map(|(key, text)| (key.trim().to_owned(), value(text)))
        .collect()
}

pub(super) fn create(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let asked = asked(call);
    if asked.is_empty() {
        return error(422, "param is missing or the value is empty: article");
    }
    if let Err(words) = checks::created(&asked, desk) {
        return error(422, &words);
    }
    let id = 1_000_000 + desk.next_number();
    let mut data = Json::Object(asked);
    data["slug"] = json!(format!("{}-temp-slug-{id}", slug(&data)));
    let publishes = data["published"] == true;
    data["published"] = json!(false);
    let item =
        desk.accept(Item { act: Some("article"), remote_id: Some(id.to_string()), data, ..Item::default() });
    let item = if publishes { publish(item, &call.base, desk) } else { item };
    let shown = list::shown(&item, &call.base, desk);
    let location = shown["url"].as_str().unwrap_or_default().to_owned();
    Answer::json(201, &shown).header("location", location)
}

pub(super) fn update(call: &Call, desk: &mut Desk<'_>) -> Answer {
    let id = call.route().1.last().copied().unwrap_or_default().to_owned();
    let Some(mut item) = desk.held("article").find(|item| item.remote_id == id).cloned() else {
        return error(404, "not found");
    };
    let asked = asked(call);
    let published = item.data["published"] == true;
    let wish = asked.get("published").and_then(Json::as_bool).unwrap_or(published);
    for (name, value) in asked {
        item.data[name] = value;
    }
    if let Err(words) = checks::updated(&item, desk) {
        return error(422, &words);
    }
    item.data["published"] = json!(wish && published);
    if wish && !published {
        item = publish(item, &call.base, desk);
    } else {
        desk.amend(item.number, item.data.clone());
    }
    Answer::json(200, &list::shown(&item, &call.base, desk))
}

/// Readers see it from now on, and lists a little later where a fault says so.
fn publish(mut item: Accepted, base: &str, desk: &mut Desk<'_>) -> Accepted {
    item.data["published"] = json!(true);
    item.data["slug"] = json!(format!("{}-{:x}", slug(&item.data), item.number));
    item.data["published_at"] = json!(desk.now);
    item.data["listed_from"] = json!(desk.unseen_until());
    desk.amend(item.number, item.data.clone());
    let title = item.data["title"].as_str().unwrap_or_default().to_owned();
    let data = json!({
        "url": format!("{base}/{}/{}", username(desk), item.data["slug"].as_str().unwrap_or_default()),
        "canonical_url": item.data["canonical_url"],
        "body_markdown": item.data["body_markdown"],
        "tags": item.data["tags"],
    });
    desk.accept(Item {
        act: Some("post"),
        visible: true,
        text: title,
        remote_id: Some(item.remote_id.clone()),
        data,
        ..Item::default()
    });
    item
}

/// A title as a part of an address.
fn slug(data: &Json) -> String {
    let title = data["title"].as_str().unwrap_or_default().to_lowercase();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
