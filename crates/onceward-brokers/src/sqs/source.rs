//! Messages of a queue become jobs.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, ChangeMessageVisibilityBatchRequestEntry, DeleteMessageBatchRequestEntry, Message,
    MessageSystemAttributeName, QueueAttributeName,
};
use futures_util::StreamExt;
use onceward::{Cause, Time};

use super::{AT_ONCE, BATCH, QueueAt, failed};
use crate::source::{Delivery, Incoming, Source};

/// How long a message is ours unless we say that it is still worked on.
const VISIBILITY: Duration = Duration::from_mins(1);

/// A queue of SQS, standard or FIFO; several processes may share it.
#[derive(Debug)]
pub struct SqsSource {
    name: String,
    queue: QueueAt,
    client: Client,
    visibility: Duration,
}

impl SqsSource {
    /// A source under a name for status and logs.
    pub async fn open(name: impl Into<String>, at: &QueueAt) -> Self {
        Self { name: name.into(), queue: at.clone(), client: at.client().await, visibility: VISIBILITY }
    }

    /// How long a message is ours unless extended, in whole seconds. 60.
    #[must_use]
    pub fn visibility(mut self, time: Duration) -> Self {
        self.visibility = time;
        self
    }

    async fn request(&self, most: usize, wait: Duration) -> Result<Vec<Message>, Cause> {
        let receiving = self
            .client
            .receive_message()
            .queue_url(&self.queue.url)
            .max_number_of_messages(whole(most.min(BATCH)))
            .wait_time_seconds(seconds(wait))
            .visibility_timeout(seconds(self.visibility))
            .message_system_attribute_names(MessageSystemAttributeName::SentTimestamp)
            .message_attribute_names("All");
        let answer = receiving.send().await.map_err(|error| failed(&error))?;
        Ok(answer.messages.unwrap_or_default())
    }

    async fn set_visibility(&self, tags: &[&String], time: Duration) -> Result<(), Cause> {
        all(tags.chunks(BATCH).map(|handles| self.change(handles, time)).collect()).await
    }

    async fn change(&self, handles: &[&String], time: Duration) -> Result<(), Cause> {
        let entry = |(at, handle): (usize, &&String)| {
            let entry = ChangeMessageVisibilityBatchRequestEntry::builder().id(at.to_string());
            entry
                .receipt_handle(*handle)
                .visibility_timeout(seconds(time))
                .build()
                .map_err(|error| built(&error))
        };
        let entries = handles.iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?;
        let changing = self.client.change_message_visibility_batch().queue_url(&self.queue.url);
        let answer = changing.set_entries(Some(entries)).send().await.map_err(|error| failed(&error))?;
        refused(answer.failed().iter().map(BatchResultErrorEntry::code))
    }

    async fn delete(&self, handles: &[&String]) -> Result<(), Cause> {
        let entry = |(at, handle): (usize, &&String)| {
            let entry = DeleteMessageBatchRequestEntry::builder().id(at.to_string());
            entry.receipt_handle(*handle).build().map_err(|error| built(&error))
        };
        let entries = handles.iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?;
        let deleting = self.client.delete_message_batch().queue_url(&self.queue.url);
        let answer = deleting.set_entries(Some(entries)).send().await.map_err(|error| failed(&error))?;
        refused(answer.failed().iter().map(BatchResultErrorEntry::code))
    }
}

/// Several requests at once; the first failure, after all have ended.
async fn all<F: Future<Output = Result<(), Cause>>>(requests: Vec<F>) -> Result<(), Cause> {
    let answers: Vec<_> = futures_util::stream::iter(requests).buffer_unordered(AT_ONCE).collect().await;
    answers.into_iter().collect()
}

fn built(error: &aws_sdk_sqs::error::BuildError) -> Cause {
    Cause::new("sqs", error.to_string())
}

/// One that is ours no more is no harm: it comes again, and its id is known.
fn refused<'a>(mut codes: impl Iterator<Item = &'a str>) -> Result<(), Cause> {
    match codes.next() {
        None => Ok(()),
        Some(code) => Err(Cause::new("sqs", "SQS refused it for some messages").platform(code)),
    }
}

fn seconds(time: Duration) -> i32 {
    i32::try_from(time.as_secs()).unwrap_or(i32::MAX)
}

fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn incoming(message: &Message, queue: &str) -> Incoming {
    let mut headers = BTreeMap::new();
    for (name, value) in message.message_attributes().into_iter().flatten() {
        if let Some(text) = value.string_value() {
            headers.insert(name.to_ascii_lowercase(), text.to_owned());
        }
    }
    let sent = message.attributes().and_then(|all| all.get(&MessageSystemAttributeName::SentTimestamp));
    let millis = sent.and_then(|millis| millis.parse::<i64>().ok());
    Incoming {
        body: message.body().unwrap_or_default().as_bytes().to_vec(),
        headers,
        id: message.message_id().map(|id| format!("{queue}:{id}")),
        published: millis.and_then(|millis| millis.checked_mul(1000)).map(Time::from_micros),
    }
}

impl Source for SqsSource {
    type Tag = String;

    fn name(&self) -> &str {
        &self.name
    }

    fn extend_every(&self) -> Option<Duration> {
        Some(self.visibility / 3)
    }

    async fn receive(&self, most: usize, wait: Duration) -> Result<Vec<Delivery<String>>, Cause> {
        let mut messages = self.request(most, wait).await?;
        // One full answer says that there is more.
        let more = if messages.len() == BATCH { most.saturating_sub(BATCH).div_ceil(BATCH) } else { 0 };
        let requests: Vec<_> = (0..more.min(AT_ONCE)).map(|_| self.request(BATCH, Duration::ZERO)).collect();
        let answers: Vec<_> = futures_util::stream::iter(requests).buffer_unordered(AT_ONCE).collect().await;
        for answer in answers {
            match answer {
                Ok(some) => messages.extend(some),
                // What came is ours; the trouble shows at the next request.
                Err(cause) => tracing::debug!(source = self.name, cause = cause.text, "some requests failed"),
            }
        }
        let delivery = |message: Message| {
            let incoming = incoming(&message, &self.queue.url);
            Some(Delivery { message: incoming, tag: message.receipt_handle? })
        };
        Ok(messages.into_iter().filter_map(delivery).collect())
    }

    async fn extend(&self, tags: &[&String]) -> Result<(), Cause> {
        self.set_visibility(tags, self.visibility).await
    }

    async fn acknowledge(&self, tags: &[&String]) -> Result<(), Cause> {
        all(tags.chunks(BATCH).map(|handles| self.delete(handles)).collect()).await
    }

    async fn give_back(&self, tags: &[&String]) -> Result<(), Cause> {
        self.set_visibility(tags, Duration::ZERO).await
    }

    /// Asked each time: a policy may be put there, or taken away.
    async fn can_reject(&self) -> Result<bool, Cause> {
        let policy = QueueAttributeName::RedrivePolicy;
        let asking = self.client.get_queue_attributes().queue_url(&self.queue.url);
        let answer = asking.attribute_names(policy.clone()).send().await.map_err(|error| failed(&error))?;
        let is_there = |text: &String| !text.is_empty();
        Ok(answer.attributes().and_then(|all| all.get(&policy)).is_some_and(is_there))
    }

    /// They come again until the queue's own policy moves them to its dead letters (`maxReceiveCount`).
    async fn reject(&self, tags: &[&String]) -> Result<(), Cause> {
        self.set_visibility(tags, Duration::ZERO).await
    }
}
