//! Webhooks against a server of the test's own: signed, sent once, and repeated with the same id and bytes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use held_port::HeldPort;
use onceward::Time;
use onceward_publish::channels::webhook::{Headers, Key, verify};
use serde_json::Value;

use crate::site::{Said, Site, post};

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// Answers each request with the next text, the last one for ever; an empty one cuts the connection.
fn server(answers: &'static [&'static str]) -> (u16, Receiver<Arrival>) {
    serve(|n, _| answers[n.min(answers.len() - 1)].to_owned())
}

/// Answers each request, counted from 0, as it is told to.
pub(crate) fn serve(
    mut answer: impl FnMut(usize, &Arrival) -> String + Send + 'static,
) -> (u16, Receiver<Arrival>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (to, arrivals) = channel();
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let Some(arrival) = receive(&stream) else { continue };
            let text = answer(n, &arrival);
            if to.send(arrival).is_err() {
                return;
            }
            stream.write_all(text.as_bytes()).unwrap();
        }
    });
    (port, arrivals)
}

fn receive(stream: &TcpStream) -> Option<Arrival> {
    let mut reader = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.to_owned()),
            None if line.trim().is_empty() => break,
            None => continue,
        };
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Arrival { headers, body })
}

fn site(port: u16) -> Site {
    let config = format!(
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/in\"\nsecret = {{ env = \"HOOK\" }}\n\
         timeout = \"1s\"\nretry = {{ base = \"100ms\", max_attempts = 2 }}\n"
    );
    let site = Site::new(&config).with("HOOK", SECRET);
    site.write("a.md", post("title: A", "Text for the hook."));
    site
}

fn verified(arrival: &Arrival) {
    let header = |name: &str| arrival.headers.get(name).map(String::as_str).unwrap_or_default();
    let headers = Headers {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
    };
    verify(&Key::parse(SECRET).unwrap(), headers, &arrival.body, Time::now()).unwrap();
}

fn error(said: &Said) -> Value {
    said.job("a", "hook")["error"]["code"].clone()
}

const OK: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";

#[test]
fn a_webhook_is_signed_and_sent_once() {
    let (port, arrivals) = server(&[OK]);
    let site = site(port);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
    assert_eq!(site.publish(&["a.md"]).total("skipped"), 1);
    let arrival = arrivals.recv().unwrap();
    verified(&arrival);
    let body: Value = serde_json::from_slice(&arrival.body).unwrap();
    assert_eq!((&body["type"], &body["data"]["id"]), (&"content.published".into(), &"a".into()));
    assert_eq!(body["data"]["text"], "Text for the hook.");
    assert!(arrivals.try_recv().is_err());
}

#[test]
fn a_lost_answer_is_repeated_with_the_same_id_and_the_same_bytes() {
    let (port, arrivals) = server(&["", OK]);
    let said = site(port).publish(&["a.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
    let (first, second) = (arrivals.recv().unwrap(), arrivals.recv().unwrap());
    assert_eq!(first.headers["webhook-id"], second.headers["webhook-id"]);
    assert_eq!(first.body, second.body);
    verified(&first);
    verified(&second);
    assert!(arrivals.try_recv().is_err());
}

#[test]
fn a_server_error_is_repeated_in_the_same_way() {
    let (port, arrivals) =
        server(&["HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", OK]);
    let said = site(port).publish(&["a.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
    let (first, second) = (arrivals.recv().unwrap(), arrivals.recv().unwrap());
    assert_eq!((&first.headers["webhook-id"], &first.body), (&second.headers["webhook-id"], &second.body));
}

#[test]
fn a_refusal_is_dead_at_once_with_the_receivers_own_words() {
    let (port, arrivals) =
        server(&["HTTP/1.1 422 No\r\ncontent-length: 9\r\nconnection: close\r\n\r\nno emojis"]);
    let site = site(port);
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("dead"), error(&said)), (3, 1, "http_422".into()), "{said:?}");
    assert!(said.job("a", "hook")["error"]["text"].as_str().unwrap().contains("\"no emojis\""), "{said:?}");
    assert!(said.stderr.ends_with("1 dead: onceward dead list\n"), "{said:?}");
    let again = site.publish(&["a.md"]);
    assert_eq!((again.code, again.total("skipped"), again.total("dead")), (3, 1, 1), "{again:?}");
    assert!(arrivals.recv().is_ok() && arrivals.try_recv().is_err());
}

#[test]
fn a_closed_address_is_named_as_such() {
    let (port, _arrivals) = server(&["HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"]);
    let said = site(port).publish(&["a.md"]);
    assert_eq!((said.code, error(&said)), (3, "http_410".into()), "{said:?}");
}

#[test]
fn nobody_there_is_not_sent_and_waits_without_doubt() {
    let nobody = HeldPort::new().unwrap();
    let said = site(nobody.number()).publish(&["a.md", "--patience", "1s"]);
    assert_eq!((said.code, said.total("pending"), said.total("checking")), (5, 1, 0), "{said:?}");
    assert_eq!(error(&said), "connect_refused");
    assert!(!format!("{said:?}").contains(SECRET.trim_start_matches("whsec_")));
}

#[test]
fn a_dead_post_is_sent_by_revive() {
    let (port, arrivals) = server(&["HTTP/1.1 400 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", OK]);
    let site = site(port);
    assert_eq!(site.publish(&["a.md"]).code, 3);
    let said = site.publish(&["a.md", "--revive"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
    assert_eq!(arrivals.iter().take(2).count(), 2);
}

/// Each refusal is an answer, and none of them moves the post.
#[test]
fn a_receiver_that_always_asks_to_wait_ends_the_patience() {
    const LATER: &str =
        "HTTP/1.1 429 Slow\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (port, arrivals) = server(&[LATER; 60]);
    let said = site(port).publish(&["a.md", "--patience", "3s"]);
    assert_eq!((said.code, said.total("pending")), (5, 1), "{said:?}");
    let asked = arrivals.try_iter().count();
    assert!((2..15).contains(&asked), "{asked}");
}
