//! A plain client: writes a request, reads what comes back, and says how it ended.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use onceward_sandbox::{Fault, Options, Sandbox};
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub bytes: Vec<u8>,
    /// In how many pieces it came.
    pub pieces: usize,
    /// How the connection ended.
    pub end: End,
}

#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Closed,
    Reset,
    /// Nothing came for a while.
    Silent,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn status(&self) -> u16 {
        self.text().split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let text = self.text();
        let head = text.split("\r\n\r\n").next()?;
        head.lines().find_map(|line| {
            let (have, value) = line.split_once(':')?;
            have.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    pub fn body(&self) -> String {
        self.text().split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// How long silence is waited for: long enough for a loopback server to write a byte that it means to write.
const PATIENCE: Duration = Duration::from_millis(400);

pub async fn sandbox() -> Sandbox {
    Sandbox::start(Options::default()).await.unwrap()
}

/// Sends one request to a path such as `/mastodon/api/v1/statuses`.
pub async fn send(
    sandbox: &Sandbox,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let mut stream = TcpStream::connect(sandbox.address()).await.unwrap();
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", sandbox.address());
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "content-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    read(&mut stream).await
}

async fn read(stream: &mut TcpStream) -> Reply {
    let (mut bytes, mut pieces, mut piece) = (Vec::new(), 0, [0; 4096]);
    loop {
        let end = match tokio::time::timeout(PATIENCE, stream.read(&mut piece)).await {
            Ok(Ok(0)) => End::Closed,
            Ok(Ok(count)) => {
                pieces += 1;
                bytes.extend_from_slice(&piece[..count]);
                continue;
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset => End::Reset,
            Ok(Err(error)) => panic!("{error}"),
            Err(_) => End::Silent,
        };
        return Reply { bytes, pieces, end };
    }
}

/// Posts a status to one of the Mastodon servers, with a key.
pub async fn toot(sandbox: &Sandbox, server: &str, key: &str, text: &str) -> Reply {
    let headers =
        [("authorization", "Bearer a-token"), ("content-type", "application/json"), ("idempotency-key", key)];
    let body = serde_json::json!({ "status": text }).to_string();
    send(sandbox, "POST", &format!("/{server}/api/v1/statuses"), &headers, body.as_bytes()).await
}

/// Reads with the same token.
pub async fn get(sandbox: &Sandbox, path: &str) -> Reply {
    send(sandbox, "GET", path, &[("authorization", "Bearer a-token")], b"").await
}

/// Posts JSON with the same token.
pub async fn post(sandbox: &Sandbox, path: &str, body: &Json) -> Reply {
    let headers = [("authorization", "Bearer a-token"), ("content-type", "application/json")];
    send(sandbox, "POST", path, &headers, body.to_string().as_bytes()).await
}

/// How many posts were accepted on a platform after one request met this fault.
pub async fn met(fault: Fault) -> (Reply, usize, Sandbox) {
    let sandbox = sandbox().await;
    sandbox.fault(fault);
    let reply = toot(&sandbox, "mastodon", "k", "text").await;
    let accepted = sandbox.ledger().visible("mastodon").count();
    (reply, accepted, sandbox)
}
