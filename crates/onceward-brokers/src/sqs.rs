//! SQS: `sqs://sqs.REGION.amazonaws.com/ACCOUNT/QUEUE`, which is the queue's URL with `sqs` in place of `https`. For
//! what speaks the same protocol elsewhere, `sqs+http://HOST:PORT/ACCOUNT/QUEUE?region=REGION`.
//!
//! Credentials come as the AWS tools find them: environment, profile, container, instance. A standard queue delivers at
//! least once; a FIFO queue knows a repeat for five minutes. The source knows it for longer on both.

mod fits;
mod source;
mod target;

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::timeout::TimeoutConfig;
use aws_sdk_sqs::config::{BehaviorVersion, Region};
use aws_sdk_sqs::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use onceward::{Cause, Error};

pub use self::source::SqsSource;
pub use self::target::SqsTarget;
use crate::address::{Address, wrong};

/// How long one request may take, beside the time that it waits for messages.
const ANSWER: Duration = Duration::from_secs(10);
/// Entries of one request.
const BATCH: usize = 10;
/// Requests that are on their way at once.
const AT_ONCE: usize = 8;

/// A queue by its URL.
#[derive(Debug, Clone)]
pub struct QueueAt {
    url: String,
    endpoint: String,
    region: String,
}

impl QueueAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let mut address = Address::parse(url, &["sqs", "sqs+http"], &["region"])?;
        if !address.url.username().is_empty() || address.url.password().is_some() {
            let text = "no credentials stand in it: they come from the environment, a profile or the machine";
            return Err(wrong(text.to_owned()));
        }
        let scheme = if address.url.scheme() == "sqs" { "https" } else { "http" };
        let host = address.url.host_str().unwrap_or_default().to_owned();
        let port = address.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let of_host = host.strip_prefix("sqs.").and_then(|rest| rest.split_once(".amazonaws.com"));
        let region = address.take("region").or_else(|| of_host.map(|(region, _)| region.to_owned()));
        let region =
            region.ok_or_else(|| wrong("expected ?region=REGION, since the host names none".to_owned()))?;
        let endpoint = format!("{scheme}://{host}{port}");
        match address.path().as_slice() {
            [account, queue] => Ok(Self { url: format!("{endpoint}/{account}/{queue}"), endpoint, region }),
            _ => Err(wrong("expected sqs://sqs.REGION.amazonaws.com/ACCOUNT/QUEUE".to_owned())),
        }
    }

    fn is_fifo(&self) -> bool {
        std::path::Path::new(&self.url).extension().is_some_and(|end| end == "fifo")
    }

    async fn client(&self) -> Client {
        use aws_smithy_http_client::tls::Provider;
        use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https();
        let found = aws_config::defaults(BehaviorVersion::latest())
            .http_client(http)
            .region(Region::new(self.region.clone()))
            .load()
            .await;
        let config = aws_sdk_sqs::config::Builder::from(&found)
            .endpoint_url(&self.endpoint)
            // Retries are the relay's and the intake's.
            .retry_config(RetryConfig::disabled())
            .timeout_config(
                TimeoutConfig::builder().operation_timeout(ANSWER * 2).connect_timeout(ANSWER).build(),
            )
            .build();
        Client::from_conf(config)
    }
}

/// A request that failed as a whole.
fn failed<E, R>(error: &SdkError<E, R>) -> Cause
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    let cause = Cause::new("sqs", DisplayErrorContext(error).to_string()).outage();
    match error.code() {
        Some(code) => cause.platform(code),
        None => cause,
    }
}
