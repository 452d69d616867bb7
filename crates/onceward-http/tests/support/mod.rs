//! A peer on loopback that misbehaves as told, and remembers what reached it.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward_http::{Builder, Client, Looking, Lookup, SendFailure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the peer does after it has read a request.
#[derive(Clone)]
pub enum Act {
    /// Never answers, keeps the connection open.
    Hang,
    /// Resets the connection without an answer.
    Reset,
    /// Writes these bytes and closes.
    Write(Vec<u8>),
    /// Writes these bytes and keeps the connection for the next request.
    Keep(Vec<u8>),
    /// Writes these bytes and resets the connection.
    WriteThenReset(Vec<u8>),
    /// Writes these bytes, then one more every few milliseconds for ever.
    Drip(Vec<u8>),
    /// Answers 200 with the request itself as the body.
    Echo,
}

pub struct Peer {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
}

impl Peer {
    /// A peer that acts the same way on every request.
    pub async fn start(act: Act) -> Peer {
        Peer::script("127.0.0.1:0", vec![act]).await
    }

    /// A peer that takes one act per request, the last one for ever.
    pub async fn script(bind: &str, acts: Vec<Act>) -> Peer {
        let listener = TcpListener::bind(bind).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(Mutex::new(0));
        let (seen, opened) = (Arc::clone(&requests), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                *opened.lock().unwrap() += 1;
                tokio::spawn(serve(socket, acts.clone(), Arc::clone(&seen)));
            }
        });
        Peer { address, requests, connections }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests that arrived whole, as text.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

async fn serve(mut socket: TcpStream, acts: Vec<Act>, seen: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut socket).await {
        let turn = {
            let mut seen = seen.lock().unwrap();
            seen.push(request.clone());
            seen.len() - 1
        };
        let act = acts.get(turn).or(acts.last()).cloned().unwrap();
        if !perform(&mut socket, act, &request).await {
            return;
        }
    }
}

/// Whether the connection goes on.
async fn perform(socket: &mut TcpStream, act: Act, request: &str) -> bool {
    match act {
        Act::Hang => std::future::pending().await,
        Act::Reset => {
            socket.set_zero_linger().unwrap();
            false
        }
        Act::Write(bytes) => {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
            false
        }
        Act::Keep(bytes) => socket.write_all(&bytes).await.is_ok(),
        Act::WriteThenReset(bytes) => {
            let _ = socket.write_all(&bytes).await;
            socket.set_zero_linger().unwrap();
            false
        }
        Act::Drip(bytes) => {
            let mut pace = tokio::time::interval(Duration::from_millis(5));
            let mut alive = socket.write_all(&bytes).await.is_ok();
            while alive {
                pace.tick().await;
                alive = socket.write_all(b"x").await.is_ok();
            }
            false
        }
        Act::Echo => {
            let _ = socket.write_all(&ok(request.as_bytes())).await;
            true
        }
    }
}

/// One request, head and body, or nothing at the end of the connection.
async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length:").map(|n| n.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// A whole 200 answer.
pub fn ok(body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// A client that soon gives up connecting, for peers that never let it.
pub fn hasty_to_connect() -> Builder {
    Client::builder().connect_deadline(Duration::from_millis(150))
}

/// A client that soon gives up waiting, for peers that never finish.
pub fn hasty_to_end() -> Builder {
    Client::builder().request_deadline(Duration::from_millis(700))
}

/// The failure's whole visible surface: both texts of it and of everything beneath it.
pub fn surface(failure: &SendFailure) -> String {
    let mut text = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(failure);
    while let Some(error) = next {
        let _ = writeln!(text, "{error} | {error:?} | {error:#?}");
        next = error.source();
    }
    text
}

/// A name system that answers from a list, one entry per question, the last one for ever; an empty list never
/// answers.
#[derive(Clone, Default)]
pub struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    pub fn new(answers: &[&[&str]]) -> Names {
        let parse = |addresses: &&[&str]| addresses.iter().map(|text| text.parse().unwrap()).collect();
        Names { answers: answers.iter().map(parse).collect(), asked: Arc::default() }
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Lookup for Names {
    fn lookup(&self, host: String) -> Looking {
        let turn = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(host);
            asked.len() - 1
        };
        match self.answers.get(turn).or(self.answers.last()).cloned() {
            Some(addresses) => Box::pin(async move { Ok(addresses) }),
            None => Box::pin(std::future::pending()),
        }
    }
}

/// A name system that fails.
pub struct NoNames;

impl Lookup for NoNames {
    fn lookup(&self, _host: String) -> Looking {
        Box::pin(async { Err(io::Error::other("the resolver is on fire")) })
    }
}
