//! RabbitMQ: a quorum queue of one test's own on the server of this run.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use held_port::HeldPort;
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{Acker, BasicProperties, Channel, Connection, ConnectionProperties};
use onceward::{NewRow, Target};
use onceward_brokers::rabbitmq::{RabbitSource, RabbitTarget, SourceAt, TargetAt};
use onceward_brokers::{Delivery, Source};
use tempfile::TempDir;

use crate::engine::{Engine, fresh_name};
use crate::killed::{Killable, LONG, listens};
use crate::support::{Record, Rows, Verdict, until};

pub(crate) struct Rabbit {
    channel: Channel,
    _connection: Connection,
    address: SocketAddr,
    queue: String,
}

fn at(address: SocketAddr, query: &str) -> String {
    format!("amqp://guest:guest@{address}?{query}")
}

impl Rabbit {
    /// A queue on a server that is there.
    async fn on(url: &str) -> Verdict<Self> {
        let address = url.rsplit('@').next().unwrap_or_default().parse()?;
        let connection = Connection::connect(url, ConnectionProperties::default()).await?;
        let (channel, queue) = (connection.create_channel().await?, fresh_name());
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        channel.queue_declare(queue.as_str().into(), QueueDeclareOptions::durable(), arguments).await?;
        Ok(Self { channel, _connection: connection, address, queue })
    }
}

impl Engine for Rabbit {
    type Source = RabbitSource;

    async fn start() -> Verdict<Self> {
        let url = std::env::var("ONCEWARD_TEST_RABBITMQ").map_err(
            |_| "ONCEWARD_TEST_RABBITMQ is not set: run this by ./dev test, which starts a RabbitMQ",
        )?;
        Self::on(&url).await
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

/// Becomes a node.
const NODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/services/rabbitmq-node");

/// A node of one test's own.
pub(crate) struct Node {
    process: Child,
    mapper: Child,
    /// Its own, that for other nodes, and the mapper's.
    ports: [HeldPort; 3],
    folder: TempDir,
}

impl Node {
    fn run(ports: &[HeldPort; 3], folder: &TempDir) -> Verdict<Child> {
        let arguments = ports.each_ref().map(|port| port.number().to_string());
        alone(NODE, &[&[folder.path().display().to_string()][..], &arguments].concat())
    }
}

/// It ends with this process, however that ends.
fn alone(program: &str, arguments: &[String]) -> Verdict<Child> {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", program]).args(arguments);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

impl Killable for Node {
    type Engine = Rabbit;

    async fn start() -> Verdict<Self> {
        let (ports, folder) = ([HeldPort::new()?, HeldPort::new()?, HeldPort::new()?], TempDir::new()?);
        let [port, _, mapper] = ports.each_ref().map(HeldPort::number);
        let on_loopback = ["-port", &mapper.to_string(), "-address", "127.0.0.1"].map(str::to_owned);
        let epmd = alone("epmd", &on_loopback)?;
        listens(mapper).await?;
        let node = Self { process: Self::run(&ports, &folder)?, mapper: epmd, ports, folder };
        listens(port).await?;
        Ok(node)
    }

    /// A node writes down some seconds after its answer that a quorum queue was made. Killed before, it has the queue,
    /// and no leader for it (seen with 3.10.8).
    async fn engine(&self) -> Verdict<Rabbit> {
        let engine = Rabbit::on(&format!("amqp://guest:guest@127.0.0.1:{}", self.ports[0].number())).await?;
        let node = format!("onceward-{}@localhost", self.ports[0].number());
        let names = self.folder.path().join(format!("mnesia/{node}/quorum/{node}/names.dets"));
        until("the node knows its queue", LONG, async || {
            let (names, name) = (std::fs::read(&names)?, engine.queue.as_bytes());
            Ok(names.windows(name.len()).any(|there| there == name))
        })
        .await?;
        Ok(engine)
    }

    fn restart(&mut self) -> Verdict {
        self.process.kill()?;
        self.process.wait()?;
        self.process = Self::run(&self.ports, &self.folder)?;
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        for process in [&mut self.process, &mut self.mapper] {
            drop(process.kill());
            drop(process.wait());
        }
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

/// The channel that they came on lives, so RabbitMQ alone would keep them for half an hour.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_answered_for_comes_again_with_the_next_request() -> Verdict {
    let engine = Rabbit::start().await?;
    let source = engine.source(engine.address).await?;
    for body in ["one", "two"] {
        engine.publish(body.as_bytes(), &[]).await?;
    }
    let come = async || -> Verdict<Delivery<Acker>> {
        let come = source.receive(1, LONG).await.map_err(|cause| cause.text)?;
        Ok(come.into_iter().next().ok_or("nothing came")?)
    };
    let first = come().await?;
    assert_eq!(first.message.body, b"one");
    drop(first);
    let again = come().await?;
    assert_eq!(again.message.body, b"one", "it comes again, and before the second");
    source.acknowledge(&[&again.tag]).await.map_err(|cause| cause.text)?;
    assert_eq!(come().await?.message.body, b"two");
    Ok(())
}
