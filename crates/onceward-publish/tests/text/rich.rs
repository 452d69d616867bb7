//! Markdown as text with its formatting beside it.

use onceward_publish::body::{Links, Style, rich};

/// Markdown, its text, each mark with the text under it.
type Row<'a> = (&'a str, &'a str, &'a [(Style, &'a str)]);

/// Each mark as its style and the text under it.
fn marks(markdown: &str) -> (String, Vec<(Style, String)>) {
    let found = rich(markdown, &Links::NONE);
    let marks =
        found.marks.iter().map(|mark| (mark.style.clone(), found.text[mark.range.clone()].to_owned()));
    (found.text.clone(), marks.collect())
}

#[test]
fn formatting_stands_beside_the_text() {
    let link = |url: &str| Style::Link(url.into());
    let table: [Row<'_>; 15] = [
        ("plain", "plain", &[]),
        (
            "a **b** _c_ `d` ~~e~~",
            "a b c d e",
            &[(Style::Bold, "b"), (Style::Italic, "c"), (Style::Code, "d"), (Style::Strike, "e")],
        ),
        ("**한글 _🙂_**", "한글 🙂", &[(Style::Bold, "한글 🙂"), (Style::Italic, "🙂")]),
        ("[docs](https://a.example/)", "docs", &[(link("https://a.example/"), "docs")]),
        ("[**b** c](https://a.example/)", "b c", &[(link("https://a.example/"), "b c"), (Style::Bold, "b")]),
        ("<https://a.example/>", "https://a.example/", &[(link("https://a.example/"), "https://a.example/")]),
        ("[me](mailto:me@a.example)", "me (mailto:me@a.example)", &[]),
        ("[bad](javascript:alert(1))", "bad", &[]),
        (
            "```rust\nfn a() {}\n\n  b\n```\nend",
            "fn a() {}\n\n  b\n\nend",
            &[(Style::Block(Some("rust".into())), "fn a() {}\n\n  b")],
        ),
        ("    code", "    code".trim_start(), &[(Style::Block(None), "code")]),
        ("- **a**\n- b", "• a\n• b", &[(Style::Bold, "a")]),
        ("> **q**\n> r", "> q r", &[(Style::Bold, "q")]),
        ("# **T**\n\ntext  \n*x*", "T\n\ntext\nx", &[(Style::Bold, "T"), (Style::Italic, "x")]),
        ("![hill](https://a.example/c.png)", "hill", &[(link("https://a.example/c.png"), "hill")]),
        ("\\*not\\* \\_this\\_ <b>c</b>", "*not* _this_ <b>c</b>", &[]),
    ];
    for (markdown, text, expected) in table {
        let (found, marks) = marks(markdown);
        assert_eq!(found, text, "{markdown}");
        let marks: Vec<_> = marks.iter().map(|(style, text)| (style.clone(), text.as_str())).collect();
        assert_eq!(marks, expected, "{markdown}");
    }
}

#[test]
fn a_piece_keeps_its_formatting() {
    let whole = rich("one **two three** four", &Links::NONE);
    let piece = whole.slice(4..7);
    assert_eq!((piece.text.as_str(), piece.marks[0].range.clone()), ("two", 0..3));
    let piece = whole.slice(8..18);
    assert_eq!((piece.text.as_str(), piece.marks[0].range.clone()), ("three four", 0..5));
    assert_eq!(whole.slice(0..3).marks, []);
}
