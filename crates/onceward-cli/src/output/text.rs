//! Text from users and platforms on its way to a terminal: it may not command the terminal, and it has a width.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Stands for a character that was taken out.
const REPLACED: char = '\u{fffd}';

/// Text of several lines that cannot command a terminal: control characters (escape sequences begin with one)
/// and marks that turn the writing direction are replaced; line breaks stay.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").chars().map(|char| if char == '\n' { char } else { shown(char) }).collect()
}

/// The same in one line: line breaks and tabs become spaces.
pub(crate) fn one_line(text: &str) -> String {
    plain(text).replace(['\n', '\t', '\u{2028}', '\u{2029}'], " ")
}

fn shown(char: char) -> char {
    match char {
        '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => REPLACED,
        _ if char.is_control() => REPLACED,
        _ => char,
    }
}

/// At most `width` columns of a terminal, with an ellipsis where something is missing. Wide characters (한, 語, 🙂)
/// take two columns, and what belongs together is not torn apart.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let mut used = 0;
    let mut kept = String::new();
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used > room {
            break;
        }
        kept.push_str(cluster);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_command_the_terminal() {
        for evil in [
            "\u{1b}[31mred",
            "\u{9b}2J",
            "a\u{8}b",
            "bell\u{7}",
            "\u{1b}]0;title\u{7}",
            "\u{7f}",
            "a\rb",
            "\0",
        ] {
            for safe in [plain(evil), one_line(evil)] {
                assert!(!safe.chars().any(char::is_control), "{safe:?}");
                assert!(safe.contains(REPLACED), "{safe:?}");
            }
        }
    }

    #[test]
    fn a_text_cannot_turn_the_writing_direction() {
        assert_eq!(plain("a\u{202e}b\u{2066}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "큐 · 日本語 · 👩‍👩‍👧 · é · عربي";
        assert_eq!(plain(text), text);
        assert_eq!(plain("a\r\nb\tc"), "a\nb c");
        assert_eq!(one_line("a\nb\u{2028}c"), "a b c");
    }

    #[test]
    fn a_cut_never_exceeds_its_width() {
        for text in ["abcdef", "한글입니다", "a한b글", "👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}", "", "日"]
        {
            for width in 0..12 {
                assert!(cut(text, width).width() <= width, "{text} at {width}: {}", cut(text, width));
            }
        }
    }

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(cut("한글입니다", 10), "한글입니다");
        assert_eq!(cut("한글입니다", 9), "한글입니…");
        assert_eq!(cut("한글입니다", 8), "한글입…");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("한", 1), "…");
    }

    #[test]
    fn what_belongs_together_is_not_torn_apart() {
        assert_eq!(cut("👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧…");
        assert_eq!(cut("e\u{301}bcd", 2), "e\u{301}…");
    }
}
