//! Messages of a queue become jobs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use lapin::Acker;
use lapin::message::Delivery as Delivered;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Consumer};
use onceward::{Cause, Error, Time};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Link, Open, Server, failed, in_time, parse};
use crate::address::wrong;
use crate::source::{Delivery, Incoming, Source};

/// Messages that are on their way to us at once.
const PREFETCH: u16 = 1000;

/// `amqp://HOST/VHOST?queue=QUEUE`.
#[derive(Debug, Clone)]
pub struct SourceAt {
    server: Server,
    queue: ShortString,
}

impl SourceAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (server, mut address) = parse(url, &["queue"])?;
        let queue = address.take("queue").filter(|queue| !queue.is_empty());
        let queue = queue.ok_or_else(|| wrong("expected ?queue=QUEUE".to_owned()))?;
        let queue = ShortString::try_new(queue).map_err(|_| wrong("?queue: too long".to_owned()))?;
        Ok(Self { server, queue })
    }
}

/// A queue of RabbitMQ; several processes may share it.
#[derive(Debug)]
pub struct RabbitSource {
    link: Link<Consuming>,
    queue: ShortString,
    /// How many of what came last were not answered for.
    unanswered: AtomicUsize,
    /// What makes a message's own id one of this queue on this server.
    scope: String,
}

#[derive(Debug)]
struct Consuming {
    consumer: Consumer,
    _open: Open,
}

impl RabbitSource {
    /// A source under a name for status and logs. It connects when it is needed.
    pub fn new(name: impl Into<String>, at: &SourceAt) -> Self {
        let link = Link { server: at.server.clone(), name: name.into(), open: Mutex::default() };
        let scope = format!("rabbitmq:{}:{}", at.server.place, at.queue);
        Self { link, queue: at.queue.clone(), unanswered: AtomicUsize::new(0), scope }
    }

    async fn consume(&self) -> Result<Consuming, Cause> {
        let open = self.link.server.connect(&self.link.name).await?;
        in_time(open.channel.basic_qos(PREFETCH, BasicQosOptions::default())).await?;
        let (options, none) = (BasicConsumeOptions::default(), FieldTable::default());
        let consuming = open.channel.basic_consume(self.queue.clone(), ShortString::default(), options, none);
        Ok(Consuming { consumer: in_time(consuming).await?, _open: open })
    }

    async fn nack(&self, tags: &[&Acker], requeue: bool) -> Result<(), Cause> {
        let options = BasicNackOptions { requeue, ..BasicNackOptions::default() };
        for tag in tags {
            // `false`: it was answered before, on a channel that may be gone.
            if in_time(tag.nack(options)).await? {
                self.answered();
            }
        }
        Ok(())
    }

    fn answered(&self) {
        let before = self.unanswered.load(Ordering::Relaxed);
        self.unanswered.store(before.saturating_sub(1), Ordering::Relaxed);
    }
}

/// What is there by then: at least one, or none.
async fn next(consumer: &mut Consumer, most: usize, wait: Duration) -> Result<Vec<Delivered>, Cause> {
    let (mut messages, mut until) = (Vec::new(), Instant::now() + wait);
    while messages.len() < most {
        match tokio::time::timeout_at(until, consumer.next()).await {
            Ok(Some(Ok(message))) => messages.push(message),
            Err(_) => break,
            // What came before is void with its channel: it comes again.
            Ok(Some(Err(error))) => return Err(failed(&error)),
            Ok(None) => return Err(Cause::new("cancelled", "RabbitMQ ended the consumer").outage()),
        }
        // With one in hand, only what has arrived already.
        until = Instant::now();
    }
    Ok(messages)
}

fn incoming(body: Vec<u8>, properties: &BasicProperties, scope: &str) -> Incoming {
    let mut headers = BTreeMap::new();
    for (name, value) in properties.headers().iter().flat_map(FieldTable::inner) {
        if let Some(text) = text(value) {
            headers.insert(name.as_str().to_ascii_lowercase(), text);
        }
    }
    let id = properties.message_id().as_ref().map(|id| format!("{scope}:{id}"));
    let seconds = properties.timestamp().and_then(|seconds| i64::try_from(seconds).ok());
    let published = seconds.and_then(|seconds| seconds.checked_mul(1_000_000)).map(Time::from_micros);
    Incoming { body, headers, id, published }
}

fn text(value: &AMQPValue) -> Option<String> {
    Some(match value {
        AMQPValue::LongString(text) => String::from_utf8_lossy(text.as_bytes()).into_owned(),
        AMQPValue::ShortString(text) => text.as_str().to_owned(),
        AMQPValue::Boolean(value) => value.to_string(),
        AMQPValue::ShortShortInt(value) => value.to_string(),
        AMQPValue::ShortShortUInt(value) => value.to_string(),
        AMQPValue::ShortInt(value) => value.to_string(),
        AMQPValue::ShortUInt(value) => value.to_string(),
        AMQPValue::LongInt(value) => value.to_string(),
        AMQPValue::LongUInt(value) => value.to_string(),
        AMQPValue::LongLongInt(value) => value.to_string(),
        _ => return None,
    })
}

impl Source for RabbitSource {
    type Tag = Acker;

    fn name(&self) -> &str {
        &self.link.name
    }

    /// What was delivered is ours as long as the channel is open (`consumer_timeout`, 30 minutes).
    fn extend_every(&self) -> Option<Duration> {
        None
    }

    async fn receive(&self, most: usize, wait: Duration) -> Result<Vec<Delivery<Acker>>, Cause> {
        let mut slot = self.link.open.lock().await;
        // An answer that failed, or was given up: without its channel, the message comes again now and not in half an hour.
        if self.unanswered.swap(0, Ordering::Relaxed) > 0 {
            *slot = None;
        }
        // Whoever gives up in between, or fails, leaves a channel that ends: what it had brought comes again.
        let mut consuming = match slot.take() {
            Some(consuming) => consuming,
            None => self.consume().await?,
        };
        let messages = next(&mut consuming.consumer, most, wait).await?;
        self.unanswered.store(messages.len(), Ordering::Relaxed);
        *slot = Some(consuming);
        let delivery = |message: Delivered| Delivery {
            tag: message.acker.clone(),
            message: incoming(message.data, &message.properties, &self.scope),
        };
        Ok(messages.into_iter().map(delivery).collect())
    }

    async fn extend(&self, _tags: &[&Acker]) -> Result<(), Cause> {
        Ok(())
    }

    async fn acknowledge(&self, tags: &[&Acker]) -> Result<(), Cause> {
        for tag in tags {
            if in_time(tag.ack(BasicAckOptions::default())).await? {
                self.answered();
            }
        }
        Ok(())
    }

    async fn give_back(&self, tags: &[&Acker]) -> Result<(), Cause> {
        self.nack(tags, true).await
    }

    /// It goes to the queue's dead-letter exchange, or is dropped where there is none. AMQP does not tell which.
    async fn can_reject(&self) -> Result<bool, Cause> {
        Ok(true)
    }

    async fn reject(&self, tags: &[&Acker]) -> Result<(), Cause> {
        self.nack(tags, false).await
    }
}
