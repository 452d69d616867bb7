//! JetStream: a stream of one test's own on the server of this run.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use async_nats::jetstream::{self, stream};
use held_port::HeldPort;
use onceward::Target;
use onceward_brokers::nats::{NatsSource, NatsTarget, SourceAt, TargetAt};
use tempfile::TempDir;

use crate::engine::{Engine, VISIBILITY, fresh_name};
use crate::killed::{Killable, listens};
use crate::support::Verdict;

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

/// A server of one test's own.
pub(crate) struct Server {
    process: Child,
    port: HeldPort,
    folder: TempDir,
}

impl Server {
    fn run(port: u16, folder: &TempDir) -> Verdict<Child> {
        let mut command = Command::new("nats-server");
        command.args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"]);
        Ok(command.arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    }
}

impl Killable for Server {
    type Engine = Nats;

    async fn start() -> Verdict<Self> {
        let (port, folder) = (HeldPort::new()?, TempDir::new()?);
        let server = Self { process: Self::run(port.number(), &folder)?, port, folder };
        listens(server.port.number()).await?;
        Ok(server)
    }

    async fn engine(&self) -> Verdict<Nats> {
        Nats::on(&format!("nats://127.0.0.1:{}", self.port.number())).await
    }

    fn restart(&mut self) -> Verdict {
        self.process.kill()?;
        self.process.wait()?;
        self.process = Self::run(self.port.number(), &self.folder)?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
