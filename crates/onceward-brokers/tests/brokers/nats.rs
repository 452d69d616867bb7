//! JetStream: a stream of one test's own on the server of this run.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, stream};
use onceward::{Job, Relay, Target};
use onceward_brokers::nats::{NatsSource, NatsTarget, SourceAt, TargetAt};
use onceward_brokers::{Intake, Rules};
use tempfile::TempDir;

use crate::engine::{Engine, VISIBILITY, fresh_name};
use crate::support::{Record, Rows, Verdict, ran, rules, until};

const LONG: Duration = Duration::from_secs(100);

pub(crate) struct Nats {
    jetstream: jetstream::Context,
    address: SocketAddr,
    name: String,
}

impl Nats {
    /// A stream on a server that is there.
    pub(crate) async fn on(url: &str) -> Verdict<Self> {
        let address = url.strip_prefix("nats://").ok_or("no nats:// URL")?.parse()?;
        let name = fresh_name();
        let jetstream = jetstream::new(async_nats::connect(url).await?);
        let config =
            stream::Config { name: name.clone(), subjects: vec![format!("{name}.>")], ..Default::default() };
        jetstream.create_stream(config).await?;
        Ok(Self { jetstream, address, name })
    }
}

impl Engine for Nats {
    type Source = NatsSource;

    async fn start() -> Verdict<Self> {
        let url = std::env::var("ONCEWARD_TEST_NATS")
            .map_err(|_| "ONCEWARD_TEST_NATS is not set: run this by ./dev test, which starts a NATS")?;
        Self::on(&url).await
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn target(&self) -> Verdict<Arc<dyn Target>> {
        let at = TargetAt::parse(&format!("nats://{}/{}.{{queue}}", self.address, self.name))?;
        Ok(Arc::new(NatsTarget::open("nats", &at).await?))
    }

    async fn source(&self, address: SocketAddr) -> Verdict<NatsSource> {
        let at = SourceAt::parse(&format!("nats://{address}/{}/onceward", self.name))?;
        Ok(NatsSource::open("nats", &at).await?.ack_wait(VISIBILITY))
    }

    async fn publish(&self, body: &[u8], headers: &[(&str, &str)]) -> Verdict {
        let mut all = async_nats::HeaderMap::new();
        for (name, value) in headers {
            all.insert(*name, *value);
        }
        let subject = format!("{}.others", self.name);
        self.jetstream.publish_with_headers(subject, all, body.to_vec().into()).await?.await?;
        Ok(())
    }

    async fn bodies(&self) -> Verdict<Vec<String>> {
        let mut stream = self.jetstream.get_stream(&self.name).await?;
        let last = stream.info().await?.state.last_sequence;
        let mut bodies = Vec::new();
        for sequence in 1..=last {
            let message = stream.get_raw_message(sequence).await?;
            bodies.push(String::from_utf8(message.payload.to_vec())?);
        }
        Ok(bodies)
    }

    async fn left(&self) -> Verdict<u64> {
        let stream = self.jetstream.get_stream(&self.name).await?;
        let mut consumer: jetstream::consumer::PullConsumer = stream.get_consumer("onceward").await?;
        let info = consumer.info().await?;
        Ok(info.num_pending + info.num_ack_pending as u64)
    }
}

/// A server of one test's own, which may be killed.
struct Server {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl Server {
    fn start(port: u16, folder: TempDir) -> Verdict<Self> {
        let mut command = Command::new("nats-server");
        command.args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"]);
        let process = command.arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Self { process, port, folder })
    }

    fn kill(mut self) -> Verdict<(u16, TempDir)> {
        self.process.kill()?;
        self.process.wait()?;
        let folder = std::mem::replace(&mut self.folder, TempDir::new()?);
        Ok((self.port, folder))
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    async fn ready(&self) -> Verdict {
        until("the server listens", Duration::from_secs(30), async || {
            Ok(tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_ok())
        })
        .await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Killed while rows are handed over, and again while messages are taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_and_comes_back_has_each_message_run_once() -> Verdict {
    let (rows, store) = (Rows::new().await?, onceward::testing::store().await?);
    for n in 0..1000 {
        rows.write(Record { n }).await?;
    }
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let server = Server::start(free, TempDir::new()?)?;
    server.ready().await?;
    let engine = Nats::on(&server.url()).await?;
    let relay = Relay::new(rows.outbox.clone(), engine.target().await?).batch(50);
    let relaying = tokio::spawn(async move { relay.run_until(std::future::pending()).await });
    until("some are sent", LONG, async || Ok(rows.outbox.lag().await?.waiting < 800)).await?;
    let (port, folder) = server.kill()?;
    let server = Server::start(port, folder)?;
    until("all are sent", LONG, async || Ok(rows.outbox.lag().await?.waiting == 0)).await?;
    relaying.abort();
    let source = engine.source(engine.address()).await?;
    let intake = Intake::new((*store).clone(), source, Rules { batch: 20, ..rules() });
    let taking = tokio::spawn(async move { intake.run_until(std::future::pending()).await });
    until("some are taken", LONG, async || Ok(store.backlog(&[Record::QUEUE], 1000).await? > 100)).await?;
    let (port, folder) = server.kill()?;
    let _server = Server::start(port, folder)?;
    until("all are taken", LONG, async || Ok(store.backlog(&[Record::QUEUE], 1000).await? == 1000)).await?;
    taking.abort();
    assert_eq!(ran(&store).await?, (0..1000).collect::<Vec<_>>());
    Ok(())
}
