//! `onceward sandbox`: starts, tells where it is, stops, goes on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::Place;

struct Running {
    child: Child,
    /// What it printed: one document.
    says: Value,
}

impl Running {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&[&["sandbox", "--json"], args].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, says: serde_json::from_str(&line).unwrap() }
    }

    fn get(&self, path: &str) -> String {
        let host = self.says["page"].as_str().unwrap().trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn stop(&mut self, signal: &str) -> i32 {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Running {
    /// A test that failed leaves nothing running.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_tells_where_it_is_and_stops_when_asked() {
    let place = Place::new("");
    let mut sandbox = Running::start(&place, &[]);
    assert!(sandbox.get("/").contains("<h1>Sandbox</h1>"));
    let platforms = sandbox.says["platforms"].as_object().unwrap();
    assert!(platforms["mastodon"].as_str().unwrap().ends_with("/mastodon"));
    assert!(platforms["email"].as_str().unwrap().starts_with("smtp://127.0.0.1:"));
    assert_eq!(sandbox.stop("-TERM"), 143);
    let mut only = Running::start(&place, &["--platforms", "slack"]);
    assert_eq!(only.says["platforms"].as_object().unwrap().len(), 1);
    assert_eq!(only.stop("-INT"), 130);
}

#[test]
fn its_snippet_is_a_configuration_whose_channels_reach_it() {
    let place = Place::new("");
    let mut sandbox = Running::start(&place, &[]);
    std::fs::write(place.path("onceward.toml"), sandbox.says["config"].as_str().unwrap()).unwrap();
    std::fs::write(place.path(".env"), sandbox.says["env"].as_str().unwrap()).unwrap();
    let checked = place.command(&["channels", "check", "--json"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    std::fs::write(place.path("a.md"), "---\ntitle: Hello\n---\nHello.\n").unwrap();
    let sent = place.command(&["publish", "a.md", "--json"]).output().unwrap();
    assert_eq!(sent.status.code(), Some(0), "{sent:?}");
    assert!(sandbox.get("/").contains("Hello."));
    let document: Value = serde_json::from_slice(&sent.stdout).unwrap();
    let jobs = document["contents"][0]["jobs"].as_array().unwrap();
    assert!(jobs.iter().any(|job| job["channel"] == "slack-hook" && job["state"] == "done"), "{document}");
    sandbox.stop("-TERM");
}

#[test]
fn it_keeps_its_ledger_and_takes_a_file_of_faults() {
    let place = Place::new("");
    std::fs::write(place.path("faults.toml"), "[[fault]]\nkind = \"refuse\"\nact = \"account\"\n").unwrap();
    let args = ["--state", "kept.jsonl", "--faults", "faults.toml"];
    let mut first = Running::start(&place, &args);
    assert!(first.get("/mastodon/api/v1/accounts/verify_credentials").starts_with("HTTP/1.1 503 "));
    first.stop("-TERM");
    let mut second = Running::start(&place, &args);
    assert!(second.get("/-/ledger").contains("\"act\":\"account\""));
    second.stop("-TERM");
}

#[test]
fn what_it_cannot_do_is_said() {
    let place = Place::new("");
    std::fs::write(place.path("faults.toml"), "[[fault]]\nkind = \"hnag\"\n").unwrap();
    for (args, code, says) in [
        (["--platforms", "myspace"], 2, "myspace"),
        (["--faults", "faults.toml"], 2, "hnag"),
        (["--faults", "none.toml"], 1, "none.toml"),
    ] {
        let said = place.command(&[&["sandbox"][..], &args].concat()).output().unwrap();
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.code() == Some(code) && error.contains(says), "{said:?}");
    }
}

#[test]
fn it_says_what_needs_no_stand_in() {
    let place = Place::new("");
    let mut child = place.command(&["sandbox"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut told = String::new();
    out.read_line(&mut told).unwrap();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    out.read_to_string(&mut told).unwrap();
    child.wait().unwrap();
    assert!(told.contains("\nFeeds and archives need no stand-in: "), "{told}");
}
