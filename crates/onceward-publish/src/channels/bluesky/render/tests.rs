use super::*;
use crate::content::Thread;
use crate::dress::Dress;
use crate::media::MediaFacts;
use crate::post::{Picture as Attached, Post};

const AT: &str = "2026-12-01T09:30:00.123456Z";

fn post(body: &str) -> Post {
    Post {
        content: "a".into(),
        channel: "b".into(),
        title: None,
        link: None,
        tags: Vec::new(),
        body: body.into(),
        media: Vec::new(),
        thread: Thread::Auto,
        options: std::collections::BTreeMap::new(),
        publish_at: None,
        expire_at: None,
        approve: false,
        alert: false,
    }
}

fn picture(alt: Option<&str>) -> Attached {
    let facts =
        MediaFacts { sha256: "ab".into(), kind: MediaType::Png, bytes: 9, width: Some(4), height: Some(3) };
    Attached { given: "a.png".into(), alt: alt.map(str::to_owned), facts }
}

fn rendered(post: &Post) -> Result<Vec<Part>, Reason> {
    let dress = Dress { template: None, hashtags: true, link_query: None };
    parts(&dress.put_on(post, "bsky", AT.parse().unwrap(), &Json::Null)?, &["ko".to_owned()])
}

fn only(post: &Post) -> Part {
    let mut parts = rendered(post).unwrap();
    assert_eq!(parts.len(), 1, "{parts:?}");
    parts.remove(0)
}

/// The stretches of the text that lead elsewhere, each as its server cuts it out: by bytes.
fn stretches(part: &Part) -> Vec<(String, Json)> {
    let record = &part.request["record"];
    let bytes = record["text"].as_str().unwrap().as_bytes();
    let at = |facet: &Json, key: &str| usize::try_from(facet["index"][key].as_u64().unwrap()).unwrap();
    let facets = record["facets"].as_array().cloned().unwrap_or_default();
    let cut = |facet: &Json| {
        let range = at(facet, "byteStart")..at(facet, "byteEnd");
        (String::from_utf8(bytes[range].to_vec()).unwrap(), facet["features"][0].clone())
    };
    facets.iter().map(cut).collect()
}

#[test]
fn a_post_is_one_record_of_its_moment_and_languages() {
    let part = only(&post("안녕, *world*"));
    let expected = json!({
        "$type": "app.bsky.feed.post", "text": "안녕, world", "createdAt": "2026-12-01T09:30:00.123Z", "langs": ["ko"],
    });
    assert_eq!((&part.request["record"], part.length), (&expected, 9));
}

/// T37: bskyr#23, goal-bot#51, PSBluesky#22, social-app#7287.
#[test]
fn facets_cut_out_exactly_their_bytes_behind_hangul_and_emoji() {
    let link = "https://example.org/한글?q=🙂";
    let part = only(&post(&format!("한글 🙂 👨‍👩‍👧‍👦 {link} 그리고 #한글_태그 끝")));
    let found = stretches(&part);
    assert_eq!(found.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), [link, "#한글_태그"]);
    assert_eq!(found[0].1["$type"], "app.bsky.richtext.facet#link");
    assert!(found[0].1["uri"].as_str().unwrap().is_ascii(), "{found:?}");
    assert_eq!(found[1].1, json!({ "$type": "app.bsky.richtext.facet#tag", "tag": "한글_태그" }));
}

#[test]
fn the_label_of_a_link_leads_to_its_address() {
    let part = only(&post("See [the #1 page](https://example.org/a) and `#[test]`."));
    let uri = json!({ "$type": "app.bsky.richtext.facet#link", "uri": "https://example.org/a" });
    assert_eq!(stretches(&part), [("the #1 page".to_owned(), uri)]);
}

#[test]
fn names_wait_for_their_accounts_and_only_handles_are_asked_for() {
    let part = only(&post("@Alice.bsky.social, @bob, @carol@m.example, @x_y.example, @1.2.3.4 hi"));
    let expected = json!([{ "handle": "alice.bsky.social", "start": 0, "end": 18 }]);
    assert_eq!(part.request["mentions"], expected);
    assert!(stretches(&part).is_empty());
    for (name, is) in
        [("a.b", true), ("a", false), ("a.1", false), ("-a.b", false), ("a..b", false), ("a_b.c", false)]
    {
        assert_eq!(is_handle(name), is, "{name}");
    }
}

#[test]
fn a_link_is_a_card_unless_there_are_pictures() {
    let mut it = post("Text.");
    it.link = Some("https://example.org/launch".into());
    let card =
        |title: &str| json!({ "uri": "https://example.org/launch", "title": title, "description": "" });
    assert_eq!(only(&it).request["record"]["embed"]["external"], card("example.org"));
    it.title = Some("We are live".into());
    let part = only(&it);
    assert_eq!(part.request["record"]["embed"]["external"], card("We are live"));
    assert_eq!(part.text, "Text.\n\nhttps://example.org/launch");
    it.media = vec![picture(Some("A hill")), picture(None)];
    let part = only(&it);
    assert_eq!(part.request["record"]["embed"], Json::Null);
    let expected = json!([
        { "sha256": "ab", "mime": "image/png", "alt": "A hill", "width": 4, "height": 3 },
        { "sha256": "ab", "mime": "image/png", "alt": "", "width": 4, "height": 3 },
    ]);
    assert_eq!(part.request["pictures"], expected);
}

/// T33: mixpost#154, MarshalX/atproto#427, idunno.Bluesky#42, wordpress-atmosphere PR #156; T34: cawbird#114.
#[test]
fn a_text_is_counted_in_characters_and_in_bytes() {
    let never = |body: &str| Post { thread: Thread::Never, ..post(body) };
    let family = "👨‍👩‍👧‍👦";
    for (body, length) in [
        ("가".repeat(300), 300),
        ("\u{1100}\u{1161}\u{11a8}".repeat(300), 300),
        ("🇰🇷".repeat(300), 300),
        ("e\u{301}".repeat(300), 300),
        (family.repeat(120), 120),
        (format!("https://example.org/{}", "a".repeat(280)), 300),
    ] {
        assert_eq!(only(&never(&body)).length, length, "{body}");
    }
    for (body, said) in [
        ("가".repeat(301), "301/300 characters"),
        (family.repeat(121), "3025/3000 bytes"),
        (format!("https://example.org/{}", "a".repeat(281)), "301/300 characters"),
    ] {
        let reason = rendered(&never(&body)).unwrap_err();
        assert!(reason.code == "text_too_long" && reason.text.contains(said), "{reason:?}");
    }
}

#[test]
fn a_thread_keeps_its_order_to_the_millisecond_and_shows_pictures_first() {
    let mut it = post(&"It is so. ".repeat(80));
    it.media = vec![picture(None)];
    let parts = rendered(&it).unwrap();
    assert!(parts.len() > 2 && parts.iter().all(|part| part.length <= 300), "{parts:?}");
    let of = |key: &str| parts.iter().map(|part| part.request["record"][key].clone()).collect::<Vec<_>>();
    assert_eq!(
        of("createdAt")[..3],
        ["2026-12-01T09:30:00.123Z", "2026-12-01T09:30:00.124Z", "2026-12-01T09:30:00.125Z"]
    );
    let shown: Vec<_> = parts.iter().map(|part| part.request.get("pictures").is_some()).collect();
    assert_eq!(shown.iter().filter(|shown| **shown).count(), 1);
    assert!(shown[0]);
}

#[test]
fn a_variant_has_languages_of_its_own() {
    let mut it = post("Hello");
    it.options.insert("languages".into(), json!(["en", "fr"]));
    assert_eq!(only(&it).request["record"]["langs"], json!(["en", "fr"]));
    for odd in [json!("en"), json!(["a", "b", "c", "d"]), json!([1])] {
        it.options.insert("languages".into(), odd);
        assert_eq!(rendered(&it).unwrap_err().code, "option_invalid");
    }
}

/// T44: denali#1343, postiz#497, cjrasmussen/BlueskyApi#14, postybirb-plus#328.
#[test]
fn pictures_are_taken_up_to_the_last_byte_and_never_made_smaller() {
    let media = limits().media.unwrap();
    let of = |bytes: u64, kind: MediaType| {
        let mut it = picture(None);
        (it.facts.bytes, it.facts.kind) = (bytes, kind);
        it
    };
    let code = |pictures: &[Attached]| media.fit(pictures).map_or_else(|reason| reason.code, |()| "fits");
    assert_eq!(code(&[of(2_000_000, MediaType::Png), of(1, MediaType::Webp)]), "fits");
    assert_eq!(code(&[of(2_000_001, MediaType::Jpeg)]), "media_too_large");
    assert_eq!(code(&[of(1, MediaType::Mp4)]), "media_type_not_taken");
    assert_eq!(code(&vec![of(1, MediaType::Png); 5]), "too_many_media");
}

#[test]
fn a_tag_that_is_too_long_is_plain_text() {
    let part = only(&post(&format!("#{} #{}", "a".repeat(64), "b".repeat(65))));
    assert_eq!(stretches(&part).len(), 1);
}
