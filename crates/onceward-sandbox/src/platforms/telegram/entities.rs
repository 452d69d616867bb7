//! Entities: ranges of a text, counted in UTF-16 code units, that may lie in one another but not across.

use serde_json::Value as Json;

use super::Refusal;

/// More are left out without a word.
const MOST: usize = 100;

const TYPES: [&str; 18] = [
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
    "text_link",
    "custom_emoji",
];

/// The entities of a text as readers get them.
pub(super) fn checked(text: &str, given: Option<&Json>) -> Result<Vec<Json>, Refusal> {
    let entities = match given {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Array(entities)) => entities,
        Some(_) => return Err("entities must be a list of MessageEntity objects".into()),
    };
    let mut open: Vec<u64> = Vec::new();
    let mut sorted: Vec<&Json> = entities.iter().collect();
    sorted.sort_by_key(|entity| (number(entity, "offset"), std::cmp::Reverse(number(entity, "length"))));
    for entity in sorted {
        let kind = entity["type"].as_str().unwrap_or_default();
        if !TYPES.contains(&kind) {
            return Err("can't parse MessageEntity: Unsupported type specified".into());
        }
        if kind == "text_link" && entity["url"].as_str().is_none_or(str::is_empty) {
            return Err("can't parse MessageEntity: Can't find field \"url\"".into());
        }
        let (Some(begin), Some(length)) = (number(entity, "offset"), number(entity, "length")) else {
            return Err("can't parse MessageEntity: Field \"offset\" must be of type Number".into());
        };
        within(text, begin, begin + length)?;
        open.retain(|end| *end > begin);
        if open.iter().any(|end| *end < begin + length) {
            return Err(ends_after(begin, begin + length).into());
        }
        open.push(begin + length);
    }
    Ok(entities.iter().take(MOST).cloned().collect())
}

fn number(entity: &Json, name: &str) -> Option<u64> {
    entity[name].as_u64()
}

/// Whether both ends lie in the text, between two characters.
fn within(text: &str, begin: u64, end: u64) -> Result<(), Refusal> {
    let units = text.encode_utf16().count() as u64;
    if begin > units {
        return Err(format!("entity begins after the end of the text at UTF-16 offset {begin}").into());
    }
    if end > units {
        return Err(ends_after(begin, end).into());
    }
    if let Err(byte) = border(text, begin) {
        return Err(format!("entity begins in a middle of a UTF-16 symbol at byte offset {byte}").into());
    }
    border(text, end).map_err(|byte| {
        format!("entity beginning at UTF-16 offset {begin} ends in a middle of a UTF-16 symbol at byte offset {byte}").into()
    })
}

fn ends_after(begin: u64, end: u64) -> String {
    format!("entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}")
}

/// Whether a character begins at this UTF-16 offset; else the byte at which the one around it begins.
fn border(text: &str, offset: u64) -> Result<(), usize> {
    let mut at = 0;
    for (byte, char) in text.char_indices() {
        if at >= offset {
            break;
        }
        at += char.len_utf16() as u64;
        if at > offset {
            return Err(byte);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(text: &str, entities: &Json) -> String {
        checked(text, Some(entities))
            .map_or_else(|refusal| refusal.words, |kept| format!("{} kept", kept.len()))
    }

    #[test]
    fn ranges_are_utf_16_and_end_between_characters() {
        let bold = |offset: u64, length: u64| json!([{ "type": "bold", "offset": offset, "length": length }]);
        assert_eq!(said("한글 🙂!", &bold(3, 2)), "1 kept");
        assert_eq!(
            said("한글 🙂!", &bold(3, 1)),
            "entity beginning at UTF-16 offset 3 ends in a middle of a UTF-16 symbol at byte offset 7"
        );
        assert_eq!(
            said("한글 🙂!", &bold(4, 2)),
            "entity begins in a middle of a UTF-16 symbol at byte offset 7"
        );
        assert_eq!(
            said("hello", &bold(0, 100)),
            "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 100"
        );
        assert_eq!(
            said("hello", &bold(100, 1)),
            "entity begins after the end of the text at UTF-16 offset 100"
        );
        assert_eq!(said("hello", &bold(0, 5)), "1 kept");
    }

    #[test]
    fn ranges_may_lie_in_one_another_and_not_across() {
        let two = |one: (u64, u64), other: (u64, u64)| {
            let entity = |kind, (offset, length): (u64, u64)| json!({ "type": kind, "offset": offset, "length": length });
            json!([entity("bold", one), entity("italic", other)])
        };
        assert_eq!(said("hello world", &two((0, 11), (6, 5))), "2 kept");
        assert_eq!(said("hello world", &two((0, 5), (5, 6))), "2 kept");
        assert_eq!(said("hello world", &two((2, 3), (2, 3))), "2 kept");
        assert!(said("hello world", &two((0, 6), (3, 8))).starts_with("entity beginning at UTF-16 offset 3"));
    }

    #[test]
    fn what_is_no_entity_is_refused() {
        assert_eq!(said("a", &json!("bold")), "entities must be a list of MessageEntity objects");
        assert_eq!(
            said("a", &json!([{ "type": "sparkle", "offset": 0, "length": 1 }])),
            "can't parse MessageEntity: Unsupported type specified"
        );
        assert!(said("a", &json!([{ "type": "text_link", "offset": 0, "length": 1 }])).contains("\"url\""));
        assert!(said("a", &json!([{ "type": "bold", "length": 1 }])).contains("\"offset\""));
        let many = json!(vec![json!({ "type": "bold", "offset": 0, "length": 1 }); 120]);
        assert_eq!(said("a", &many), "100 kept");
    }
}
