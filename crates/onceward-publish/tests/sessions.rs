//! Bluesky's session: one for all processes that share a store. Its refresh token is good once, as at the real server.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use onceward::{Failure, Onceward, Time};
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::migrate;
use onceward_publish::vault::{Keys, Sessions, Vault};
use serde_json::{Value, json};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

/// How often each method was called; the token that is good now; for how long it lasts.
#[derive(Debug, Default)]
struct Desk {
    calls: HashMap<String, usize>,
    made: usize,
    lasts: u64,
    down: bool,
}

impl Desk {
    fn answer(&mut self, method: &str, bearer: &str) -> (u16, Value) {
        *self.calls.entry(method.to_owned()).or_default() += 1;
        let good = format!("refresh-{}", self.made);
        match method {
            _ if self.down => (503, json!({ "error": "Down", "message": "down" })),
            "com.atproto.server.getSession" => (200, json!({ "did": "did:plc:x", "handle": "me.test" })),
            "com.atproto.server.refreshSession" if bearer != good => {
                (400, json!({ "error": "ExpiredToken", "message": "Token has been revoked" }))
            }
            _ => {
                self.made += 1;
                let ends = Time::now().after(Duration::from_secs(self.lasts)).micros() / 1_000_000;
                let access =
                    format!("e30.{}.{}", URL_SAFE_NO_PAD.encode(format!("{{\"exp\":{ends}}}")), self.made);
                let refresh = format!("refresh-{}", self.made);
                (
                    200,
                    json!({ "did": "did:plc:x", "accessJwt": access, "refreshJwt": refresh, "handle": "me.test" }),
                )
            }
        }
    }
}

/// A server that ends with the test.
fn server(lasts: u64) -> (String, Arc<Mutex<Desk>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let desk = Arc::new(Mutex::new(Desk { lasts, ..Desk::default() }));
    let shared = desk.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let desk = shared.clone();
            std::thread::spawn(move || serve(&stream.unwrap(), &desk));
        }
    });
    (url, desk)
}

fn serve(stream: &TcpStream, desk: &Mutex<Desk>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut method, mut bearer, mut length) = (String::new(), String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if method.is_empty() {
                line.split(['/', ' ', '?'])
                    .find(|word| word.starts_with("com."))
                    .unwrap_or("?")
                    .clone_into(&mut method);
            }
            match line.split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().ok()?;
                }
                Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                    value.trim_start_matches("Bearer ").clone_into(&mut bearer);
                }
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let (status, body) = desk.lock().unwrap().answer(&method, &bearer);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        (&mut &*stream).write_all(format!("{head}{body}").as_bytes()).ok()?;
    }
}

fn calls(desk: &Mutex<Desk>, method: &str) -> usize {
    desk.lock().unwrap().calls.get(&format!("com.atproto.server.{method}")).copied().unwrap_or_default()
}

/// The channel as one process has it.
async fn channel(url: &str, store: &str, key: u8) -> Tried<BlueskyChannel> {
    let once = Onceward::open(store).await?;
    migrate(&once).await?;
    let vault = Vault::open(&once, Keys::parse(&format!("{key:02x}").repeat(32))?).await?;
    let slot = Sessions::kept(vault).slot("sky", &[url, "me.test"]);
    let client = Client::builder().build()?;
    let timeout = Duration::from_secs(10);
    Ok(BlueskyChannel::new(url, "me.test", "app-password".into(), vec![], slot, client, timeout)?)
}

fn store() -> Tried<(tempfile::TempDir, String)> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}/test.db", folder.path().display());
    Ok((folder, url))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_processes_log_in_once_and_use_each_refresh_token_once() -> Tried<()> {
    let ((url, desk), (_folder, store)) = (server(60), store()?);
    // Its sessions end within the margin, so that each act renews.
    let (one, other) = (Arc::new(channel(&url, &store, 1).await?), Arc::new(channel(&url, &store, 1).await?));
    let mut acts = tokio::task::JoinSet::new();
    for n in 0..12 {
        let channel = if n % 2 == 0 { one.clone() } else { other.clone() };
        acts.spawn(async move { channel.check().await.map(|checked| checked.account) });
    }
    for account in acts.join_all().await {
        assert_eq!(account.unwrap().as_deref(), Some("did:plc:x"));
    }
    // A second use of a refresh token would have been refused, and answered by another log-in.
    assert_eq!(calls(&desk, "createSession"), 1);
    channel(&url, &store, 1).await?.check().await.unwrap();
    assert_eq!(calls(&desk, "createSession"), 1, "a restart logs in to nothing");
    Ok(())
}

#[tokio::test]
async fn a_session_that_lasts_is_taken_up_by_the_next_process() -> Tried<()> {
    let ((url, desk), (_folder, store)) = (server(3600), store()?);
    for _ in 0..3 {
        channel(&url, &store, 1).await?.check().await.unwrap();
    }
    assert_eq!((calls(&desk, "createSession"), calls(&desk, "refreshSession")), (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_server_that_is_down_has_revoked_nothing() -> Tried<()> {
    let ((url, desk), (_folder, store)) = (server(60), store()?);
    let sky = channel(&url, &store, 1).await?;
    sky.check().await.unwrap();
    desk.lock().unwrap().down = true;
    assert!(matches!(sky.check().await, Err(Failure::Transient { .. })));
    desk.lock().unwrap().down = false;
    sky.check().await.unwrap();
    assert_eq!(calls(&desk, "createSession"), 1);
    Ok(())
}

#[tokio::test]
async fn with_another_key_nothing_is_asked_and_the_owner_is_told() -> Tried<()> {
    let ((url, desk), (_folder, store)) = (server(3600), store()?);
    channel(&url, &store, 1).await?.check().await.unwrap();
    let failure = channel(&url, &store, 2).await?.check().await.unwrap_err();
    assert_eq!((failure.class(), failure.cause().code.as_ref()), ("auth_needed", "key_missing"));
    assert_eq!((calls(&desk, "createSession"), calls(&desk, "getSession")), (1, 1));
    Ok(())
}
