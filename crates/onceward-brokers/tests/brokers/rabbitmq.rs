//! RabbitMQ: a quorum queue of one test's own on the server of this run.

use std::net::SocketAddr;
use std::sync::Arc;

use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use onceward::{NewRow, Target};
use onceward_brokers::rabbitmq::{RabbitSource, RabbitTarget, SourceAt, TargetAt};

use crate::engine::{Engine, fresh_name};
use crate::support::{Record, Rows, Verdict};

pub(crate) struct Rabbit {
    channel: Channel,
    _connection: Connection,
    address: SocketAddr,
    queue: String,
}

fn at(address: SocketAddr, query: &str) -> String {
    format!("amqp://guest:guest@{address}?{query}")
}

impl Engine for Rabbit {
    type Source = RabbitSource;

    async fn start() -> Verdict<Self> {
        let url = std::env::var("ONCEWARD_TEST_RABBITMQ").map_err(
            |_| "ONCEWARD_TEST_RABBITMQ is not set: run this by ./dev test, which starts a RabbitMQ",
        )?;
        let address = url.rsplit('@').next().unwrap_or_default().parse()?;
        let connection = Connection::connect(&url, ConnectionProperties::default()).await?;
        let (channel, queue) = (connection.create_channel().await?, fresh_name());
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        channel.queue_declare(queue.as_str().into(), QueueDeclareOptions::durable(), arguments).await?;
        Ok(Self { channel, _connection: connection, address, queue })
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn target(&self) -> Verdict<Arc<dyn Target>> {
        let at = TargetAt::parse(&at(self.address, &format!("queue={}", self.queue)))?;
        Ok(Arc::new(RabbitTarget::new("rabbitmq", &at)))
    }

    async fn source(&self, address: SocketAddr) -> Verdict<RabbitSource> {
        let at = SourceAt::parse(&at(address, &format!("queue={}", self.queue)))?;
        Ok(RabbitSource::new("rabbitmq", &at))
    }

    async fn publish(&self, body: &[u8], headers: &[(&str, &str)]) -> Verdict {
        let mut table = FieldTable::default();
        for (name, value) in headers {
            table.insert(ShortString::from(*name), AMQPValue::LongString(LongString::from(*value)));
        }
        let properties =
            BasicProperties::default().with_message_id(fresh_name().as_str().into()).with_headers(table);
        let (queue, options) = (self.queue.as_str().into(), BasicPublishOptions::default());
        self.channel.basic_publish("".into(), queue, options, body, properties).await?.await?;
        Ok(())
    }

    async fn bodies(&self) -> Verdict<Vec<String>> {
        let mut bodies = Vec::new();
        while let Some(message) =
            self.channel.basic_get(self.queue.as_str().into(), BasicGetOptions::default()).await?
        {
            bodies.push(String::from_utf8(message.delivery.data.clone())?);
            message.delivery.acker.ack(BasicAckOptions::default()).await?;
        }
        Ok(bodies)
    }

    /// What is with a consumer is not counted.
    async fn left(&self) -> Verdict<u64> {
        let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let queue =
            self.channel.queue_declare(self.queue.as_str().into(), passive, FieldTable::default()).await?;
        Ok(u64::from(queue.message_count()))
    }
}

/// The client gives a returned message along with any next confirmation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_queue_takes_is_never_taken_for_sent() -> Verdict {
    let (engine, rows) = (Rabbit::start().await?, Rows::new().await?);
    for n in 0..100_u64 {
        let queue = if n % 3 == 0 { "nowhere" } else { &engine.queue };
        rows.write(NewRow::from(Record { n }).queue(queue)).await?;
    }
    let at = TargetAt::parse(&at(engine.address, "queue={queue}"))?;
    let did = rows.relay(Arc::new(RabbitTarget::new("rabbitmq", &at))).await?;
    assert_eq!((did.sent, did.refused), (66, 0), "{did:?}");
    assert_eq!(rows.outbox.lag().await?.waiting, 34);
    let error = rows.outbox.targets().await?[0].error.clone().ok_or("no error is said")?;
    assert_eq!(error.code, "unroutable", "{error:?}");
    let arrived = engine.bodies().await?;
    assert_eq!(arrived.len(), 66);
    Ok(())
}
