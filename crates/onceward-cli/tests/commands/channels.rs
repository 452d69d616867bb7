//! Whether channels could be sent to.

use std::net::TcpListener;

use held_port::HeldPort;
use serde_json::json;

use crate::support::Place;

fn hook(port: u16) -> String {
    format!(
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/x\"\nsecret = {{ env = \"HOOK\" }}\n"
    )
}

fn check(place: &Place, secret: Option<&str>) -> (i32, serde_json::Value) {
    let mut command = place.command(&["channels", "check", "--json"]);
    secret.map(|secret| command.env("HOOK", secret));
    let output = command.output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("s3cr3t"));
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_webhook_is_connected_to_and_gets_not_a_byte() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::new(&hook(listener.local_addr().unwrap().port()));
    let (code, document) = check(&place, Some("s3cr3t"));
    assert_eq!((code, &document["items"][0]["ok"]), (0, &json!(true)), "{document}");
    let (mut peer, _) = listener.accept().unwrap();
    let mut got = Vec::new();
    std::io::Read::read_to_end(&mut peer, &mut got).unwrap();
    assert_eq!(got, b"");
    let (code, document) = check(&place, None);
    assert_eq!((code, &document["items"][0]["problems"][0]["code"]), (1, &json!("secret_missing")));
    let (code, document) = check(&place, Some("whsec_s3cr3t!"));
    assert_eq!((code, &document["items"][0]["problems"][0]["code"]), (1, &json!("secret_invalid")));
}

#[test]
fn a_webhook_that_is_not_there_is_told() {
    let nobody = HeldPort::new().unwrap();
    let port = nobody.number();
    let (code, document) = check(&Place::new(&hook(port)), Some("s3cr3t"));
    assert_eq!((code, &document["items"][0]["problems"][0]["code"]), (1, &json!("unreachable")));
}

#[test]
fn a_folder_is_ready_when_it_can_be_made_and_nothing_is_left_in_it() {
    let config = "[channels.a]\ntype = \"archive\"\npath = \"public/a\"\n[channels.f]\ntype = \"feed\"\npath = \"feed.xml\"\nlink = \"https://example.org/\"\n\
                  [channels.b]\ntype = \"archive\"\npath = \"onceward.toml/b\"\n";
    let place = Place::new(config);
    let ran = place.line("channels check a f");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out.matches("● ready").count(), 2, "{ran:?}");
    let left: Vec<_> =
        std::fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["onceward.toml"]);
    let ran = place.line("channels check b --json");
    assert_eq!((ran.code, &ran.json()["items"][0]["problems"][0]["code"]), (1, &json!("not_a_folder")));
    assert_eq!(place.line("channels check c").code, 2);
}

#[test]
fn a_file_of_somebody_else_is_told_before_anything_is_sent() {
    let config = "[channels.a]\ntype = \"archive\"\npath = \"public\"\n[channels.f]\ntype = \"feed\"\npath = \"feed.xml\"\nlink = \"https://example.org/\"\n";
    let place = Place::new(config);
    std::fs::create_dir(place.path("public")).unwrap();
    std::fs::write(place.path("public/index.html"), "<h1>My site</h1>").unwrap();
    std::fs::write(place.path("feed.xml"), "").unwrap();
    let ran = place.line("channels check --json");
    let items = &ran.json()["items"];
    assert_eq!((ran.code, &items[0]["problems"][0]["code"]), (1, &json!("not_ours")), "{ran:?}");
    assert!(items[0]["problems"][0]["text"].as_str().unwrap().contains("public/index.html"), "{ran:?}");
    assert_eq!(items[1]["ok"], json!(true), "an empty file is nobody's work");
}
