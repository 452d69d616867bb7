//! Any broker by its URL, for programs that are told at run time which one it is.

use std::sync::Arc;

use onceward::{Cause, Error, Onceward, Target};

use crate::address::wrong;
use crate::intake::{Intake, Rules, Taken};

/// A target by its URL, checked, and not connected yet.
#[derive(Debug, Clone)]
pub enum TargetAt {
    /// `nats://HOST:PORT/SUBJECT`
    #[cfg(feature = "nats")]
    Nats(crate::nats::TargetAt),
    /// `amqp://HOST/VHOST?queue=QUEUE`, `amqps://…`
    #[cfg(feature = "rabbitmq")]
    RabbitMq(crate::rabbitmq::TargetAt),
    /// `sqs://HOST/ACCOUNT/QUEUE`, `sqs+http://…`
    #[cfg(feature = "sqs")]
    Sqs(crate::sqs::QueueAt),
}

/// A source by its URL, checked, and not connected yet.
#[derive(Debug, Clone)]
pub enum SourceAt {
    /// `nats://HOST:PORT/STREAM/CONSUMER`
    #[cfg(feature = "nats")]
    Nats(crate::nats::SourceAt),
    /// `amqp://HOST/VHOST?queue=QUEUE`, `amqps://…`
    #[cfg(feature = "rabbitmq")]
    RabbitMq(crate::rabbitmq::SourceAt),
    /// `sqs://HOST/ACCOUNT/QUEUE`, `sqs+http://…`
    #[cfg(feature = "sqs")]
    Sqs(crate::sqs::QueueAt),
}

/// The intake of any source.
#[derive(Debug)]
pub enum AnyIntake {
    /// From NATS.
    #[cfg(feature = "nats")]
    Nats(Box<Intake<crate::nats::NatsSource>>),
    /// From RabbitMQ.
    #[cfg(feature = "rabbitmq")]
    RabbitMq(Box<Intake<crate::rabbitmq::RabbitSource>>),
    /// From SQS.
    #[cfg(feature = "sqs")]
    Sqs(Box<Intake<crate::sqs::SqsSource>>),
}

/// Schemes of URLs that name a broker, whether its engine is built in or not.
pub const SCHEMES: [&str; 5] = ["nats", "amqp", "amqps", "sqs", "sqs+http"];

fn scheme(url: &str) -> &str {
    url.split_once("://").map_or("", |(scheme, _)| scheme)
}

fn unknown(url: &str) -> Error {
    let scheme = scheme(url);
    if SCHEMES.contains(&scheme) {
        wrong(format!("{scheme}://: this program was built without that broker"))
    } else {
        wrong(format!("expected one of {}://…", SCHEMES.join("://…, ")))
    }
}

impl TargetAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        match scheme(url) {
            #[cfg(feature = "nats")]
            "nats" => crate::nats::TargetAt::parse(url).map(Self::Nats),
            #[cfg(feature = "rabbitmq")]
            "amqp" | "amqps" => crate::rabbitmq::TargetAt::parse(url).map(Self::RabbitMq),
            #[cfg(feature = "sqs")]
            "sqs" | "sqs+http" => crate::sqs::QueueAt::parse(url).map(Self::Sqs),
            _ => Err(unknown(url)),
        }
    }

    /// The target, under a name for status and logs. A broker that is away is found later.
    ///
    /// # Errors
    /// `Invalid` when a file that the URL names cannot be read.
    pub async fn open(&self, name: &str) -> Result<Arc<dyn Target>, Error> {
        Ok(match *self {
            #[cfg(feature = "nats")]
            Self::Nats(ref at) => Arc::new(crate::nats::NatsTarget::open(name, at).await?),
            #[cfg(feature = "rabbitmq")]
            Self::RabbitMq(ref at) => Arc::new(crate::rabbitmq::RabbitTarget::new(name, at)),
            #[cfg(feature = "sqs")]
            Self::Sqs(ref at) => Arc::new(crate::sqs::SqsTarget::open(name, at).await),
        })
    }
}

impl SourceAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        match scheme(url) {
            #[cfg(feature = "nats")]
            "nats" => crate::nats::SourceAt::parse(url).map(Self::Nats),
            #[cfg(feature = "rabbitmq")]
            "amqp" | "amqps" => crate::rabbitmq::SourceAt::parse(url).map(Self::RabbitMq),
            #[cfg(feature = "sqs")]
            "sqs" | "sqs+http" => crate::sqs::QueueAt::parse(url).map(Self::Sqs),
            _ => Err(unknown(url)),
        }
    }

    /// What makes its messages jobs of a queue. A broker that is away is found later.
    ///
    /// # Errors
    /// `Invalid` when a file that the URL names cannot be read.
    pub async fn open(&self, name: &str, once: Onceward, rules: Rules) -> Result<AnyIntake, Error> {
        Ok(match *self {
            #[cfg(feature = "nats")]
            Self::Nats(ref at) => {
                let source = crate::nats::NatsSource::open(name, at).await?;
                AnyIntake::Nats(Box::new(Intake::new(once, source, rules)))
            }
            #[cfg(feature = "rabbitmq")]
            Self::RabbitMq(ref at) => {
                let source = crate::rabbitmq::RabbitSource::new(name, at);
                AnyIntake::RabbitMq(Box::new(Intake::new(once, source, rules)))
            }
            #[cfg(feature = "sqs")]
            Self::Sqs(ref at) => {
                let source = crate::sqs::SqsSource::open(name, at).await;
                AnyIntake::Sqs(Box::new(Intake::new(once, source, rules)))
            }
        })
    }
}

impl AnyIntake {
    /// As [`Intake::run_until`].
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Taken {
        match *self {
            #[cfg(feature = "nats")]
            Self::Nats(ref intake) => Box::pin(intake.run_until(stop)).await,
            #[cfg(feature = "rabbitmq")]
            Self::RabbitMq(ref intake) => Box::pin(intake.run_until(stop)).await,
            #[cfg(feature = "sqs")]
            Self::Sqs(ref intake) => Box::pin(intake.run_until(stop)).await,
        }
    }

    /// As [`Intake::run_until_idle`].
    pub async fn run_until_idle(&self) -> Taken {
        self.take_all().await.0
    }

    /// As [`Intake::take_all`].
    pub async fn take_all(&self) -> (Taken, Option<Cause>) {
        match *self {
            #[cfg(feature = "nats")]
            Self::Nats(ref intake) => Box::pin(intake.take_all()).await,
            #[cfg(feature = "rabbitmq")]
            Self::RabbitMq(ref intake) => Box::pin(intake.take_all()).await,
            #[cfg(feature = "sqs")]
            Self::Sqs(ref intake) => Box::pin(intake.take_all()).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_told_by_its_url() {
        for url in [
            "nats://127.0.0.1:4222/jobs.{queue}",
            "nats://me:pass@host/jobs?tls=on",
            "amqp://127.0.0.1?queue=jobs",
            "amqps://me:pass@host/v%2Fhost?exchange=e&key={kind}",
            "sqs://sqs.eu-west-1.amazonaws.com/123456789012/jobs.fifo",
            "sqs+http://127.0.0.1:9324/000000000000/jobs?region=elasticmq",
        ] {
            TargetAt::parse(url).unwrap();
        }
        for url in [
            "nats://h/JOBS/onceward",
            "amqp://h/vhost?queue=jobs",
            "sqs://sqs.eu-west-1.amazonaws.com/1/jobs",
        ] {
            SourceAt::parse(url).unwrap();
        }
    }

    #[test]
    fn a_wrong_url_says_what_was_expected_and_no_password() {
        for url in [
            "nats://me:s3cr3t@host",
            "nats://me:s3cr3t@host/a/b/c",
            "nats://me:s3cr3t@host/a?creeds=x",
            "amqp://me:s3cr3t@host/",
            "amqp://me:s3cr3t@host/a/b?queue=q",
            "amqp://me:s3cr3t@host?queue=q&exchange=e",
            "sqs://me:s3cr3t@sqs.eu-west-1.amazonaws.com/1/q",
            "sqs://queue.example/1/q",
            "kafka://me:s3cr3t@host/q",
        ] {
            let error = TargetAt::parse(url).unwrap_err();
            assert!(error.to_string().contains("expected") || error.to_string().contains("no "), "{error}");
            assert!(!error.to_string().contains("s3cr3t"), "{error}");
        }
        let shown = format!("{:?}", TargetAt::parse("amqp://me:s3cr3t@host?queue=q").unwrap());
        let shown = shown + &format!("{:?}", TargetAt::parse("nats://me:s3cr3t@host/q").unwrap());
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
}
