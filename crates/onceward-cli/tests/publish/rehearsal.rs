//! `publish --sandbox`: everything as it would be, and nothing reached.

use crate::site::{Site, post};

/// Hosts that do not exist, secrets that are not set, a public file.
const CONFIG: &str = r#"
[channels.hook]
type = "webhook"
url = "https://hook.invalid/in"
secret = { env = "NOT_SET" }
retry = { base = "100ms" }
[channels.mail]
type = "email"
smtp = "smtps://me@mail.invalid"
password = { stored = "NOT_STORED" }
from = "me@a.example"
to = ["you@b.example"]
[channels.blog]
type = "feed"
path = "public/feed.xml"
link = "https://example.org/"
"#;

fn site() -> Site {
    let site = Site::new(CONFIG);
    site.write("a.md", post("title: A", "한글 for everybody."));
    site
}

/// What the stand-ins accepted, from the file that they keep.
fn accepted(site: &Site) -> Vec<serde_json::Value> {
    let ledger = site.read("onceward.sandbox.jsonl");
    let events = ledger.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    events.filter_map(|event| event.get("accepted").cloned()).filter(|item| item["visible"] == true).collect()
}

#[test]
fn a_rehearsal_needs_no_secret_and_touches_nothing_public() {
    let site = site();
    let said = site.publish(&["a.md", "--sandbox"]);
    assert_eq!((said.code, said.total("done")), (0, 3), "{said:?}");
    assert_eq!(said.document()["rehearsal"], true);
    let accepted = accepted(&site);
    let platforms: Vec<_> = accepted.iter().map(|item| item["platform"].as_str().unwrap()).collect();
    assert!(accepted.len() == 2 && platforms.contains(&"email") && platforms.contains(&"webhook"));
    let texts: Vec<_> = accepted.iter().map(|item| item["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"A") && texts.contains(&"한글 for everybody."), "{texts:?}");
    assert!(!site.path("public").exists() && !site.path("onceward.db").exists());
    assert!(site.read("onceward.sandbox/blog/feed.xml").contains("한글 for everybody."));
}

#[test]
fn a_second_rehearsal_skips_what_the_first_one_sent() {
    let site = site();
    site.publish(&["a.md", "--sandbox"]);
    site.write("b.md", post("title: B", "Another."));
    let said = site.publish(&["a.md", "b.md", "--sandbox"]);
    assert_eq!((said.code, said.total("skipped"), said.total("new")), (0, 3, 3), "{said:?}");
    assert_eq!(accepted(&site).len(), 4);
}

#[test]
fn people_are_told_that_it_was_a_rehearsal() {
    let said = site().run(&["publish", "a.md", "--sandbox"]);
    assert!(
        said.stdout.contains("a rehearsal:") && said.stdout.contains("nothing was published"),
        "{said:?}"
    );
    let real = Site::new("");
    real.write("a.md", post("title: A\npublished: false", "x"));
    assert!(!real.run(&["publish", "a.md"]).stdout.contains("rehearsal"));
}

#[test]
fn faults_can_be_rehearsed_and_name_the_store_in_the_last_line() {
    let site = site();
    site.write(
        "night.toml",
        "[[fault]]\nplatform = \"email\"\nact = \"post\"\nkind = \"accept_then_reset\"\n",
    );
    let said = site.publish(&["a.md", "--sandbox", "--faults", "night.toml"]);
    assert_eq!((said.code, said.total("in_doubt")), (4, 1), "{said:?}");
    let before = site.read("a.md");
    site.write("a.md", post("title: A", "Edited while nobody knows."));
    let again = site.run(&["publish", "a.md", "--sandbox", "--faults", "night.toml"]).stdout;
    let unsure = again.lines().find(|line| line.contains("mail")).unwrap();
    assert!(
        unsure.contains("doubt resolve") && !unsure.contains("--as-new"),
        "no invitation to double it: {unsure}"
    );
    site.write("a.md", before);
    assert!(said.stderr.trim_end().ends_with("onceward.sandbox.db"), "{said:?}");
    site.write("night.toml", "[[fault]]\nkind = \"hnag\"\n");
    let said = site.publish(&["a.md", "--sandbox", "--faults", "night.toml"]);
    assert!(said.code == 2 && said.stdout.contains("night.toml") && said.stdout.contains("hnag"), "{said:?}");
}

#[test]
fn what_was_rehearsed_is_never_sent_for_real() {
    let site = site();
    site.publish(&["a.md", "--sandbox", "--enqueue-only"]);
    for command in [&["work", "--until-idle"][..], &["publish", "a.md"]] {
        let said = site.run(&[command, &["--store", "sqlite://onceward.sandbox.db", "--json"]].concat());
        assert_eq!(
            (said.code, &said.document()["error"]["code"]),
            (2, &"rehearsal_store".into()),
            "{said:?}"
        );
    }
    let said = site.publish(&["a.md", "--sandbox", "--store", "sqlite://x.db"]);
    assert_eq!((said.code, &said.document()["error"]["code"]), (2, &"store_fixed".into()), "{said:?}");
}
