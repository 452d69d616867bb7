//! People who sign up: a request over HTTP, and how long its answer took.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a person was told.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    /// Welcome, after that time.
    Welcome(Duration),
    /// An error, or nothing at all.
    TurnedAway,
}

/// Signs up, once: an error is not asked again.
pub(crate) async fn sign_up(application: SocketAddr, email: String) -> Answer {
    let asked = Instant::now();
    match post(application, &email).await {
        Ok(reply) if reply.starts_with("HTTP/1.1 201") => Answer::Welcome(asked.elapsed()),
        _ => Answer::TurnedAway,
    }
}

async fn post(application: SocketAddr, email: &str) -> std::io::Result<String> {
    let body = serde_json::json!({ "email": email }).to_string();
    let request = format!(
        "POST /signup HTTP/1.1\r\nHost: {application}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(application).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    Ok(reply)
}

/// The answer in the middle, by time.
pub(crate) fn median(answers: &[Answer]) -> Option<Duration> {
    let mut times: Vec<Duration> = answers
        .iter()
        .filter_map(|answer| if let Answer::Welcome(took) = answer { Some(*took) } else { None })
        .collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
