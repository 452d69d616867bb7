//! From a post to the bytes of a mail.

use onceward::Time;
use serde_json::json;

use super::address::Mailbox;
use super::letter::Letter;
use super::message::Mail;
use crate::dress::Dress;
use crate::post::Post;

const KEY: &str = "0123456789abcdef0123456789abcdef";
const SHA: &str = "aa11";

fn post(more: &serde_json::Value) -> Post {
    let mut post = json!({
        "content": "posts/a", "channel": "c1", "title": "We are live", "link": "https://example.org/a?x=1&y=2",
        "tags": [], "body": "Hello **world**.", "media": [], "thread": "auto", "options": {},
        "publish_at": null, "expire_at": null, "approve": false,
    });
    for (key, value) in more.as_object().unwrap() {
        post[key] = value.clone();
    }
    serde_json::from_value(post).unwrap()
}

fn picture(given: &str, kind: &str) -> serde_json::Value {
    json!({"given": given, "alt": "A <hill>", "sha256": SHA, "type": kind, "bytes": 4, "width": 1, "height": 1})
}

fn letters(post: &Post, dress: &Dress, subject: Option<&str>) -> Result<Vec<Letter>, String> {
    let at: Time = "2026-12-01T09:00:00Z".parse().unwrap();
    let dressed = dress.put_on(post, "mail", at, &serde_json::Value::Null).unwrap();
    let mailbox = |text: &str| text.parse::<Mailbox>().unwrap();
    let to = [mailbox("Jane <jane@b.example>"), mailbox("joe@b.example")];
    Letter::all(&dressed, &mailbox("뉴스 <news@a.example>"), &to, subject)
        .map_err(|reason| reason.code.to_owned())
}

fn letter(post: &Post) -> Letter {
    letters(post, &Dress::default(), None).unwrap().remove(0)
}

fn mail(letter: &Letter, media: Vec<Vec<u8>>) -> String {
    String::from_utf8(Mail::of(letter, KEY, media).unwrap().bytes).unwrap()
}

#[test]
fn each_recipient_gets_a_mail_of_their_own() {
    let letters = letters(&post(&json!({})), &Dress::default(), None).unwrap();
    let whom: Vec<_> = letters.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(whom, ["Jane <jane@b.example>", "joe@b.example"]);
    let mail = mail(&letters[1], vec![]);
    assert!(mail.contains("\r\nTo: joe@b.example\r\n") && !mail.contains("jane"), "{mail}");
}

#[test]
fn a_repeat_has_the_same_bytes() {
    let letter = letter(&post(&json!({"media": [picture("a.png", "png"), picture("b.mp4", "mp4")]})));
    let thawed: Letter = serde_json::from_str(&serde_json::to_string(&letter).unwrap()).unwrap();
    let bytes = || vec![b"abcd".to_vec(), b"efgh".to_vec()];
    assert_eq!(mail(&letter, bytes()), mail(&thawed, bytes()));
}

#[test]
fn the_mail_has_the_headers_that_name_it_for_ever() {
    let mail = mail(&letter(&post(&json!({"tags": ["rust", "작업큐"]}))), vec![]);
    for line in [
        "Subject: We are live",
        "Date: Tue, 01 Dec 2026 09:00:00 +0000",
        &format!("Message-ID: <{KEY}@a.example>"),
        &format!("X-Entity-Ref-ID: {KEY}"),
        "To: Jane <jane@b.example>",
        "MIME-Version: 1.0",
        &format!(" boundary=\"{KEY}-text\""),
    ] {
        assert!(mail.lines().any(|found| found == line), "{line}\nin\n{mail}");
    }
    assert!(mail.contains("From: =?utf-8?b?64m07Iqk?= <news@a.example>"), "{mail}");
    assert!(mail.contains("Keywords: rust, =?utf-8?b?"), "{mail}");
}

#[test]
fn text_and_page_hold_the_link_once() {
    let plain = letter(&post(&json!({})));
    assert_eq!(plain.text, "Hello world.\n\nhttps://example.org/a?x=1&y=2");
    assert!(plain.html.contains("<p>Hello <strong>world</strong>.</p>"), "{}", plain.html);
    assert!(plain.html.contains("<a href=\"https://example.org/a?x=1&amp;y=2\">"), "{}", plain.html);
    let own = letter(&post(&json!({"body": "See https://example.org/a?x=1&y=2 now"})));
    assert_eq!(own.text.matches("https://example.org").count(), 1);
}

#[test]
fn a_template_is_the_whole_text() {
    let dress = Dress { template: Some("{{ title }} & <more>\nline\n\nend".to_owned()), ..Dress::default() };
    let letter = letters(&post(&json!({})), &dress, None).unwrap().remove(0);
    assert_eq!(letter.text, "We are live & <more>\nline\n\nend");
    assert!(
        letter.html.contains("<p>We are live &amp; &lt;more&gt;<br />\nline</p>\n<p>end</p>"),
        "{}",
        letter.html
    );
    assert!(!letter.html.contains("https://"), "{}", letter.html);
}

#[test]
fn pictures_stand_in_their_places_or_below_and_films_are_attached() {
    let body = "One ![A hill](img/a.png) two.";
    let inside = letter(&post(&json!({"body": body, "media": [picture("img/a.png", "png")]})));
    assert!(inside.html.contains("<img src=\"cid:aa11@a.example\" alt=\"A hill\" />"), "{}", inside.html);
    assert_eq!(inside.html.matches("<img").count(), 1);
    let below = letter(&post(&json!({"media": [picture("a.png", "png")]})));
    assert!(
        below.html.contains("<img src=\"cid:aa11@a.example\" alt=\"A &lt;hill&gt;\" />"),
        "{}",
        below.html
    );
    let film = letter(&post(&json!({"media": [picture("films/끝.mp4", "mp4")]})));
    assert!(!film.html.contains("<img") && !film.media[0].inline);
    let mail = mail(&film, vec![b"film".to_vec()]);
    assert!(mail.contains("multipart/mixed") && mail.contains("Content-Type: video/mp4"), "{mail}");
    assert!(mail.contains("ZmlsbQ=="), "{mail}");
}

#[test]
fn the_subject_is_the_variants_the_channels_or_the_title() {
    let with = |options, subject| {
        letters(&post(&options), &Dress::default(), subject).map(|all| all[0].subject.clone())
    };
    assert_eq!(with(json!({}), None), Ok("We are live".to_owned()));
    assert_eq!(with(json!({}), Some("News")), Ok("News".to_owned()));
    assert_eq!(with(json!({"options": {"subject": "Mine"}}), Some("News")), Ok("Mine".to_owned()));
    assert_eq!(with(json!({"title": null}), None), Err("subject_missing".to_owned()));
    assert_eq!(with(json!({"title": "  "}), None), Err("subject_missing".to_owned()));
    assert_eq!(with(json!({"title": "x".repeat(256)}), None), Err("subject_too_long".to_owned()));
}

#[test]
fn no_subject_adds_a_header() {
    for title in ["a\r\nBcc: x@y.example", "a\nb", "a\rb", "a\0b", "a\u{85}b"] {
        let refused = letters(&post(&json!({ "title": title })), &Dress::default(), None);
        assert_eq!(refused, Err("subject_invalid".to_owned()), "{title:?}");
    }
    for title in [
        "새 소식: 우리는 살아 있습니다 🎉 그리고 아주 긴 제목이 이어집니다",
        "=?utf-8?q?x?=",
        "Ünï: <b>&",
        &"long ".repeat(50),
    ] {
        let mail = mail(&letter(&post(&json!({ "title": title }))), vec![]);
        let (head, _) = mail.split_once("\r\n\r\n").unwrap();
        let names = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        assert_eq!(names.filter(|line| line.starts_with("Subject:")).count(), 1);
        assert!(head.split("\r\n").all(|line| line.len() <= 78), "{head}");
    }
}

#[test]
fn no_text_ends_the_mail_or_smuggles_another() {
    for body in [
        "a\n.\nQUIT\n",
        "a\r.\rb",
        "a\r\n.\r\nMAIL FROM:<x@y.example>\r\n",
        "a\n.\r\nb",
        "a\u{2028}.\u{2028}b",
        "\u{0}\u{1}\u{7f}",
        &"x".repeat(5000),
        &"가".repeat(5000),
    ] {
        let letter = letter(&post(&json!({"body": body, "link": null})));
        let mail = mail(&letter, vec![]);
        assert!(mail.split("\r\n").all(|line| line.len() <= 78 && !line.contains(['\r', '\n'])), "{body:?}");
        assert!(mail.ends_with(&format!("--{KEY}-text--\r\n")), "{mail}");
    }
}

#[test]
fn no_file_name_adds_a_header() {
    let name = "a\"\r\nX-Bad: yes\r\n.png";
    let mail = mail(&letter(&post(&json!({"media": [picture(name, "png")]}))), vec![b"abcd".to_vec()]);
    assert!(!mail.lines().any(|line| line.starts_with("X-Bad")), "{mail}");
}
