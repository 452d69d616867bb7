//! Formatting as Telegram takes it.

use onceward_publish::body::{Links, rich};
use onceward_publish::text::entities;
use proptest::prelude::*;
use serde_json::json;

/// Each entity with the text under it, sliced as Telegram does: in UTF-16.
fn under(markdown: &str) -> Vec<(&'static str, String)> {
    let rich = rich(markdown, &Links::NONE);
    let units: Vec<u16> = rich.text.encode_utf16().collect();
    let slice = |offset, length| String::from_utf16(&units[offset..offset + length]).unwrap();
    entities(&rich).into_iter().map(|it| (it.kind, slice(it.offset, it.length))).collect()
}

fn check(markdown: &str, expected: &[(&str, &str)]) {
    let found = under(markdown);
    let found: Vec<_> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
    assert_eq!(found, expected, "{markdown}");
}

#[test]
fn t37_offsets_are_utf16_after_hangul_and_pictures() {
    check("한글 🙂👨‍👩‍👧‍👦 **굵게** [링크](https://a.example/)", &[("bold", "굵게"), ("text_link", "링크")]);
    let found = entities(&rich("🙂 **b**", &Links::NONE));
    assert_eq!(json!(found), json!([{"type": "bold", "offset": 3, "length": 1}]));
    let found = entities(&rich("[x](https://a.example/)\n\n```rust\nfn\n```", &Links::NONE));
    assert_eq!(
        json!(found),
        json!([
            {"type": "text_link", "offset": 0, "length": 1, "url": "https://a.example/"},
            {"type": "pre", "offset": 3, "length": 2, "language": "rust"},
        ])
    );
}

#[test]
fn code_is_never_bold_nor_in_a_link() {
    check("**a `b` c**", &[("bold", "a"), ("code", "b"), ("bold", "c")]);
    check("**`b`**", &[("code", "b")]);
    check("[a `b`](https://a.example/)", &[("text_link", "a b")]);
    check("***x***", &[("italic", "x"), ("bold", "x")]);
}

#[test]
fn of_many_the_links_stay() {
    let many = "**b** ".repeat(150) + "[x](https://a.example/)";
    let found = under(&many);
    assert_eq!((found.len(), found.last().unwrap().0), (100, "text_link"));
}

#[test]
fn t41_no_sign_in_the_text_is_markup() {
    for sign in ('!'..='~').filter(char::is_ascii_punctuation) {
        let found = rich(&format!("a\\{sign}b\\{sign} {sign}"), &Links::NONE);
        assert_eq!(entities(&found), [], "{sign}");
        assert!(found.text.starts_with(&format!("a{sign}b{sign}")), "{sign}: {}", found.text);
    }
}

proptest! {
    #[test]
    fn entities_are_whole_characters_of_the_text_without_space_around(markdown in "([*_~`\\[\\]() a🙂한\n]|\\(https://a\\.example/\\)){0,60}") {
        for (kind, text) in under(&markdown) {
            prop_assert!(!text.is_empty() && !text.ends_with(char::is_whitespace), "{kind} {text:?}");
        }
    }
}
