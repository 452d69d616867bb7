//! Markdown as plain text and as HTML.

use onceward_publish::body::{BodyImage, Links, html, images, text};
use proptest::prelude::*;

fn plain(markdown: &str) -> String {
    text(markdown, &Links::NONE)
}

#[test]
fn plain_text_keeps_the_shape_of_the_text() {
    let table = [
        ("One\ntwo\n\nthree", "One two\n\nthree"),
        ("# Title\n\nText", "Title\n\nText"),
        ("**bold** and *soft* and `code`", "bold and soft and code"),
        ("a  \nb", "a\nb"),
        ("- a\n- b\n  - c\n- d", "• a\n• b\n  • c\n• d"),
        ("- a\n\n- b", "• a\n\n• b"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("- a\n\n  more\n- b", "• a\n\n  more\n\n• b"),
        ("-\n- b", "•\n• b"),
        ("> said\n>\n> more\n\nend", "> said\n>\n> more\n\nend"),
        ("```rust\nfn a() {}\n\n  b\n```\nend", "fn a() {}\n\n  b\n\nend"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("|a|b|\n|-|-|\n|1|2|\n", "a | b\n1 | 2"),
        ("~~old~~ new", "~~old~~ new"),
        ("a <b>c</b> <!-- note --> d", "a <b>c</b>  d"),
        ("<!-- more -->\n\ntext", "text"),
        ("1 < 2 &amp; 3", "1 < 2 & 3"),
        ("한국어 문단\n이어서", "한국어 문단 이어서"),
        ("", ""),
    ];
    for (markdown, expected) in table {
        assert_eq!(plain(markdown), expected, "{markdown:?}");
    }
}

#[test]
fn plain_text_has_each_link_in_full() {
    let base = url::Url::parse("https://example.org/blog/").unwrap();
    let links = Links { base: Some(&base), ..Links::NONE };
    let table = [
        ("[docs](https://a.example/b?c=d#e)", "docs (https://a.example/b?c=d#e)"),
        ("<https://a.example/>", "https://a.example/"),
        ("[https://a.example/](https://a.example/)", "https://a.example/"),
        ("<me@a.example>", "me@a.example"),
        ("[docs][d]\n\n[d]: https://a.example/", "docs (https://a.example/)"),
        ("[next](next.html)", "next (https://example.org/blog/next.html)"),
        ("[top](/x)", "top (https://example.org/x)"),
        ("[bad](javascript:alert(1))", "bad"),
        ("[](https://a.example/)", "https://a.example/"),
        ("> <https://a.example/>", "> https://a.example/"),
        ("![hill](cover.png) after", "after"),
        ("    code\n      more", "code\n  more"),
        ("![hill](https://a.example/c.png)", "hill (https://a.example/c.png)"),
        ("[한글](https://ko.example/경로)", "한글 (https://ko.example/경로)"),
    ];
    for (markdown, expected) in table {
        assert_eq!(text(markdown, &links), expected, "{markdown:?}");
    }
    assert_eq!(plain("[next](next.html)"), "next");
}

#[test]
fn raw_html_is_shown_and_never_becomes_markup() {
    let table = [
        ("a <script>alert(1)</script>", "<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("<div onclick=x>\nhi\n</div>", "<p>&lt;div onclick=x&gt;\nhi\n&lt;/div&gt;</p>\n"),
        ("a<!-- hidden -->b", "<p>ab</p>\n"),
        ("<!-- one\ntwo -->\n", ""),
        ("&lt;b&gt;", "<p>&lt;b&gt;</p>\n"),
    ];
    for (markdown, expected) in table {
        assert_eq!(html(markdown, &Links::NONE), expected, "{markdown:?}");
    }
}

#[test]
fn only_safe_addresses_become_links() {
    let refused = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "java&#10;script:alert(1)",
        "&#1;javascript:alert(1)",
        "//evil.example/x",
        "relative.html",
        "#here",
    ];
    for target in refused {
        let found = html(&format!("[a](<{target}>)"), &Links::NONE);
        assert_eq!(found, "<p>a</p>\n", "{target}");
        let found = html(&format!("![a](<{target}>)"), &Links::NONE);
        assert_eq!(found, "<p>a</p>\n", "{target}");
    }
    let found = html("[a](https://a.example/?x=1&y=2 \"t\")", &Links::NONE);
    assert_eq!(found, "<p><a href=\"https://a.example/?x=1&amp;y=2\" title=\"t\">a</a></p>\n");
    assert_eq!(
        html("<me@a.example>", &Links::NONE),
        "<p><a href=\"mailto:me@a.example\">me@a.example</a></p>\n"
    );
}

#[test]
fn a_local_image_gets_the_address_it_is_served_at() {
    let images = |path: &str| (path == "my cover.png").then(|| "media/ab.png".to_owned());
    let links = Links { base: None, images: &images };
    let found = html("![A \"hill\" <b>](my%20cover.png)", &links);
    assert_eq!(found, "<p><img src=\"media/ab.png\" alt=\"A &quot;hill&quot; &lt;b&gt;\" /></p>\n");
    assert_eq!(html("![gone](other.png)", &links), "<p>gone</p>\n");
    let remote = html("[![a](https://a.example/i.png)](https://a.example/)", &links);
    assert_eq!(
        remote,
        "<p><a href=\"https://a.example/\"><img src=\"https://a.example/i.png\" alt=\"a\" /></a></p>\n"
    );
}

#[test]
fn images_come_in_order_with_alt_text_and_line() {
    let markdown = "a ![one *soft*](one.png)\n\n![](sub/two%20b.png)\n![x](https://a.example/x.png)\n```\n![no](no.png)\n```\n[![three](/three.png)](https://a.example)\n";
    let image =
        |path: &str, alt: Option<&str>, line| BodyImage { path: path.into(), alt: alt.map(Into::into), line };
    let expected = [
        image("one.png", Some("one soft"), 5),
        image("sub/two b.png", None, 7),
        image("/three.png", Some("three"), 12),
    ];
    assert_eq!(images(markdown, 5), expected);
}

proptest! {
    #[test]
    fn no_text_makes_a_script_or_a_handler(markdown in "[<>/a-z\"'=:()!\\[\\] \n`&;#-]{0,80}|\\PC{0,80}") {
        let found = html(&markdown, &Links::NONE);
        for tag in found.split('<').skip(1) {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            let known = ["p", "a", "em", "strong", "del", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br",
                "h1", "h2", "h3", "h4", "h5", "h6", "img", "table", "thead", "tbody", "tr", "th", "td"];
            prop_assert!(known.contains(&name.as_str()), "{found}");
        }
        let _ = plain(&markdown);
        let _ = images(&markdown, 1);
    }

    #[test]
    fn plain_words_survive(words in proptest::collection::vec("[a-z가-힣]{1,8}", 1..20)) {
        let line = words.join(" ");
        prop_assert_eq!(plain(&line), line.as_str());
        prop_assert_eq!(html(&line, &Links::NONE), format!("<p>{line}</p>\n"));
    }
}
