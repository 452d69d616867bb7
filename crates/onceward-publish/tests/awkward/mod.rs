//! Texts that break programs which publish: a name, and the body in Markdown.

const FAMILY: &str = "👨‍👩‍👧‍👦";

const SHORT: [(&str, &str); 35] = [
    ("plain", "Hello, world."),
    ("korean composed", "안녕하세요. 반갑습니다."),
    ("korean decomposed", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF} \u{1100}\u{1161}\u{11A8}"),
    ("a family in one character", "👨‍👩‍👧‍👦 goes out"),
    ("flags", "🇰🇷🇺🇳🏴󠁧󠁢󠁳󠁣󠁴󠁿🏳️‍🌈"),
    ("skin tones, keycaps, selectors", "👍🏽 1️⃣ #️⃣ ❤️ ☎︎"),
    ("a lone joiner", "a\u{200D}b \u{200D}"),
    ("hebrew with a link", "שלום https://a.example/א עולם"),
    ("arabic with marks of direction", "\u{202B}مرحبا\u{202C} (test) \u{200F}#عربي"),
    ("bare domains beside CJK", "자세히는example.com에서. 例えばexample.com。见example.com，再见"),
    ("links to names of other scripts", "https://한글.kr/경로?질의=값 그리고 https://例え.テスト、次"),
    ("particles behind links", "https://a.example에서 https://a.example/x를 「https://a.example/」です"),
    ("brackets around links", "(https://ko.example/큐_(자료구조)) [x](https://a.example/y_(z))"),
    ("names of files", "README.md main.rs v1.2.3 e.g. It ended.It began."),
    ("hashtags", "#한글_태그 #caf\u{65}\u{301} #हिन्दी #می\u{200C}خواهم #日本語。 #123 #1번"),
    ("no hashtags", "C# a#b ##x &#35; https://a.example/#frag #️⃣"),
    ("mentions", "@user @user@host.example, @alice.bsky.social님 me@example.com a@b"),
    ("everyone", "@channel @everyone @here <!channel> \\<!here> \\<@U024BE7LH> \\<#C024BE7LR|x>"),
    ("signs of mrkdwn", "a & b \\< c > d \\*not bold\\* \\_not\\_ \\~no\\~ \\`code\\` &amp;lt;"),
    ("signs of MarkdownV2", "\\_ \\* \\[ \\] \\( \\) \\~ \\` \\> \\# \\+ \\- \\= \\| \\{ \\} \\. \\! \\\\"),
    ("formatting", "**bold _both_** ~~gone~~ `code` ***all***"),
    ("formatting inside hangul", "**굵게**는 _기울임_을 `코드`로"),
    ("a link with a label", "[the docs](https://a.example/?x=1&y=2) and <https://b.example/>"),
    ("a label that would be markup", "[<!channel>|x](https://a.example/a|b) [*y*](https://a.example/)"),
    ("a label that is code", "**see [`code`](https://a.example/) here**"),
    (
        "a block of code",
        "Look:\n\n```rust\nfn main() {\n    println!(\"*hi* @channel #tag <!here>\");\n}\n```\n\ndone",
    ),
    ("a fence in a block", "````\n```\ninner\n```\n````"),
    ("lists", "- one\n- two\n  1. deep\n  2. deeper\n\n3. three"),
    ("a quotation", "> said **loudly**\n>\n> more\n\nend"),
    ("a table", "|a|b|\n|-|-|\n|1|**2**|"),
    ("raw HTML", "<script>alert(1)</script> <b>x</b> &lt;i&gt; before<!-- hidden -->after"),
    ("marks that nobody sees", "a\u{200B}b\u{2060}c\u{FEFF}d \u{202E}evil\u{202C}"),
    (
        "many marks on one letter",
        "Z\u{335}\u{328}\u{301}\u{308}\u{30A}\u{323}a\u{336}\u{30B}l\u{337}\u{302}go",
    ),
    ("lines and spaces", "one\\\ntwo  \nthree\n\n\n\nfour\ta\u{A0}b\u{3000}c"),
    ("typography", "“smart” ‘quotes’ — … €→™ ½ ﬁ"),
];

/// All of them; the last are longer than what most platforms take.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    let mut texts: Vec<_> = SHORT.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    texts.extend([
        ("many pictures", "🙂".repeat(350)),
        ("many families", FAMILY.repeat(130)),
        ("one word of six hundred letters", "a".repeat(600)),
        ("hangul without spaces", "가나다라마바사".repeat(60)),
        ("sentences", "가나다라 마바사. 아자차카 타파하 https://a.example/길 #태그. ".repeat(14)),
        ("links only", "https://a.example/a/long/path?with=a&query ".repeat(15)),
        ("ten thousand characters", ten_thousand()),
    ]);
    texts
}

fn ten_thousand() -> String {
    let line =
        "하나의 문장입니다. One sentence with @user@host.example and https://a.example/x. これは文です。\n\n";
    line.repeat(10_000 / line.chars().count() + 1).chars().take(10_000).collect()
}
