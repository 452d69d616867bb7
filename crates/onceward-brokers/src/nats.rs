//! NATS with JetStream: `nats://HOST:PORT/SUBJECT` to hand over to, `nats://HOST:PORT/STREAM/CONSUMER` to take from.
//!
//! Streams are the operator's: nothing here makes one. **A message that JetStream has acknowledged may be lost**: it is
//! in the page cache, and the server syncs it to the disk every `sync_interval`, two minutes unless told otherwise.

mod source;
mod target;

use std::path::PathBuf;
use std::time::Duration;

use async_nats::{Client, ConnectOptions};
use onceward::{Cause, Error};

pub use self::source::{NatsSource, SourceAt};
pub use self::target::{NatsTarget, TargetAt};
use crate::address::{Address, decoded, wrong};

/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_secs(5);

/// Where a server is, and how to be let in.
#[derive(Clone)]
struct Server {
    url: String,
    user: Option<(String, String)>,
    token: Option<String>,
    credentials: Option<PathBuf>,
    tls: bool,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The server and the parts of the path. `?creds=FILE` names a file of credentials, `?tls=on` demands TLS.
fn parse(text: &str) -> Result<(Server, Vec<String>), Error> {
    let mut address = Address::parse(text, &["nats"], &["creds", "tls"])?;
    let tls = match address.take("tls").as_deref() {
        None | Some("off") => false,
        Some("on") => true,
        Some(_) => return Err(wrong("?tls: expected on or off".to_owned())),
    };
    let (url, path) = (&address.url, address.path());
    let name = decoded(url.username());
    let password = url.password().map(decoded);
    let (user, token) = match (name.is_empty(), password) {
        (true, _) => (None, None),
        (false, Some(password)) => (Some((name, password)), None),
        (false, None) => (None, Some(name)),
    };
    let host = url.host_str().unwrap_or_default();
    let port = url.port().unwrap_or(4222);
    let url = format!("nats://{host}:{port}");
    Ok((Server { url, user, token, credentials: address.take("creds").map(PathBuf::from), tls }, path))
}

impl Server {
    /// Connects, now or as soon as it can; from then on the connection is made anew by itself.
    async fn connect(&self, name: &str) -> Result<Client, Error> {
        let mut options = ConnectOptions::new()
            .name(format!("onceward {name}"))
            .require_tls(self.tls)
            .request_timeout(Some(ANSWER))
            .retry_on_initial_connect();
        if let Some((user, password)) = &self.user {
            options = options.user_and_password(user.clone(), password.clone());
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(file) = &self.credentials {
            let text = tokio::fs::read_to_string(file).await;
            let text = text.map_err(|error| wrong(format!("?creds={}: {error}", file.display())))?;
            options = options.credentials(&text).map_err(|_| {
                wrong(format!("?creds={}: expected a JWT and a seed, as `nsc` writes them", file.display()))
            })?;
        }
        options.connect(&self.url).await.map_err(|error| wrong(format!("{}: {error}", self.url)))
    }
}

/// The server cannot be reached or does not answer.
fn away(error: impl std::fmt::Display) -> Cause {
    Cause::new("nats", error.to_string()).outage()
}
