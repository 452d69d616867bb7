//! What Forem refuses of an article, in its words.

use serde_json::{Map, Value as Json};

use crate::clock::SECOND;
use crate::desk::Desk;
use crate::ledger::Accepted;

pub(super) const TITLE_AGAIN: &str = "Title has already been used in the last five minutes";

const TITLE: usize = 128;
const TAGS: usize = 4;
const TAG: usize = 30;
/// In bytes.
const BODY: usize = 800 * 1024;
/// For how long a title is known, in seconds.
const AGAIN: i64 = 5 * 60;

/// Whether an article with these fields may be made.
pub(super) fn created(fields: &Map<String, Json>, desk: &Desk<'_>) -> Result<(), String> {
    let fields = Json::Object(fields.clone());
    let mut wrong = common(&fields, None, desk);
    let since = desk.now - AGAIN * SECOND;
    let again = desk.held("article").any(|item| item.at > since && item.data["title"] == fields["title"]);
    if again {
        wrong.push(TITLE_AGAIN.to_owned());
    }
    sentence(wrong)
}

/// Whether an article may become as it is now.
pub(super) fn updated(item: &Accepted, desk: &Desk<'_>) -> Result<(), String> {
    sentence(common(&item.data, Some(item.number), desk))
}

fn common(fields: &Json, own: Option<u64>, desk: &Desk<'_>) -> Vec<String> {
    let text = |name: &str| fields[name].as_str().unwrap_or_default();
    let others = |item: &&Accepted| Some(item.number) != own;
    let mut wrong = Vec::new();
    let same = |item: &Accepted| {
        item.data["title"] == fields["title"] && item.data["body_markdown"] == fields["body_markdown"]
    };
    if desk.held("article").filter(others).any(same) {
        wrong.push("Body markdown has already been taken".to_owned());
    }
    if text("body_markdown").len() > BODY {
        wrong.push("Body markdown is too long (maximum is 800 KB)".to_owned());
    }
    // Drafts of other accounts hold their addresses as well.
    let canonical = text("canonical_url");
    if !canonical.is_empty() {
        if desk.everyones("article").filter(others).any(|item| item.data["canonical_url"] == canonical) {
            wrong.push("Canonical url has already been taken".to_owned());
        }
        if !is_public(canonical) {
            wrong.push("Canonical url is not a valid URL".to_owned());
        }
    }
    match text("title").chars().filter(|c| !c.is_whitespace()).count() {
        0 => wrong.push("Title can't be blank".to_owned()),
        count if count > TITLE => wrong.push(format!("Title is too long (maximum is {TITLE} characters)")),
        _ => {}
    }
    wrong.extend(tags(fields));
    wrong
}

fn tags(fields: &Json) -> Vec<String> {
    let tags: Vec<&str> = fields["tags"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut wrong = Vec::new();
    if tags.len() > TAGS {
        wrong.push(format!("Tag list exceed the maximum of {TAGS} tags"));
    }
    for tag in tags {
        if tag.chars().count() > TAG {
            wrong.push(format!("Tag \"{tag}\" is too long (maximum is {TAG} characters)"));
        }
        if !tag.chars().all(char::is_alphanumeric) {
            wrong.push(format!("Tag \"{tag}\" contains non-alphanumeric or prohibited unicode characters"));
        }
    }
    wrong
}

/// A web address with a host that the world knows.
fn is_public(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.contains('.') && !host.starts_with("127.") && host != "0.0.0.0" && !url.contains(' ')
}

/// `a`, `a and b`, `a, b, and c`.
fn sentence(mut wrong: Vec<String>) -> Result<(), String> {
    match (wrong.pop(), wrong.as_slice()) {
        (None, _) => Ok(()),
        (Some(last), []) => Err(last),
        (Some(last), [first]) => Err(format!("{first} and {last}")),
        (Some(last), others) => Err(format!("{}, and {last}", others.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_mistakes_become_one_sentence() {
        let said = |words: &[&str]| sentence(words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(said(&[]), Ok(()));
        assert_eq!(said(&["a"]), Err("a".to_owned()));
        assert_eq!(said(&["a", "b"]), Err("a and b".to_owned()));
        assert_eq!(said(&["a", "b", "c"]), Err("a, b, and c".to_owned()));
    }

    #[test]
    fn addresses_of_this_machine_are_no_canonical_addresses() {
        for (url, public) in [
            ("https://example.org/a?b#c", true),
            ("http://localhost/a", false),
            ("http://127.0.0.1:8080/a", false),
            ("ftp://example.org", false),
            ("https://example.org/a b", false),
        ] {
            assert_eq!(is_public(url), public, "{url}");
        }
    }
}
