//! Rows become messages of a queue, ten in a request.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{BatchResultErrorEntry, MessageAttributeValue, SendMessageBatchRequestEntry};
use futures_util::StreamExt;
use onceward::{Cause, Handing, Handover, Message, Target};

use super::{AT_ONCE, BATCH, QueueAt, failed, fits};
use crate::{waves, wire};

/// Codes by which SQS says that it will never take a message as it is.
const NEVER: [&str; 3] = ["InvalidMessageContents", "InvalidParameterValue", "InvalidAttributeValue"];

/// A queue of SQS, standard or FIFO.
#[derive(Debug)]
pub struct SqsTarget {
    name: String,
    queue: QueueAt,
    client: Client,
}

/// A message that SQS takes.
#[derive(Debug)]
struct Ready {
    at: usize,
    size: usize,
    entry: SendMessageBatchRequestEntry,
}

impl SqsTarget {
    /// A target under a name for status and logs.
    pub async fn open(name: impl Into<String>, at: &QueueAt) -> Self {
        Self { name: name.into(), queue: at.clone(), client: at.client().await }
    }

    async fn publish(&self, messages: Vec<&Message>) -> Vec<Handover> {
        let mut said: Vec<Option<Handover>> = vec![None; messages.len()];
        let mut ready = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            match self.ready(at, message) {
                Ok(one) => ready.push(one),
                Err(cause) => said[at] = Some(Handover::Refused(cause)),
            }
        }
        let requests: Vec<_> = requests(ready).into_iter().map(|request| self.send(request)).collect();
        let mut answers = futures_util::stream::iter(requests).buffer_unordered(AT_ONCE);
        while let Some(answer) = answers.next().await {
            for (at, became) in answer {
                said[at] = Some(became);
            }
        }
        let none = || Handover::Later(Cause::new("no_answer", "SQS gave no answer for this message"));
        said.into_iter().map(|said| said.unwrap_or_else(none)).collect()
    }

    fn ready(&self, at: usize, message: &Message) -> Result<Ready, Cause> {
        let headers = wire::headers(message)?;
        let size = fits::check(&message.payload, &headers)?;
        let attribute = |(name, value): (String, String)| {
            let value = MessageAttributeValue::builder().data_type("String").string_value(value).build();
            Ok((name, value.map_err(|error| Cause::new("bad_headers", error.to_string()))?))
        };
        let attributes: HashMap<_, _> = headers.into_iter().map(attribute).collect::<Result<_, Cause>>()?;
        let mut entry = SendMessageBatchRequestEntry::builder()
            .id(at.to_string())
            .message_body(&message.payload)
            .set_message_attributes(Some(attributes));
        if self.queue.is_fifo() {
            entry = entry
                .message_group_id(fits::group(message.ordering_key.as_deref(), &message.message_id))
                .message_deduplication_id(message.repeat_id());
        }
        let entry = entry.build().map_err(|error| Cause::new("sqs", error.to_string()))?;
        Ok(Ready { at, size, entry })
    }

    async fn send(&self, request: Vec<Ready>) -> Vec<(usize, Handover)> {
        let (places, entries): (Vec<usize>, Vec<_>) =
            request.into_iter().map(|one| (one.at, one.entry)).unzip();
        let sending =
            self.client.send_message_batch().queue_url(&self.queue.url).set_entries(Some(entries)).send();
        match sending.await {
            // The SDK's own error is large; it lives no longer than this.
            Err(error) => {
                let cause = failed(&error);
                places.into_iter().map(|at| (at, Handover::Later(cause.clone()))).collect()
            }
            Ok(answer) => {
                let taken = answer.successful().iter().map(|one| (one.id(), Handover::Taken));
                let left = answer.failed().iter().map(|one| (one.id(), left(one)));
                taken.chain(left).filter_map(|(id, became)| Some((id.parse().ok()?, became))).collect()
            }
        }
    }
}

fn left(entry: &BatchResultErrorEntry) -> Handover {
    let text = entry.message().unwrap_or("SQS gave no reason");
    let cause = Cause::new("sqs", text).platform(entry.code());
    if NEVER.contains(&entry.code()) { Handover::Refused(cause) } else { Handover::Later(cause) }
}

/// Ten in each, and no more bytes than one request may have.
fn requests(ready: Vec<Ready>) -> Vec<Vec<Ready>> {
    let (mut requests, mut now, mut bytes): (Vec<Vec<Ready>>, Vec<Ready>, usize) =
        (Vec::new(), Vec::new(), 0);
    for one in ready {
        if now.len() == BATCH || (!now.is_empty() && bytes + one.size > fits::LARGEST) {
            requests.push(std::mem::take(&mut now));
            bytes = 0;
        }
        bytes += one.size;
        now.push(one);
    }
    if !now.is_empty() {
        requests.push(now);
    }
    requests
}

impl Target for SqsTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(waves::hand_over(messages, |wave| self.publish(wave)))
    }
}
