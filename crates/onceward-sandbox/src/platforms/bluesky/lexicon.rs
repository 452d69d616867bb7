//! The lexicon `app.bsky.feed.post`, as far as texts and times can break it.

use serde_json::Value as Json;

use crate::text::graphemes;

const CHARACTERS: usize = 300;
const BYTES: usize = 3000;
const LANGUAGES: usize = 3;

/// What is wrong with a record, in the server's words.
pub(super) fn problem(record: &Json) -> Option<String> {
    let wrong = |what: String| Some(format!("Invalid app.bsky.feed.post record: {what}"));
    if record["$type"] != "app.bsky.feed.post" {
        return wrong(format!("Invalid $type: expected app.bsky.feed.post, got {}", record["$type"]));
    }
    let Some(text) = record["text"].as_str() else {
        return wrong("Missing required key \"text\" at $.record".to_owned());
    };
    if text.len() > BYTES {
        return wrong(format!("string too big (maximum {BYTES}, got {}) at $.record.text", text.len()));
    }
    let characters = graphemes(text);
    if characters > CHARACTERS {
        return wrong(format!("grapheme too big (maximum {CHARACTERS}, got {characters}) at $.record.text"));
    }
    let created = record["createdAt"].as_str().unwrap_or_default();
    if !is_datetime(created) {
        return wrong(format!("Invalid datetime (got \"{created}\") at $.record.createdAt"));
    }
    let languages = record["langs"].as_array().map_or(0, Vec::len);
    if languages > LANGUAGES {
        return wrong(format!("array too big (maximum {LANGUAGES}, got {languages}) at $.record.langs"));
    }
    facets(record, text).and_then(wrong)
}

/// The server does not mind where facets stand; readers do, so a rehearsal says it.
fn facets(record: &Json, text: &str) -> Option<String> {
    let facets = record["facets"].as_array()?;
    facets.iter().enumerate().find_map(|(number, facet)| {
        let at = |key: &str| facet["index"][key].as_u64().and_then(|at| usize::try_from(at).ok());
        let whole = match (at("byteStart"), at("byteEnd")) {
            (Some(start), Some(end)) => start < end && text.get(start..end).is_some(),
            _ => false,
        };
        (!whole).then(|| format!("facet out of the text or within a character at $.record.facets[{number}]"))
    })
}

/// `2026-12-01T09:30:00.123Z`, or with an offset.
fn is_datetime(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|part| part.bytes().all(|it| it.is_ascii_digit()))
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    let shaped = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19].into_iter().all(digits)
        && marks.iter().all(|(at, mark)| text.as_bytes().get(*at) == Some(mark));
    let rest = text.get(19..).unwrap_or_default();
    let zone = rest.trim_start_matches(|char: char| char == '.' || char.is_ascii_digit());
    shaped && (zone == "Z" || (zone.len() == 6 && zone.starts_with(['+', '-'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_and_facets_are_checked_to_the_byte() {
        for (text, is) in [
            ("2026-12-01T09:30:00Z", true),
            ("2026-12-01T09:30:00.123+09:00", true),
            ("2026-12-01 09:30:00Z", false),
            ("2026-12-01T09:30Z", false),
            ("bad", false),
        ] {
            assert_eq!(is_datetime(text), is, "{text}");
        }
        let record = |start: usize, end: usize| {
            json!({
                "$type": "app.bsky.feed.post", "text": "한 a", "createdAt": "2026-12-01T09:30:00Z",
                "facets": [{ "index": { "byteStart": start, "byteEnd": end } }],
            })
        };
        assert_eq!(problem(&record(0, 3)), None);
        for (start, end) in [(1, 3), (0, 9), (3, 3)] {
            assert!(problem(&record(start, end)).unwrap().contains("facets[0]"));
        }
    }
}
