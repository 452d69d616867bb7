//! What a reader takes for one character, after Unicode UAX #29, as far as posts need it: marks, joined emoji, flags,
//! skin tones, keycaps, Hangul put together from its letters. Scripts of India are counted by their marks only.

/// How many there are.
pub(crate) fn graphemes(text: &str) -> usize {
    let chars: Vec<char> = text.chars().collect();
    (0..chars.len()).filter(|at| begins(&chars, *at)).count()
}

/// Whether a new one begins here.
fn begins(chars: &[char], at: usize) -> bool {
    let (Some(before), here) = (at.checked_sub(1).map(|before| chars[before]), chars[at]) else {
        return true;
    };
    match (before, here) {
        ('\r', '\n') => false,
        (before, here) if before.is_control() || here.is_control() => true,
        (_, here) if extends(here) || here == ZWJ => false,
        (ZWJ, here) => !(pictographic(here) && joins_pictures(chars, at - 1)),
        (before, here) if flag(before) && flag(here) => flags_before(chars, at).is_multiple_of(2),
        (before, here) => !same_syllable(before, here),
    }
}

const ZWJ: char = '\u{200d}';

/// Whether the joiner there follows a picture, perhaps with marks between.
fn joins_pictures(chars: &[char], joiner: usize) -> bool {
    chars[..joiner].iter().rev().find(|char| !extends(**char)).is_some_and(|char| pictographic(*char))
}

fn flags_before(chars: &[char], at: usize) -> usize {
    chars[..at].iter().rev().take_while(|char| flag(**char)).count()
}

fn flag(char: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&char)
}

fn pictographic(char: char) -> bool {
    matches!(char, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{21aa}' | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{27bf}'
        | '\u{2934}'..='\u{2935}' | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1f1e5}' | '\u{1f200}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

fn extends(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'
        | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{93c}'
        | '\u{93e}'..='\u{94f}' | '\u{981}'..='\u{983}' | '\u{9bc}' | '\u{9be}'..='\u{9cd}' | '\u{b82}'
        | '\u{bbe}'..='\u{bcd}' | '\u{e31}' | '\u{e33}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{200c}' | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}'
        | '\u{3099}'..='\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The letters of one Korean syllable: L (L | V | LV | LVT), then V, then T.
fn same_syllable(before: char, here: char) -> bool {
    let leading = |char| matches!(char, '\u{1100}'..='\u{115f}' | '\u{a960}'..='\u{a97c}');
    let vowel = |char| matches!(char, '\u{1160}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}');
    let trailing = |char| matches!(char, '\u{11a8}'..='\u{11ff}' | '\u{d7cb}'..='\u{d7fb}');
    let syllable = |char| matches!(char, '\u{ac00}'..='\u{d7a3}');
    let open = |char: char| syllable(char) && (u32::from(char) - 0xac00).is_multiple_of(28);
    (leading(before) && (leading(here) || vowel(here) || syllable(here)))
        || ((vowel(before) || open(before)) && (vowel(here) || trailing(here)))
        || ((trailing(before) || syllable(before)) && trailing(here))
}

#[cfg(test)]
mod tests {
    use super::graphemes;

    #[test]
    fn characters_are_counted_as_readers_see_them() {
        for (text, count) in [
            ("", 0),
            ("abc", 3),
            ("한글", 2),
            ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", 2),
            ("가\u{11a8}", 1),
            ("각가", 2),
            ("e\u{301}é", 2),
            ("👨\u{200d}👩\u{200d}👧\u{200d}👦", 1),
            ("👍🏽👍", 2),
            ("🇰🇷🇯🇵🇺", 3),
            ("❤\u{fe0f}", 1),
            ("1\u{fe0f}\u{20e3}", 1),
            ("a\u{200d}b", 2),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", 1),
            ("\r\n\n", 2),
        ] {
            assert_eq!(graphemes(text), count, "{text:?}");
        }
    }
}
