//! A server that answers by a script, one act for each request, and keeps what it was asked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::Verdict;

/// What it does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Answer(u16, Json),
    /// Resets the connection.
    Reset,
    /// Never answers.
    Hang,
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    /// The last part of the path.
    pub(crate) fn method(&self) -> &str {
        let path = self.head.split(' ').nth(1).unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) struct Script {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<Mutex<usize>>,
}

impl Script {
    /// Follows the acts; after the last one, every connection is reset.
    pub(crate) async fn start(acts: impl IntoIterator<Item = Act>) -> Verdict<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let script = Self { address, asked: Arc::default(), connections: Arc::default() };
        let acts = Arc::new(Mutex::new(acts.into_iter().collect::<VecDeque<_>>()));
        let (asked, connections) = (Arc::clone(&script.asked), Arc::clone(&script.connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *connections.lock().unwrap() += 1;
                tokio::spawn(follow(stream, Arc::clone(&acts), Arc::clone(&asked)));
            }
        });
        Ok(script)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

async fn follow(mut stream: TcpStream, acts: Arc<Mutex<VecDeque<Act>>>, asked: Arc<Mutex<Vec<Asked>>>) {
    while let Some(request) = request(&mut stream).await {
        asked.lock().unwrap().push(request);
        let act = acts.lock().unwrap().pop_front().unwrap_or(Act::Reset);
        match act {
            Act::Answer(status, body) => {
                let body = body.to_string();
                let answer = format!(
                    "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                if stream.write_all(answer.as_bytes()).await.is_err() {
                    return;
                }
            }
            Act::Reset => {
                let _ = stream.set_zero_linger();
                return;
            }
            Act::Hang => std::future::pending().await,
        }
    }
}

async fn request(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let body = &bytes[end + 4..];
            if body.len() >= length.unwrap_or(0) {
                return Some(Asked { head, body: body.to_vec() });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
