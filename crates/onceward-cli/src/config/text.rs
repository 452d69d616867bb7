//! Small texts of the file that have a meaning.

use jiff::civil;

/// `"22:00-07:00"`: two times of day that differ.
pub(crate) fn times_of_day(text: &str) -> Option<(civil::Time, civil::Time)> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (time_of_day(from)?, time_of_day(to)?);
    (from != to).then_some((from, to))
}

fn time_of_day(text: &str) -> Option<civil::Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    let two_digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !two_digits(hour) || !two_digits(minute) {
        return None;
    }
    civil::Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// Lower-case letters and digits, then also `_` and `-`: what channels, groups and queues may be called.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
    text.len() <= 64
        && text.starts_with(plain)
        && text.chars().all(|char| plain(char) || char == '_' || char == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_times_are_two_times_that_differ() {
        assert_eq!(times_of_day("22:00-07:00"), Some((civil::time(22, 0, 0, 0), civil::time(7, 0, 0, 0))));
        for text in ["22:00", "22-7", "22:00-22:00", "24:00-07:00", "22:0-07:00", "+1:00-07:00"] {
            assert_eq!(times_of_day(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_lower_case() {
        for name in ["blog", "slack-ops", "x", "2nd_blog"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Blog", "-blog", "_x", "블로그", "a b", "a.b"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
