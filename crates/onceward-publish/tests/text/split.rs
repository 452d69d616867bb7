//! A text becomes parts that fit, and loses nothing but white space between them.

use onceward_publish::text::{Counter, Limit, TooLong, facets, split};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

fn cut(text: &str, most: usize) -> Vec<&str> {
    let limit = Limit::new(Counter::Graphemes, most);
    let parts = split(text, &[], |_, part| limit.fits(part)).unwrap();
    parts.into_iter().map(|part| &text[part]).collect()
}

#[test]
fn a_text_is_cut_between_sentences_else_words_else_characters() {
    let table: [(&str, usize, &[&str]); 14] = [
        ("One. Two.", 20, &["One. Two."]),
        ("", 20, &[""]),
        ("  \n ", 2, &[""]),
        ("One two. Three four. Five.", 21, &["One two. Three four.", "Five."]),
        ("One. Two three four five", 12, &["One. Two", "three four", "five"]),
        ("안녕하세요. 반갑습니다. 네.", 13, &["안녕하세요. 반갑습니다.", "네."]),
        ("これは文。次の文。", 5, &["これは文。", "次の文。"]),
        ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
        ("ab, cd! ef", 4, &["ab,", "cd!", "ef"]),
        ("Para one.\n\nPara two.", 12, &["Para one.", "Para two."]),
        ("🇰🇷🇰🇷🇰🇷", 2, &["🇰🇷🇰🇷", "🇰🇷"]),
        ("a https://a.example/x b", 20, &["a", "https://a.example/x", "b"]),
        ("say hello (really)!", 9, &["say hello", "(really)!"]),
        ("#one #two", 5, &["#one", "#two"]),
    ];
    for (text, most, expected) in table {
        assert_eq!(cut(text, most), expected, "{text:?}");
    }
}

#[test]
fn what_cannot_be_cut_and_does_not_fit_is_named() {
    let limit = Limit::new(Counter::Graphemes, 10);
    let found = |text| split(text, &[], |_, part: &str| limit.fits(part));
    assert_eq!(found("see https://a.example/long"), Err(TooLong { range: 4..26 }));
    assert_eq!(found("a #abcdefghijk b"), Err(TooLong { range: 2..14 }));
    let zalgo = format!("a{}", "\u{301}".repeat(40));
    let bytes = |_: usize, part: &str| part.len() <= 50;
    assert_eq!(split(&zalgo, &[], bytes), Err(TooLong { range: 0..zalgo.len() }));
}

#[test]
fn ranges_of_the_callers_choice_stay_whole() {
    let text = "aa bb cc dd";
    let fits = |_: usize, part: &str| part.len() <= 6;
    let label = 3..8;
    let parts = split(text, &[label], fits).unwrap();
    assert_eq!(parts, [0..2, 3..8, 9..11]);
}

#[test]
fn the_first_part_may_have_less_room() {
    let text = "one two three four";
    let fits = |part: usize, text: &str| text.len() <= if part == 0 { 4 } else { 9 };
    let parts = split(text, &[], fits).unwrap();
    assert_eq!(parts.into_iter().map(|it| &text[it]).collect::<Vec<_>>(), ["one", "two three", "four"]);
}

#[test]
fn ten_thousand_characters_are_cut_in_one_go() {
    let text = "가나다라. 마바 https://a.example/x #태그 ".repeat(300);
    for part in cut(text.trim_end(), 300) {
        assert!(part.graphemes(true).count() > 150 || text.trim_end().ends_with(part), "{part}");
    }
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-z]{1,9}",
        3 => "[가-힣]{1,6}",
        2 => "[ぁ-ん一-龥]{1,8}",
        1 => Just("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}".to_owned()),
        1 => Just("👨‍👩‍👧‍👦🇰🇷❤️👍🏽".to_owned()),
        1 => "https://[a-z]{1,8}\\.example/[a-z가-힣]{0,9}",
        1 => "@[a-z]{1,6}(@[a-z]{1,5}\\.example)?",
        1 => "[#＃][a-z가-힣_]{1,7}",
        1 => "[a-z]{2,6}\\.com",
        1 => "שלום|عربي|हिन्दी|ไทยภาษา",
        1 => "\\PC{1,4}",
        1 => "[@#.]{1,3}",
    ];
    let space = prop_oneof![8 => Just(" "), 2 => Just(""), 1 => Just(". "), 1 => Just("\n\n"), 1 => Just("。"), 1 => Just("\r\n")];
    prop::collection::vec((piece, space), 0..60)
        .prop_map(|words| words.into_iter().map(|(word, space)| word + space).collect())
}

proptest! {
    #[test]
    fn parts_fit_lose_nothing_and_cut_nothing(text in texts(), most in 30_usize..90, link in 1_usize..30) {
        let counters = [Counter::Graphemes, Counter::Mastodon { link }, Counter::Scalars, Counter::Bytes, Counter::X];
        for counter in counters {
            let limit = Limit::new(counter, most);
            let Ok(parts) = split(&text, &[], |_, part| limit.fits(part)) else { continue };
            prop_assert!(!parts.is_empty());
            let graphemes: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            let facets = facets(&text);
            let mut end = 0;
            for part in parts {
                prop_assert!(limit.fits(&text[part.clone()]), "{:?}", &text[part]);
                prop_assert!(text[end..part.start].chars().all(char::is_whitespace), "lost {:?}", &text[end..part.start]);
                prop_assert!(graphemes.binary_search(&part.start).is_ok() && graphemes.binary_search(&part.end).is_ok());
                for facet in &facets {
                    let apart = facet.range.end <= part.start || facet.range.start >= part.end;
                    let within = facet.range.start >= part.start && facet.range.end <= part.end;
                    prop_assert!(apart || within, "cut {:?}", &text[facet.range.clone()]);
                }
                end = part.end;
            }
            prop_assert!(text[end..].chars().all(char::is_whitespace));
        }
    }

    #[test]
    fn a_refusal_names_something_that_really_does_not_fit(text in texts(), most in 1_usize..20) {
        let limit = Limit::new(Counter::Graphemes, most);
        if let Err(TooLong { range }) = split(&text, &[], |_, part| limit.fits(part)) {
            prop_assert!(!limit.fits(text[range].trim()));
        }
    }
}
