//! Stored secrets: taken from standard input, encrypted, found again, and shown nowhere.

use std::io::Write;
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::json;

use crate::support::{Place, Ran};

/// A secret that a webhook takes, and what would betray it.
const SECRET: &str = "whsec_Q2FuYXJ5LTdmM2EtZG8tbm90LXNob3ctbWU=";
const CANARIES: [&[u8]; 2] = [b"Q2FuYXJ5", b"Canary-7f3a"];

fn key(byte: u8) -> String {
    format!("{byte:02x}").repeat(32)
}

fn place(port: u16) -> Place {
    let config = format!(
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/x\"\nsecret = {{ stored = \"HOOK\" }}\n\
         timeout = \"1s\"\nretry = {{ base = \"100ms\", max_attempts = 2 }}\n"
    );
    let place = Place::new(&config);
    std::fs::write(place.path("a.md"), "---\ntitle: A\n---\nText.").unwrap();
    place
}

fn run(place: &Place, key: &str, args: &str, input: &str) -> Ran {
    let mut command = place.command(&args.split_whitespace().collect::<Vec<_>>());
    command.env("ONCEWARD_KEY", key).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that wants no input may be gone already.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap().into()
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// Neither what was said nor any file of the folder shows the secret.
fn unseen(place: &Place, ran: &Ran) {
    let files = std::fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().path());
    let kept = files.map(|file| (format!("{}", file.display()), std::fs::read(file).unwrap()));
    let said = [
        ("stdout".to_owned(), ran.out.clone().into_bytes()),
        ("stderr".to_owned(), ran.err.clone().into_bytes()),
    ];
    for (name, bytes) in kept.chain(said) {
        assert!(CANARIES.iter().all(|canary| !holds(&bytes, canary)), "{name}: {ran:?}");
    }
}

/// Answers every request with this, until the test ends; an empty one cuts the connection.
fn server(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut got = vec![0; 64 * 1024];
            if std::io::Read::read(&mut stream, &mut got).is_ok_and(|read| read > 0) {
                drop(stream.write_all(answer.as_bytes()));
            }
        }
    });
    port
}

#[test]
fn a_login_is_found_again_and_a_logout_forgets_it() {
    let place = place(server("HTTP/1.1 204 No Content\r\n\r\n"));
    let ran = run(&place, &key(1), "channels list --json", "");
    assert_eq!(ran.json()["items"][0]["stored"], json!([{"key": "secret", "name": "HOOK", "since": null}]));
    let ran = run(&place, &key(1), "channels login hook --json", SECRET);
    assert_eq!(
        ran.json()["items"],
        json!([{"channel": "hook", "key": "secret", "name": "HOOK", "stored": true}])
    );
    let ran = run(&place, &key(1), "channels list --json", "");
    assert!(ran.json()["items"][0]["stored"][0]["since"].is_string(), "{ran:?}");
    assert_eq!(ran.json()["items"][0]["lacking"], json!([]));
    assert_eq!(run(&place, &key(1), "publish a.md", "").code, 0);
    assert_eq!(run(&place, &key(1), "channels logout hook", "").code, 0);
    let ran = run(&place, &key(1), "channels list", "");
    assert!(ran.out.contains("HOOK is not stored yet: run `onceward channels login`"), "{ran:?}");
}

#[test]
fn a_secret_is_seen_nowhere_whatever_the_other_side_does() {
    for answer in [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno",
        "HTTP/1.1 422 Unprocessable\r\ncontent-length: 2\r\n\r\nno",
        "HTTP/1.1 429 Too Many\r\nretry-after: 60\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n",
        "",
    ] {
        let place = place(server(answer));
        for (args, input) in [
            ("channels login hook -vvv", SECRET),
            ("channels list -vvv", ""),
            ("channels check hook --json -vvv", ""),
            ("publish a.md --dry-run -vvv", ""),
            ("publish a.md --patience 1s -vvv", ""),
            ("publish a.md --patience 1s --json -vvv", ""),
            ("jobs show 1 --json -vvv", ""),
            ("doubt list -vvv", ""),
            ("dead list -vvv", ""),
            ("status -vvv", ""),
        ] {
            unseen(&place, &run(&place, &key(1), args, input));
        }
    }
}

#[test]
fn the_canary_would_be_found_where_it_lies() {
    let place = place(1);
    std::fs::write(place.path("leak"), SECRET).unwrap();
    let ran = run(&place, &key(1), "channels list", "");
    assert!(std::panic::catch_unwind(|| unseen(&place, &ran)).is_err());
}

#[test]
fn without_a_key_nothing_is_stored_and_it_is_said_how_to_make_one() {
    let place = place(1);
    let ran = run(&place, "", "channels login hook", SECRET);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("openssl rand -hex 32"), "{ran:?}");
    let ran = run(&place, "hunter2", "channels login hook", SECRET);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("ONCEWARD_KEY: word 1 is no key") && !ran.err.contains("hunter2"), "{ran:?}");
}

#[test]
fn a_wrong_or_lost_key_is_told_before_anything_is_sent() {
    let place = place(1);
    assert_eq!(run(&place, &key(1), "channels login hook", SECRET).code, 0);
    let other = run(&place, &key(2), "channels list", "");
    assert!(other.out.contains("add the missing key on a line behind that one"), "{other:?}");
    let none = run(&place, "", "channels list", "");
    assert!(none.out.contains("no key that opens stored secrets"), "{none:?}");
    let both = run(&place, &format!("{}\n{}", key(2), key(1)), "channels list --json", "");
    assert_eq!(both.json()["items"][0]["lacking"], json!([]), "{both:?}");
    let rotated = run(&place, &key(2), "channels list --json", "");
    assert_eq!(rotated.json()["items"][0]["lacking"], json!([]), "{rotated:?}");
}

#[test]
fn the_key_may_lie_in_a_file_or_among_the_services_credentials() {
    let place = place(1);
    assert_eq!(run(&place, &key(1), "channels login hook", SECRET).code, 0);
    std::fs::write(place.path("onceward-key"), key(1)).unwrap();
    let mut command = place.command(&["channels", "list", "--json"]);
    let ran: Ran = command.env("CREDENTIALS_DIRECTORY", place.folder()).output().unwrap().into();
    assert_eq!(ran.json()["items"][0]["lacking"], json!([]), "{ran:?}");
    let config = std::fs::read_to_string(place.path("onceward.toml")).unwrap();
    let config = format!("{config}[store]\nkey = {{ file = \"onceward-key\" }}\n");
    std::fs::write(place.path("onceward.toml"), config).unwrap();
    assert_eq!(place.line("channels list --json").json()["items"][0]["lacking"], json!([]));
    // The configuration's word goes first.
    assert_eq!(run(&place, &key(2), "channels list --json", "").json()["items"][0]["lacking"], json!([]));
}

#[test]
fn a_channel_that_keeps_its_secret_elsewhere_is_told_what_to_write() {
    let place = Place::new(
        "[channels.my-hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:1/\"\nsecret = { env = \"HOOK\" }\n",
    );
    let ran = run(&place, &key(1), "channels login my-hook", SECRET);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("write secret = { stored = \"MY_HOOK_SECRET\" }"), "{ran:?}");
    assert_eq!(run(&place, &key(1), "channels login hoo", SECRET).code, 2);
}

#[test]
fn a_login_takes_no_secret_that_cannot_be_one() {
    let place = place(9);
    let ran = run(&place, &key(1), "channels login hook", "whsec_n0t base64!");
    assert!(ran.code == 1 && ran.err.contains("nothing was stored"), "{ran:?}");
    assert!(!ran.err.contains("n0t"), "{ran:?}");
    assert_eq!(run(&place, &key(1), "channels login hook", SECRET).code, 0);
}
