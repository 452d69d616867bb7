//! Pausing.

use serde_json::json;

use crate::support::Place;

const CONFIG: &str = "[queues.mail]\nconcurrency = 3\nrate = \"30/5m\"\n[channels.blog]\ntype = \"archive\"\npath = \"blog\"\n\
                      [channels.log]\ntype = \"archive\"\npath = \"log\"\n[groups]\nboth = [\"blog\", \"log\"]\n";

#[test]
fn queues_are_listed_with_their_limits() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    let items = place.line("queues list --json").json();
    let mail = items["items"].as_array().unwrap().iter().find(|queue| queue["name"] == "mail").unwrap();
    assert_eq!(
        (&mail["concurrency"], &mail["rate"], &mail["paused"]),
        (&json!(3), &json!("30/5m"), &json!(null))
    );
    let text = place.line("queues list").out;
    assert!(text.contains("mail") && text.contains("blog") && text.contains("30/5m"), "{text}");
}

#[test]
fn a_pause_holds_until_it_is_resumed_and_says_what_it_changed() {
    let place = Place::new(CONFIG);
    assert_eq!(place.line("queues pause mail").out, "paused mail; what runs goes on\n");
    assert_eq!(place.line("queues pause mail").out, "mail was paused already\n");
    assert!(place.line("queues list").out.contains("‖ paused"));
    let resumed = place.line("queues resume --all --json").json();
    let changed: Vec<_> =
        resumed["items"].as_array().unwrap().iter().filter(|item| item["changed"] == true).collect();
    assert_eq!((changed.len(), &changed[0]["name"]), (1, &json!("mail")));
    assert_eq!(place.line("queues resume mail").out, "mail was not paused\n");
}

#[test]
fn a_mistyped_name_pauses_nothing() {
    let place = Place::new(CONFIG);
    for noun in ["queues", "channels"] {
        let ran = place.line(&format!("{noun} pause blog blgo --json"));
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("not_found")), "{noun}");
        assert!(ran.out.contains("did you mean `blog`?"), "{ran:?}");
    }
    assert!(!place.line("queues list").out.contains('‖'));
}

#[test]
fn a_channel_pauses_by_its_name_or_its_groups() {
    let place = Place::new(CONFIG);
    let ran = place.line("channels pause both --json").json();
    let names: Vec<_> =
        ran["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["blog", "log"]);
    assert!(place.line("status").out.contains("‖ paused"));
    assert_eq!(place.line("channels resume --all").out, "resumed blog\nresumed log\n");
}
