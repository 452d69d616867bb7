//! What SQS takes (Amazon SQS developer guide, message quotas). Pure.

use std::collections::BTreeMap;

use onceward::Cause;

/// Bytes of a message with its attributes, and of all messages of one request.
pub(super) const LARGEST: usize = 1024 * 1024;
/// Attributes of one message.
const ATTRIBUTES: usize = 10;
/// Bytes of an attribute's name, and of a group's.
const NAME: usize = 256;
const GROUP: usize = 128;

/// How large a message is, if SQS takes it.
pub(super) fn check(body: &str, attributes: &BTreeMap<String, String>) -> Result<usize, Cause> {
    if attributes.len() > ATTRIBUTES {
        let text = format!("SQS takes {ATTRIBUTES} attributes, and these headers are {}", attributes.len());
        return Err(Cause::new("too_many_headers", text));
    }
    characters("the payload", body)?;
    for (name, value) in attributes {
        if !is_name(name) {
            return Err(bad(
                name,
                "SQS takes names of letters, digits and - _ . inside, not beginning with aws. or amazon.",
            ));
        }
        if value.is_empty() {
            return Err(bad(name, "SQS takes no empty value"));
        }
        characters(name, value)?;
    }
    // Each attribute's type counts as well.
    let of_attributes = attributes.iter().map(|(name, value)| name.len() + value.len() + "String".len());
    let size = body.len() + of_attributes.sum::<usize>();
    if size > LARGEST {
        return Err(Cause::new("too_large", format!("{size} bytes with its headers; SQS takes {LARGEST}")));
    }
    Ok(size)
}

fn bad(name: &str, why: &str) -> Cause {
    Cause::new("bad_headers", format!("header {name:?}: {why}"))
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && name.len() <= NAME
        && name.chars().all(fits)
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !name.contains("..")
        && !lower.starts_with("aws.")
        && !lower.starts_with("amazon.")
}

/// SQS takes the characters of XML 1.0.
fn characters(what: &str, text: &str) -> Result<(), Cause> {
    let fits = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    match text.chars().find(|c| !fits(*c)) {
        None => Ok(()),
        Some(c) => {
            let text = format!("{what}: SQS takes no U+{:04X}; write it as an escape of JSON", u32::from(c));
            Err(Cause::new("bad_character", text))
        }
    }
}

/// The group of a FIFO queue whose messages are delivered in order: the ordering key, or a name made of it.
pub(super) fn group(ordering_key: Option<&str>, message_id: &str) -> String {
    use sha2::Digest;
    match ordering_key {
        // Nothing waits for it, and it waits for nothing.
        None => message_id.to_owned(),
        Some(key) if !key.is_empty() && key.len() <= GROUP && key.chars().all(|c| c.is_ascii_graphic()) => {
            key.to_owned()
        }
        Some(key) => hex::encode(sha2::Sha256::digest(key.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str, headers: &[(&str, &str)]) -> Option<String> {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        check(body, &headers).err().map(|cause| cause.code.into_owned())
    }

    #[test]
    fn what_sqs_would_refuse_is_refused_before_it_is_sent() {
        assert_eq!(code("\"\u{fffd} \u{10ffff} 큐\n\"", &[("tenant", "blue")]), None);
        assert_eq!(code("\"\u{ffff}\"", &[]).as_deref(), Some("bad_character"));
        assert_eq!(code("1", &[("tenant", "\u{1}")]).as_deref(), Some("bad_character"));
        assert_eq!(code("1", &[("tenant", "")]).as_deref(), Some("bad_headers"));
        assert_eq!(code("1", &[("a b", "1")]).as_deref(), Some("bad_headers"));
        assert_eq!(code(&"1".repeat(LARGEST), &[]), None);
        assert_eq!(code(&"1".repeat(LARGEST), &[("a", "b")]).as_deref(), Some("too_large"));
        let many: Vec<String> = (0..11).map(|n| format!("h{n}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "1")).collect();
        assert_eq!(code("1", &many).as_deref(), Some("too_many_headers"));
    }

    #[test]
    fn two_keys_never_share_a_group_and_each_is_one_that_sqs_takes() {
        let long = "k".repeat(129);
        let keys = [Some("user-7"), Some("user 7"), Some("큐"), Some(""), Some(&*long), None];
        let groups: std::collections::BTreeSet<String> = keys.iter().map(|key| group(*key, "m-1")).collect();
        assert_eq!(groups.len(), keys.len());
        assert!(groups.iter().all(|group| (1..=128).contains(&group.len()) && group.is_ascii()));
    }
}
