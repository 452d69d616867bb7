//! NATS between the outbox and the queue: a relay publishes each row, a worker makes each message a job.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, Context, stream};
use onceward::{Onceward, Target};
use onceward_brokers::nats::{NatsSource, NatsTarget, SourceAt, TargetAt};
use onceward_brokers::{Intake, Rules};

use crate::{Fallible, Stop};

/// One stream: `nats://HOST:PORT/STREAM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nats {
    server: String,
    stream: String,
}

impl FromStr for Nats {
    type Err = String;

    fn from_str(url: &str) -> Result<Self, String> {
        match url.rsplit_once('/') {
            Some((server, stream)) if !server.ends_with('/') && !stream.is_empty() => {
                Ok(Self { server: server.to_owned(), stream: stream.to_owned() })
            }
            _ => Err("expected nats://HOST:PORT/STREAM, such as nats://127.0.0.1:4222/signup".to_owned()),
        }
    }
}

impl fmt::Display for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.stream)
    }
}

impl Nats {
    /// What the relay hands over to. A stream that is not there is made.
    pub(crate) async fn target(&self) -> Fallible<Arc<dyn Target>> {
        let (name, subjects) = (self.stream.clone(), vec![format!("{}.>", self.stream)]);
        let config = stream::Config { name, subjects, ..stream::Config::default() };
        self.jetstream().await?.get_or_create_stream(config).await?;
        let at = TargetAt::parse(&format!("{self}.{{queue}}"))?;
        Ok(Arc::new(NatsTarget::open("nats", &at).await?))
    }

    /// Makes each message a job, and acknowledges it once the job is durable.
    pub(crate) async fn take_in(
        &self,
        once: &Onceward,
        queue: &str,
        lease: Duration,
        stop: Stop,
    ) -> Fallible {
        let at = SourceAt::parse(&format!("{self}/signup"))?;
        let source = NatsSource::open("nats", &at).await?.ack_wait(lease);
        Intake::new(once.clone(), source, Rules::new(queue, None)).run_until(stop.told()).await;
        Ok(())
    }

    /// Takes the stream away, with all that is in it.
    pub(crate) async fn remove(&self) -> Fallible {
        self.jetstream().await?.delete_stream(&self.stream).await?;
        Ok(())
    }

    async fn jetstream(&self) -> Fallible<Context> {
        Ok(jetstream::new(async_nats::connect(&self.server).await?))
    }
}
