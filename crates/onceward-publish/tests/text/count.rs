//! Published vectors of how platforms count.

use onceward_publish::text::{Counter, Limit};

const MASTODON: Counter = Counter::Mastodon { link: 23 };
const FAMILY: &str = "👨‍👩‍👧‍👦";
const GAK: &str = "\u{1100}\u{1161}\u{11A8}";

/// Text, X, graphemes, bytes, UTF-16, scalars.
const VECTORS: [(&str, [usize; 5]); 20] = [
    ("", [0, 0, 0, 0, 0]),
    ("한글", [4, 2, 6, 2, 2]),
    (GAK, [2, 1, 9, 3, 3]),
    ("각", [2, 1, 3, 1, 1]),
    ("…", [2, 1, 3, 1, 1]),
    ("—", [1, 1, 3, 1, 1]),
    ("’", [1, 1, 3, 1, 1]),
    ("€", [2, 1, 3, 1, 1]),
    ("→", [2, 1, 3, 1, 1]),
    ("™", [2, 1, 3, 1, 1]),
    ("é", [1, 1, 2, 1, 1]),
    ("e\u{301}", [1, 1, 3, 2, 2]),
    (FAMILY, [2, 1, 25, 11, 7]),
    ("🇰🇷", [2, 1, 8, 4, 2]),
    ("❤️", [2, 1, 6, 2, 2]),
    ("👍🏽", [2, 1, 8, 4, 2]),
    ("#️⃣", [2, 1, 7, 3, 3]),
    ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", [2, 1, 28, 14, 7]),
    ("\u{200D}", [1, 1, 3, 1, 1]),
    ("🙂🙂", [4, 2, 8, 4, 2]),
];

#[test]
fn each_platform_counts_by_its_own_rule() {
    let counters = [Counter::X, Counter::Graphemes, Counter::Bytes, Counter::Utf16, Counter::Scalars];
    for (text, expected) in VECTORS {
        let found = counters.map(|counter| counter.count(text));
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(MASTODON.count(text), expected[1], "{text:?}");
    }
}

#[test]
fn a_link_is_as_long_as_the_platform_says() {
    let long = "https://example.org/a/very/long/path?with=a&long=query#and-a-fragment";
    let table = [
        // text, X, Mastodon
        ("https://a.example/", 23, 23),
        (long, 23, 23),
        ("HTTP://EXAMPLE.COM/X", 23, 23),
        ("example.com", 23, 11),
        ("보기 https://a.example/", 28, 26),
        ("https://a.example/, https://b.example/.", 49, 49),
        ("https://한글.kr/경로", 23, 23),
        ("ftp://a.example/", 16, 16),
        ("https://", 8, 8),
        ("(https://a.example/x_(y))", 25, 25),
    ];
    for (text, x, mastodon) in table {
        assert_eq!((Counter::X.count(text), MASTODON.count(text)), (x, mastodon), "{text}");
    }
    assert_eq!(Counter::Mastodon { link: 40 }.count(long), 40);
    assert_eq!(Counter::Graphemes.count(long), long.len());
}

#[test]
fn of_a_remote_mention_only_the_name_counts_on_mastodon() {
    let table = [
        ("@user@mastodon.example hi", 8),
        ("@user hi", 8),
        ("a@user@mastodon.example", 23),
        ("@user@mastodon.example, @b@c.example", 9),
        ("안녕 @user@mastodon.example님", 9),
    ];
    for (text, expected) in table {
        assert_eq!(MASTODON.count(text), expected, "{text}");
    }
}

#[test]
fn t35_the_141st_hangul_syllable_is_one_too_many_for_x() {
    let limit = Limit::new(Counter::X, 280);
    assert!(limit.fits(&"가".repeat(140)));
    assert!(!limit.fits(&"가".repeat(141)));
    assert!(!limit.fits(&"あ".repeat(141)));
    assert!(limit.fits(&"a".repeat(280)));
}

#[test]
fn t33_bluesky_holds_300_characters_and_3000_bytes() {
    let limits = [Limit::new(Counter::Graphemes, 300), Limit::new(Counter::Bytes, 3000)];
    let fits = |text: &str| limits.map(|limit| limit.fits(text));
    assert_eq!(fits(&"e\u{301}".repeat(300)), [true, true]);
    assert_eq!(fits(&"e\u{301}".repeat(301)), [false, true]);
    assert_eq!(fits(&FAMILY.repeat(120)), [true, true]);
    assert_eq!(fits(&FAMILY.repeat(121)), [true, false]);
    assert_eq!(fits(&format!("https://a.example/{}", "a".repeat(283))), [false, true]);
}

#[test]
fn t34_what_is_shown_as_one_character_counts_as_one() {
    for one in
        [FAMILY, "🇰🇷", "👍🏽", "#️⃣", "1️⃣", "🏳️‍🌈", "❤️", "☎\u{FE0E}", "\u{200D}", GAK, "नि", "e\u{301}\u{323}"]
    {
        assert_eq!(MASTODON.count(one), 1, "{one:?}");
        assert_eq!(
            Counter::Graphemes.count(&one.repeat(3)).max(1),
            if one == "\u{200D}" { 1 } else { 3 },
            "{one:?}"
        );
    }
}

#[test]
fn telegram_takes_4096_pictures() {
    let limit = Limit::new(Counter::Scalars, 4096);
    assert!(limit.fits(&"🙂".repeat(4096)));
    assert!(!limit.fits(&"🙂".repeat(4097)));
}
