//! Links, mentions and hashtags, beside any script.

use onceward_publish::text::{What, facets};

/// `[shown → url]`, `@name`, `#tag`, in order.
fn found(text: &str) -> Vec<String> {
    facets(text)
        .into_iter()
        .map(|facet| match facet.what {
            What::Link { url } if url == text[facet.range.clone()] => url,
            What::Link { url } => format!("{} → {url}", &text[facet.range]),
            What::Mention { name } => format!("@{name}"),
            What::Hashtag { tag } => format!("#{tag}"),
        })
        .collect()
}

fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(found(text), *expected, "{text}");
    }
}

#[test]
fn links_end_where_the_sentence_goes_on() {
    check(&[
        ("https://a.example/x.", &["https://a.example/x"]),
        ("(https://a.example/x)", &["https://a.example/x"]),
        ("see https://a.example/x_(y), or", &["https://a.example/x_(y)"]),
        ("\"https://a.example\"", &["https://a.example"]),
        ("https://a.example/?q=1&r=2#frag!", &["https://a.example/?q=1&r=2#frag"]),
        ("<https://a.example/>", &["https://a.example/"]),
        ("https://a.example/x… and", &["https://a.example/x"]),
        ("https://a.example https://b.example", &["https://a.example", "https://b.example"]),
        ("https://a.example:8080/x", &["https://a.example:8080/x"]),
        ("http://localhost:3000/", &["http://localhost:3000/"]),
        ("xhttps://a.example", &[]),
        ("https:// nothing", &[]),
        ("mailto:me@a.example ftp://a.example/", &[]),
        ("javascript:alert(1)", &[]),
    ]);
}

#[test]
fn links_stand_beside_any_script() {
    check(&[
        ("보기https://a.example/글", &["https://a.example/글 → https://a.example/%EA%B8%80"]),
        ("https://a.example에서", &["https://a.example"]),
        ("https://a.example:80에서", &["https://a.example:80"]),
        ("https://a.example/x를 https://a.example/에서는", &["https://a.example/x", "https://a.example/"]),
        ("https://a.example/길을", &["https://a.example/길을 → https://a.example/%EA%B8%B8%EC%9D%84"]),
        ("「https://a.example/」です", &["https://a.example/"]),
        ("https://a.example/。次", &["https://a.example/"]),
        ("见https://a.example/x，然后", &["https://a.example/x"]),
        (
            "https://ko.example/큐_(자료구조)",
            &[
                "https://ko.example/큐_(자료구조) → https://ko.example/%ED%81%90_(%EC%9E%90%EB%A3%8C%EA%B5%AC%EC%A1%B0)",
            ],
        ),
        ("https://한글.kr/", &["https://한글.kr/ → https://xn--bj0bj06e.kr/"]),
        ("https://例え.テスト、次", &["https://例え.テスト → https://xn--r8jz45g.xn--zckzah/"]),
        ("\u{202B}https://a.example/א\u{202C}", &["https://a.example/א → https://a.example/%D7%90"]),
    ]);
}

#[test]
fn domains_without_a_scheme_are_links_when_they_are_sure() {
    check(&[
        ("example.com", &["example.com → https://example.com"]),
        ("한글example.com에서", &["example.com → https://example.com"]),
        ("例えばexample.com。", &["example.com → https://example.com"]),
        ("a.example.co.uk/x?", &["a.example.co.uk/x → https://a.example.co.uk/x"]),
        ("naver.kr/path", &["naver.kr/path → https://naver.kr/path"]),
        ("www.allegro.pl", &["www.allegro.pl → https://www.allegro.pl"]),
        ("README.md, main.rs, README.ko.md, run.sh", &[]),
        ("It ended.It began. 3.14 v1.2.3 e.g. i.e. a.b", &[]),
        ("me@example.com", &[]),
        ("first.last@example.com", &[]),
        ("caféexample.com example.comé ex_ample.com", &[]),
        ("...example.com -example.com example..com", &[]),
        ("example.com_x", &[]),
    ]);
}

#[test]
fn hashtags_are_words_of_any_script() {
    check(&[
        ("#rust", &["#rust"]),
        ("#한글_태그 다음", &["#한글_태그"]),
        (
            "#\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}",
            &["#\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"],
        ),
        ("#caf\u{65}\u{301}s!", &["#caf\u{65}\u{301}s"]),
        ("#हिन्दी", &["#हिन्दी"]),
        ("#می\u{200C}خواهم", &["#می\u{200C}خواهم"]),
        ("#日本語。#中文，＃全角", &["#日本語", "#中文", "#全角"]),
        ("#スター・ウォーズ", &["#スター・ウォーズ"]),
        ("#عربي", &["#عربي"]),
        ("(#a) #b, #c.", &["#a", "#b", "#c"]),
        ("#1 #1번 #2026", &["#1번"]),
        ("C# a#b &#35; ##x #️⃣ #", &[]),
        ("https://a.example/#frag", &["https://a.example/#frag"]),
        ("#a#b", &["#a"]),
        ("#tag🙂", &["#tag"]),
    ]);
}

#[test]
fn mentions_are_names_of_people() {
    check(&[
        ("@user", &["@user"]),
        ("@user@mastodon.example.", &["@user@mastodon.example"]),
        ("@alice.bsky.social님", &["@alice.bsky.social"]),
        ("(@a, @b-c)", &["@a", "@b-c"]),
        ("a@b a.@b /@c =@d @@e", &[]),
        ("안녕@user", &[]),
        ("@ alone @. @-", &[]),
        ("@channel @everyone", &["@channel", "@everyone"]),
        ("https://m.example/@user", &["https://m.example/@user"]),
    ]);
}

#[test]
fn t37_ranges_are_bytes_that_slice_exactly_the_link() {
    let text = "한글 🙂 https://a.example/x, #태그 @me@b.example 👨‍👩‍👧‍👦 example.com";
    let shown: Vec<_> = facets(text).into_iter().map(|facet| &text[facet.range]).collect();
    assert_eq!(shown, ["https://a.example/x", "#태그", "@me@b.example", "example.com"]);
    assert_eq!(facets(text)[0].range, 12..31);
}
