//! SQS: queues of one test's own on the stand-in of this run, standard and FIFO.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_sqs::types::{MessageAttributeValue, QueueAttributeName};
use onceward::{State, Target};
use onceward_brokers::Rules;
use onceward_brokers::sqs::{QueueAt, SqsSource, SqsTarget};

use crate::engine::{Engine, VISIBILITY, fresh_name};
use crate::support::{Verdict, jobs, rules, take};

pub(crate) struct Sqs<const FIFO: bool> {
    client: Client,
    address: SocketAddr,
    name: String,
    url: String,
}

impl<const FIFO: bool> Sqs<FIFO> {
    fn at(&self, address: SocketAddr) -> Verdict<QueueAt> {
        let url = format!("sqs+http://{address}/123456789012/{}?region=us-east-1", self.name);
        Ok(QueueAt::parse(&url)?)
    }

    async fn with(attributes: &[(QueueAttributeName, String)]) -> Verdict<Self> {
        let endpoint = std::env::var("ONCEWARD_TEST_SQS").map_err(
            |_| "ONCEWARD_TEST_SQS is not set: run this by ./dev test, which starts a stand-in for SQS",
        )?;
        let address = endpoint.strip_prefix("http://").ok_or("no http:// URL")?.parse()?;
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("any", "any", None, None, "test"))
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .endpoint_url(&endpoint)
            .build();
        let (client, name) = (Client::from_conf(config), fresh_name() + if FIFO { ".fifo" } else { "" });
        let mut create = client.create_queue().queue_name(&name);
        if FIFO {
            create = create.attributes(QueueAttributeName::FifoQueue, "true");
        }
        for (attribute, value) in attributes {
            create = create.attributes(attribute.clone(), value);
        }
        let url = create.send().await?.queue_url.ok_or("no URL")?;
        Ok(Self { client, address, name, url })
    }
}

impl<const FIFO: bool> Engine for Sqs<FIFO> {
    type Source = SqsSource;

    /// The stand-in takes its time.
    const COUNT: u64 = 300;
    const TROUBLE: Duration = Duration::from_secs(2);

    async fn start() -> Verdict<Self> {
        Self::with(&[]).await
    }

    async fn start_strict() -> Verdict<Self> {
        let dead = Self::with(&[]).await?;
        let arn = format!("arn:aws:sqs:us-east-1:123456789012:{}", dead.name);
        let policy = format!(r#"{{"deadLetterTargetArn":"{arn}","maxReceiveCount":"2"}}"#);
        Self::with(&[(QueueAttributeName::RedrivePolicy, policy)]).await
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn target(&self) -> Verdict<Arc<dyn Target>> {
        Ok(Arc::new(SqsTarget::open("sqs", &self.at(self.address)?).await))
    }

    async fn source(&self, address: SocketAddr) -> Verdict<SqsSource> {
        Ok(SqsSource::open("sqs", &self.at(address)?).await.visibility(VISIBILITY))
    }

    async fn publish(&self, body: &[u8], headers: &[(&str, &str)]) -> Verdict {
        let mut send =
            self.client.send_message().queue_url(&self.url).message_body(String::from_utf8(body.to_vec())?);
        for (name, value) in headers {
            let value = MessageAttributeValue::builder().data_type("String").string_value(*value).build()?;
            send = send.message_attributes(*name, value);
        }
        if FIFO {
            send = send.message_group_id(fresh_name()).message_deduplication_id(fresh_name());
        }
        send.send().await?;
        Ok(())
    }

    async fn bodies(&self) -> Verdict<Vec<String>> {
        let mut bodies = Vec::new();
        loop {
            let some =
                self.client.receive_message().queue_url(&self.url).max_number_of_messages(10).send().await?;
            let some = some.messages.unwrap_or_default();
            if some.is_empty() {
                return Ok(bodies);
            }
            for message in some {
                bodies.push(message.body.unwrap_or_default());
                let handle = message.receipt_handle.unwrap_or_default();
                self.client.delete_message().queue_url(&self.url).receipt_handle(handle).send().await?;
            }
        }
    }

    async fn left(&self) -> Verdict<u64> {
        let asking = self.client.get_queue_attributes().queue_url(&self.url);
        let answer = asking.attribute_names(QueueAttributeName::All).send().await?;
        let mut left = 0;
        for name in [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        ] {
            let figure = answer.attributes().and_then(|all| all.get(&name)).ok_or("a figure is missing")?;
            left += figure.parse::<u64>()?;
        }
        Ok(left)
    }
}

/// Without a redrive policy it would come for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_queue_without_dead_letters_cannot_reject_is_a_dead_job() -> Verdict {
    let (engine, store) = (Sqs::<false>::start().await?, onceward::testing::store().await?);
    engine.publish(b"{", &[]).await?;
    let rules = Rules { reject: true, ..rules() };
    let taken = take(&store, engine.source(engine.address()).await?, rules).await;
    assert_eq!(taken.unreadable, 1, "{taken:?}");
    let dead = jobs(&store, State::Dead).await?;
    assert_eq!(dead[0].error.as_ref().map(|error| error.code.as_str()), Some("message_unreadable"));
    assert_eq!(engine.left().await?, 0, "it is acknowledged");
    Ok(())
}
