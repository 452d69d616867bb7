//! RabbitMQ between the outbox and the queue: a relay publishes each row, a worker makes each message a job.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use lapin::options::{QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, Connection, ConnectionProperties};
use onceward::{Onceward, Target};
use onceward_brokers::rabbitmq::{RabbitSource, RabbitTarget, SourceAt, TargetAt};
use onceward_brokers::{Intake, Rules};

use crate::{Fallible, Stop};

/// One queue: `amqp://HOST:PORT?queue=QUEUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RabbitMq {
    server: String,
    queue: String,
}

impl FromStr for RabbitMq {
    type Err = String;

    fn from_str(url: &str) -> Result<Self, String> {
        match url.split_once("?queue=") {
            Some((server, queue)) if !queue.is_empty() => {
                Ok(Self { server: server.to_owned(), queue: queue.to_owned() })
            }
            _ => Err("expected amqp://HOST:PORT?queue=QUEUE, such as amqp://127.0.0.1:5672?queue=signup"
                .to_owned()),
        }
    }
}

impl fmt::Display for RabbitMq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}?queue={}", self.server, self.queue)
    }
}

impl RabbitMq {
    /// What the relay hands over to. A queue that is not there is made.
    pub(crate) async fn target(&self) -> Fallible<Arc<dyn Target>> {
        let (connection, channel) = self.channel().await?;
        let mut arguments = FieldTable::default();
        // What it confirmed is on the disk.
        arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        channel.queue_declare(self.name(), QueueDeclareOptions::durable(), arguments).await?;
        connection.close(200, "declared".into()).await?;
        Ok(Arc::new(RabbitTarget::new("rabbitmq", &TargetAt::parse(&self.to_string())?)))
    }

    /// Makes each message a job, and acknowledges it once the job is durable.
    pub(crate) async fn take_in(&self, once: &Onceward, queue: &str, stop: Stop) -> Fallible {
        let source = RabbitSource::new("rabbitmq", &SourceAt::parse(&self.to_string())?);
        Intake::new(once.clone(), source, Rules::new(queue, None)).run_until(stop.told()).await;
        Ok(())
    }

    /// Takes the queue away, with all that is in it.
    pub(crate) async fn remove(&self) -> Fallible {
        let (connection, channel) = self.channel().await?;
        channel.queue_delete(self.name(), QueueDeleteOptions::default()).await?;
        Ok(connection.close(200, "deleted".into()).await?)
    }

    async fn channel(&self) -> Fallible<(Connection, Channel)> {
        let connection = Connection::connect(&self.server, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        Ok((connection, channel))
    }

    fn name(&self) -> ShortString {
        self.queue.as_str().into()
    }
}
