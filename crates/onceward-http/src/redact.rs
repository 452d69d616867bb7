//! Text that is safe to keep and show.

/// The most that is kept of a text, in bytes.
const LONGEST: usize = 8 * 1024;

/// What stands in place of a secret.
const HIDDEN: &str = "••••";

/// Makes a text safe to keep and show: every occurrence of a secret is replaced, line breaks and tabs become
/// spaces, other control characters and those that turn the reading direction become U+FFFD, and what exceeds
/// 8 KiB is cut at a character boundary. Cannot fail, whatever the text holds.
pub fn redact<'a>(text: &str, secrets: impl IntoIterator<Item = &'a str>) -> String {
    let mut secrets: Vec<&str> = secrets.into_iter().filter(|secret| !secret.is_empty()).collect();
    // The longest first, or a secret that begins with another would leave its tail behind.
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    let mut hidden = text.to_owned();
    for secret in secrets {
        if hidden.contains(secret) {
            hidden = hidden.replace(secret, HIDDEN);
        }
    }
    let mut safe = String::with_capacity(hidden.len().min(LONGEST));
    for character in hidden.chars().map(visible) {
        if safe.len() + character.len_utf8() > LONGEST {
            break;
        }
        safe.push(character);
    }
    safe
}

fn visible(character: char) -> char {
    match character {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
            char::REPLACEMENT_CHARACTER
        }
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_that_begins_with_another_leaves_no_tail() {
        assert_eq!(redact("token abc-def and abc", ["abc", "abc-def"]), "token •••• and ••••");
    }

    #[test]
    fn an_empty_secret_changes_nothing() {
        assert_eq!(redact("plain", [""]), "plain");
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            redact("a\0b\x1b[31mc\r\nd\u{202e}e\u{85}", []),
            "a\u{fffd}b\u{fffd}[31mc  d\u{fffd}e\u{fffd}"
        );
    }

    #[test]
    fn a_secret_across_the_cut_leaves_no_head() {
        let text = format!("{}s3cret-value", "x".repeat(LONGEST - 6));
        let safe = redact(&text, ["s3cret-value"]);
        assert!(!safe.contains("s3"), "{safe}");
        assert!(safe.len() <= LONGEST);
    }

    proptest! {
        #[test]
        fn the_result_is_short_visible_and_free_of_secrets(
            text in any::<String>(), secret in "[a-z]{3,9}", long in any::<bool>(),
        ) {
            let mut input = format!("{text}{secret}{text}");
            if long {
                input = input.repeat(9000 / input.len() + 1);
            }
            let safe = redact(&input, [secret.as_str()]);
            prop_assert!(!safe.contains(&secret));
            prop_assert!(safe.len() <= LONGEST);
            prop_assert!(!safe.chars().any(char::is_control));
        }
    }
}
