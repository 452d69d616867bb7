//! Rows become persistent messages. A row was taken when the broker confirmed it and did not return it.

use std::collections::HashSet;
use std::time::Duration;

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};

use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{BasicProperties, Channel, Confirmation, PublisherConfirm};
use onceward::{Cause, Error, Handing, Handover, Message, Target};
use tokio::sync::Mutex;

use super::{Link, Open, Server, in_time, parse};
use crate::address::wrong;
use crate::{waves, wire};

/// Kept on disk.
const PERSISTENT: u8 = 2;

/// `amqp://HOST/VHOST?queue=QUEUE`, or `?exchange=EXCHANGE&key=KEY`, where `{queue}` and `{kind}` in QUEUE and KEY stand
/// for the message's own.
#[derive(Debug, Clone)]
pub struct TargetAt {
    server: Server,
    exchange: ShortString,
    key: String,
}

impl TargetAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (server, mut address) = parse(url, &["queue", "exchange", "key"])?;
        let (exchange, key) = match (address.take("queue"), address.take("exchange"), address.take("key")) {
            (Some(queue), None, None) => (String::new(), queue),
            (None, Some(exchange), key) => (exchange, key.unwrap_or_default()),
            _ => return Err(wrong("expected ?queue=QUEUE, or ?exchange=EXCHANGE&key=KEY".to_owned())),
        };
        let exchange = ShortString::try_new(exchange).map_err(|_| wrong("?exchange: too long".to_owned()))?;
        Ok(Self { server, exchange, key })
    }
}

/// A queue or an exchange of RabbitMQ.
#[derive(Debug)]
pub struct RabbitTarget {
    link: Link<Open>,
    exchange: ShortString,
    key: String,
}

impl RabbitTarget {
    /// A target under a name for status and logs. It connects when it is needed.
    pub fn new(name: impl Into<String>, at: &TargetAt) -> Self {
        let link = Link { server: at.server.clone(), name: name.into(), open: Mutex::default() };
        Self { link, exchange: at.exchange.clone(), key: at.key.clone() }
    }

    /// Publishes all on the open channel, which is kept only if all were answered: on another one, an answer can be no
    /// leftover of a call that was given up.
    async fn publish(&self, messages: Vec<&Message>) -> Vec<Handover> {
        let mut slot = self.link.open.lock().await;
        let tried = async {
            let open = match slot.take() {
                Some(open) => open,
                None => self.connect().await?,
            };
            let said = self.publish_on(&open.channel, &messages).await?;
            Ok::<_, Cause>((said, open))
        };
        match tried.await {
            Ok((said, open)) => {
                *slot = Some(open);
                said
            }
            // Nothing is known of any of them; they are handed over again.
            Err(cause) => vec![Handover::Later(cause); messages.len()],
        }
    }

    /// Publishes all, and then waits for the answers.
    async fn publish_on(&self, channel: &Channel, messages: &[&Message]) -> Result<Vec<Handover>, Cause> {
        let mut sent = Vec::with_capacity(messages.len());
        for message in messages {
            sent.push(match self.ready(message) {
                Ok((key, properties)) => Ok(self.send(channel, message, key, properties).await?),
                Err(cause) => Err(Handover::Refused(cause)),
            });
        }
        let (mut said, mut returned) = (Vec::with_capacity(sent.len()), HashSet::new());
        for one in sent {
            said.push(match one {
                Ok(confirm) => answer(confirm, &mut returned).await?,
                Err(refused) => refused,
            });
        }
        // The client gives a returned message along with any next confirmation: its id tells whose it is.
        for (message, said) in messages.iter().zip(&mut said) {
            if returned.contains(&message.message_id) {
                *said = unroutable();
            }
        }
        Ok(said)
    }

    async fn connect(&self) -> Result<Open, Cause> {
        let open = self.link.server.connect(&self.link.name).await?;
        in_time(open.channel.confirm_select(ConfirmSelectOptions::default())).await?;
        Ok(open)
    }

    async fn send(
        &self,
        channel: &Channel,
        message: &Message,
        key: ShortString,
        properties: BasicProperties,
    ) -> Result<PublisherConfirm, Cause> {
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let body = message.payload.as_bytes();
        in_time(channel.basic_publish(self.exchange.clone(), key, options, body, properties)).await
    }

    fn ready(&self, message: &Message) -> Result<(ShortString, BasicProperties), Cause> {
        let mut headers = FieldTable::default();
        for (name, value) in wire::headers(message)? {
            headers.insert(short("a header's name", &name)?, AMQPValue::LongString(LongString::from(value)));
        }
        let key = self.key.replace("{queue}", &message.queue).replace("{kind}", &message.kind);
        let written = u64::try_from(message.created_at.micros()).unwrap_or(0);
        let properties = BasicProperties::default()
            .with_content_type(ShortString::from("application/json"))
            .with_delivery_mode(PERSISTENT)
            .with_message_id(short("the message id", &message.message_id)?)
            .with_type(short("the kind", &message.kind)?)
            .with_timestamp(Duration::from_micros(written).as_secs())
            .with_headers(headers);
        Ok((short("the routing key", &key)?, properties))
    }
}

/// Texts of this sort have at most 255 bytes.
fn short(what: &str, text: &str) -> Result<ShortString, Cause> {
    ShortString::try_new(text)
        .map_err(|_| Cause::new("too_long", format!("{what} {text:?}: RabbitMQ takes 255 bytes")))
}

async fn answer(confirm: PublisherConfirm, returned: &mut HashSet<String>) -> Result<Handover, Cause> {
    let confirmation = in_time(confirm).await?;
    let said = match &confirmation {
        Confirmation::Ack(_) => Handover::Taken,
        Confirmation::Nack(_) => {
            Handover::Later(Cause::new("nack", "RabbitMQ did not take it, perhaps as the queue is full"))
        }
        Confirmation::NotRequested => {
            Handover::Later(Cause::new("rabbitmq", "nobody asked RabbitMQ to confirm").outage())
        }
    };
    if let Some(message) = confirmation.take_message() {
        returned.extend(message.delivery.properties.message_id().as_ref().map(|id| id.as_str().to_owned()));
    }
    Ok(said)
}

fn unroutable() -> Handover {
    let text =
        "no queue takes it: the queue is not there, or none is bound to the exchange for this routing key";
    Handover::Later(Cause::new("unroutable", text))
}

impl Target for RabbitTarget {
    fn name(&self) -> &str {
        &self.link.name
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(waves::hand_over(messages, |wave| self.publish(wave)))
    }
}
