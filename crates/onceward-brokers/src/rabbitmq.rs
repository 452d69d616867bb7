//! RabbitMQ: `amqp://USER@HOST/VHOST?queue=QUEUE` to hand over to and to take from, `?exchange=E&key=K` to hand over to
//! an exchange. `amqps://` is TLS.
//!
//! Queues and exchanges are the operator's: nothing here makes one. A quorum queue keeps what it confirmed as long as
//! most of its nodes have their disks; a classic queue has one node.

mod source;
mod target;

use std::time::Duration;

use lapin::{Channel, Connection, ConnectionProperties};
use onceward::{Cause, Error};
use tokio::sync::Mutex;

pub use self::source::{RabbitSource, SourceAt};
pub use self::target::{RabbitTarget, TargetAt};
use crate::address::{Address, wrong};

/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_secs(10);

/// Where a server is, and how to be let in. It holds the password, and is never shown.
#[derive(Clone)]
struct Server {
    uri: String,
    shown: String,
    /// Host, port and virtual host: two servers may have queues of one name.
    place: String,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("at", &self.shown).finish_non_exhaustive()
    }
}

fn parse(text: &str, parameters: &[&str]) -> Result<(Server, Address), Error> {
    let address = Address::parse(text, &["amqp", "amqps"], parameters)?;
    if address.path().len() > 1 {
        return Err(wrong("expected one virtual host in the path; write a / in it as %2F".to_owned()));
    }
    let uri = address.url.as_str().trim_end_matches('/').to_owned();
    let (scheme, host) = (address.url.scheme(), address.url.host_str().unwrap_or_default());
    let place = match address.url.port() {
        Some(port) => format!("{host}:{port}/{}", address.path().concat()),
        None => format!("{host}/{}", address.path().concat()),
    };
    Ok((Server { uri, shown: format!("{scheme}://{place}"), place }, address))
}

/// A channel with its connection, which ends when both are dropped.
#[derive(Debug)]
struct Open {
    channel: Channel,
    _connection: Connection,
}

/// One connection, made when it is needed and dropped when it failed.
#[derive(Debug)]
struct Link<T> {
    server: Server,
    name: String,
    open: Mutex<Option<T>>,
}

impl Server {
    async fn connect(&self, name: &str) -> Result<Open, Cause> {
        let name = format!("onceward {name}");
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let connecting = async {
            let connection = Connection::connect(&self.uri, properties).await?;
            Ok::<_, lapin::Error>(Open {
                channel: connection.create_channel().await?,
                _connection: connection,
            })
        };
        in_time(connecting).await
    }
}

/// The answer, or why there is none.
async fn in_time<T>(answer: impl Future<Output = lapin::Result<T>>) -> Result<T, Cause> {
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(answer) => answer.map_err(|error| failed(&error)),
        Err(_) => Err(Cause::new("timeout", "RabbitMQ does not answer").outage()),
    }
}

/// The server, or the way to it: every failure of ours is tried again on a new connection.
fn failed(error: &lapin::Error) -> Cause {
    Cause::new("rabbitmq", error.to_string()).outage()
}
