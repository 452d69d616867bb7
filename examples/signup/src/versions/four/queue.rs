//! Where version 4 has its queue: in the application's database, or elsewhere, behind the outbox and a relay.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use onceward::{Job, JobTarget, Onceward, Outbox, Relay, Target};

use super::nats::Nats;
use super::rabbitmq::RabbitMq;
use super::{Way, Welcome};
use crate::store::Store;
use crate::{Fallible, Stop};

/// How long until a broker that does not answer is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// Where the jobs are, or through what they come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Queue {
    /// In the application's database: nothing has to be carried.
    Here,
    /// In a database of their own, by its URL.
    Elsewhere(String),
    /// Through a stream of NATS; a worker takes each message into its own database.
    Nats(Nats),
    /// The same through a queue of RabbitMQ.
    RabbitMq(RabbitMq),
}

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':').map_or(text, |(scheme, _)| scheme) {
            "here" => Ok(Self::Here),
            "sqlite" | "postgres" => Ok(Self::Elsewhere(text.to_owned())),
            "nats" => Ok(Self::Nats(text.parse()?)),
            "amqp" => Ok(Self::RabbitMq(text.parse()?)),
            _ => Err("expected here, sqlite://FILE, postgres://…, nats://HOST:PORT/STREAM or \
                      amqp://HOST:PORT?queue=QUEUE"
                .to_owned()),
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => f.write_str("here"),
            Self::Elsewhere(url) => f.write_str(url),
            Self::Nats(nats) => nats.fmt(f),
            Self::RabbitMq(rabbitmq) => rabbitmq.fmt(f),
        }
    }
}

impl Queue {
    /// How the account's transaction gets its mail there.
    pub(crate) async fn way(&self, store: &Store) -> Fallible<Way> {
        Ok(if *self == Self::Here {
            Way::Jobs(beside(store).await?)
        } else {
            Way::Outbox(outbox(store).await?)
        })
    }

    /// The jobs, for a worker.
    pub(crate) async fn jobs(&self, store: &Store) -> Fallible<Onceward> {
        Ok(match self {
            Self::Elsewhere(url) => Onceward::open(url).await?,
            Self::Here | Self::Nats(_) | Self::RabbitMq(_) => beside(store).await?,
        })
    }

    /// Carries what is in the outbox there. Where it goes may be on its way up.
    pub(crate) async fn relay(&self, store: &Store, lease: Duration, stop: Stop) -> Fallible {
        if *self == Self::Here {
            return Err("the queue is here; there is nothing to relay".into());
        }
        let outbox = outbox(store).await?;
        let target = loop {
            match self.target().await {
                Ok(target) => break target,
                Err(error) => tracing::warn!(%error, "nothing is relayed yet; it is tried again"),
            }
            tokio::select! {
                () = stop.clone().told() => return Ok(()),
                () = tokio::time::sleep(AGAIN) => {}
            }
        };
        Relay::new(outbox, target).lease(lease).run_until(stop.told()).await?;
        Ok(())
    }

    /// What the relay hands over to.
    async fn target(&self) -> Fallible<Arc<dyn Target>> {
        match self {
            Self::Here => Err("the queue is here".into()),
            Self::Elsewhere(url) => Ok(Arc::new(JobTarget::new(Onceward::open(url).await?, "elsewhere"))),
            Self::Nats(nats) => nats.target().await,
            Self::RabbitMq(rabbitmq) => rabbitmq.target().await,
        }
    }

    /// Makes jobs of what a broker brings.
    pub(crate) async fn take_in(&self, once: &Onceward, lease: Duration, stop: Stop) -> Fallible {
        match self {
            Self::Here | Self::Elsewhere(_) => Ok(()),
            Self::Nats(nats) => nats.take_in(once, Welcome::QUEUE, lease, stop).await,
            Self::RabbitMq(rabbitmq) => rabbitmq.take_in(once, Welcome::QUEUE, stop).await,
        }
    }

    /// Takes away what a broker was given to keep.
    pub(crate) async fn remove(&self) -> Fallible {
        match self {
            Self::Here | Self::Elsewhere(_) => Ok(()),
            Self::Nats(nats) => nats.remove().await,
            Self::RabbitMq(rabbitmq) => rabbitmq.remove().await,
        }
    }
}

/// The queue in the application's database.
async fn beside(store: &Store) -> Fallible<Onceward> {
    Ok(match store {
        Store::Sqlite(pool) => Onceward::beside_sqlite(pool).await?,
        Store::Postgres(pool) => Onceward::beside_postgres(pool).await?,
    })
}

/// The outbox in the application's database.
pub(crate) async fn outbox(store: &Store) -> Fallible<Outbox> {
    Ok(match store {
        Store::Sqlite(pool) => Outbox::beside_sqlite(pool).await?,
        Store::Postgres(pool) => Outbox::beside_postgres(pool).await?,
    })
}
