//! Messages of a durable consumer become jobs.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::pull::{Batch, Config};
use async_nats::jetstream::consumer::{AckPolicy, Consumer};
use async_nats::jetstream::{self, AckKind, Context, Message};
use futures_util::StreamExt;
use onceward::{Cause, Error, Time};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{ANSWER, Server, away, parse};
use crate::address::wrong;
use crate::source::{Delivery, Incoming, Source};

/// How long a message is ours unless we say that it is still worked on, for consumers that are made here.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// Messages that are on their way to us at once, for consumers that are made here.
const UNACKNOWLEDGED: i64 = 10_000;

/// `nats://HOST:PORT/STREAM/CONSUMER`.
#[derive(Debug, Clone)]
pub struct SourceAt {
    server: Server,
    stream: String,
    consumer: String,
}

impl SourceAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (server, path) = parse(url)?;
        let is_name = |text: &String| !text.contains(|c: char| c.is_whitespace() || ".*>\\".contains(c));
        match path.as_slice() {
            [stream, consumer] if is_name(stream) && is_name(consumer) => {
                Ok(Self { server, stream: stream.clone(), consumer: consumer.clone() })
            }
            _ => {
                let expected =
                    "expected nats://HOST:PORT/STREAM/CONSUMER, such as nats://127.0.0.1:4222/JOBS/onceward";
                Err(wrong(expected.to_owned()))
            }
        }
    }
}

/// A durable pull consumer of a stream; several processes may share it.
#[derive(Debug)]
pub struct NatsSource {
    name: String,
    at: SourceAt,
    client: Client,
    jetstream: Context,
    opened: Mutex<Option<Opened>>,
    ack_wait: Duration,
}

/// A consumer that was found.
#[derive(Debug, Clone)]
struct Opened {
    consumer: Consumer<Config>,
    /// The stream's name and when it was made: with the number of a message in it, a name that is never given again.
    stream: String,
}

impl NatsSource {
    /// A source under a name for status and logs. The consumer is made when it is not there; the stream must be. A
    /// server that is away now is found later.
    ///
    /// # Errors
    /// `Invalid` when a file of credentials cannot be read.
    pub async fn open(name: impl Into<String>, at: &SourceAt) -> Result<Self, Error> {
        let name = name.into();
        let client = at.server.connect(&name).await?;
        let jetstream = jetstream::context::ContextBuilder::new().timeout(ANSWER).build(client.clone());
        Ok(Self { name, at: at.clone(), client, jetstream, opened: Mutex::default(), ack_wait: ACK_WAIT })
    }

    /// How long a message is ours unless extended, for a consumer that is made here. 30 seconds.
    #[must_use]
    pub fn ack_wait(mut self, time: Duration) -> Self {
        self.ack_wait = time;
        self
    }

    async fn opened(&self) -> Result<Opened, Cause> {
        let mut opened = self.opened.lock().await;
        if let Some(opened) = &*opened {
            return Ok(opened.clone());
        }
        let fresh = self.find().await?;
        *opened = Some(fresh.clone());
        Ok(fresh)
    }

    async fn find(&self) -> Result<Opened, Cause> {
        let stream = self.jetstream.get_stream(&self.at.stream).await.map_err(away)?;
        let made = stream.cached_info().created;
        let wanted = Config {
            durable_name: Some(self.at.consumer.clone()),
            ack_wait: self.ack_wait,
            max_ack_pending: UNACKNOWLEDGED,
            ..Config::default()
        };
        let consumer = stream.get_or_create_consumer(&self.at.consumer, wanted).await.map_err(away)?;
        self.check(&consumer)?;
        let stream = format!("nats:{}:{}", self.at.stream, made.unix_timestamp_nanos());
        Ok(Opened { consumer, stream })
    }

    /// A consumer that somebody made must not lose what we cannot take at once.
    fn check(&self, consumer: &Consumer<Config>) -> Result<(), Cause> {
        let config = &consumer.cached_info().config;
        let wrong = if config.ack_policy != AckPolicy::Explicit {
            "acknowledges by itself; expected the policy `explicit`"
        } else if config.max_deliver > 0 {
            "gives up after some deliveries (`max_deliver`); expected none"
        } else {
            return Ok(());
        };
        Err(Cause::new("consumer", format!("consumer {} {wrong}", self.at.consumer)))
    }

    async fn fetch(&self, opened: &Opened, most: usize, wait: Duration) -> Result<Vec<Message>, Cause> {
        let mut messages = self.ready(opened, most).await?;
        if messages.is_empty() {
            let one = opened.consumer.batch().max_messages(1).expires(wait).messages().await;
            messages = all(one.map_err(away)?).await?;
            if !messages.is_empty() && most > 1 {
                messages.extend(self.ready(opened, most - 1).await?);
            }
        }
        Ok(messages)
    }

    /// What waits now. With an `expires`, the server would wait for a whole batch.
    async fn ready(&self, opened: &Opened, most: usize) -> Result<Vec<Message>, Cause> {
        let ready = opened.consumer.fetch().max_messages(most).messages().await;
        all(ready.map_err(away)?).await
    }

    async fn answer(&self, tags: &[&Message], kind: AckKind) -> Result<(), Cause> {
        for message in tags {
            message.ack_with(kind).await.map_err(away)?;
        }
        // Written to the socket, at least. One that is lost only means a repeat.
        tokio::time::timeout(ANSWER, self.client.flush())
            .await
            .map_err(|_| away("the server does not take our answers"))?
            .map_err(away)
    }
}

/// All that one request brings; what came before it failed is ours.
async fn all(mut batch: Batch) -> Result<Vec<Message>, Cause> {
    let mut messages = Vec::new();
    let deadline = Instant::now() + ANSWER;
    loop {
        match tokio::time::timeout_at(deadline, batch.next()).await {
            Ok(Some(Ok(message))) => messages.push(message),
            Ok(None) => return Ok(messages),
            _ if !messages.is_empty() => return Ok(messages),
            Ok(Some(Err(error))) => return Err(away(error)),
            Err(_) => return Err(away("the server does not answer")),
        }
    }
}

fn incoming(message: &Message, stream: &str) -> Incoming {
    let mut headers = BTreeMap::new();
    for (name, values) in message.headers.iter().flat_map(async_nats::HeaderMap::iter) {
        if let Some(value) = values.last() {
            headers.insert(name.to_string().to_ascii_lowercase(), value.to_string());
        }
    }
    let info = message.info().ok();
    let published =
        info.as_ref().and_then(|info| i64::try_from(info.published.unix_timestamp_nanos() / 1000).ok());
    Incoming {
        body: message.payload.to_vec(),
        headers,
        id: info.map(|info| format!("{stream}:{}", info.stream_sequence)),
        published: published.map(Time::from_micros),
    }
}

impl Source for NatsSource {
    type Tag = Message;

    fn name(&self) -> &str {
        &self.name
    }

    fn extend_every(&self) -> Option<Duration> {
        let opened = self.opened.try_lock().ok()?;
        let ack_wait = opened.as_ref()?.consumer.cached_info().config.ack_wait;
        Some(ack_wait / 3)
    }

    async fn receive(&self, most: usize, wait: Duration) -> Result<Vec<Delivery<Message>>, Cause> {
        let opened = self.opened().await?;
        match self.fetch(&opened, most, wait).await {
            Ok(messages) => {
                let delivery =
                    |message| Delivery { message: incoming(&message, &opened.stream), tag: message };
                Ok(messages.into_iter().map(delivery).collect())
            }
            Err(cause) => {
                // The stream or the consumer may have been made anew.
                *self.opened.lock().await = None;
                Err(cause)
            }
        }
    }

    async fn extend(&self, tags: &[&Message]) -> Result<(), Cause> {
        self.answer(tags, AckKind::Progress).await
    }

    async fn acknowledge(&self, tags: &[&Message]) -> Result<(), Cause> {
        self.answer(tags, AckKind::Ack).await
    }

    async fn give_back(&self, tags: &[&Message]) -> Result<(), Cause> {
        self.answer(tags, AckKind::Nak(None)).await
    }

    /// The server ends what is rejected.
    async fn can_reject(&self) -> Result<bool, Cause> {
        Ok(true)
    }

    async fn reject(&self, tags: &[&Message]) -> Result<(), Cause> {
        self.answer(tags, AckKind::Term).await
    }
}
