//! A source whose process fails: messages that it received are forgotten, before they are kept or before they are
//! acknowledged. It counts deliveries.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::Cause;
use onceward_brokers::{Delivery, Source};

/// What became of messages, over all sources of a test.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    /// How often each was delivered.
    times: Arc<Mutex<HashMap<String, u64>>>,
    forgotten: Arc<AtomicUsize>,
}

impl Meter {
    /// Messages that were delivered more than once.
    pub(crate) fn redelivered(&self) -> usize {
        self.times.lock().unwrap().values().filter(|times| **times > 1).count()
    }

    /// Deliveries that were forgotten before they were kept.
    pub(crate) fn forgotten(&self) -> usize {
        self.forgotten.load(Ordering::Relaxed)
    }

    fn note<T>(&self, delivery: &Delivery<T>) {
        let headers = &delivery.message.headers;
        let id = headers.get("onceward-message-id").or(delivery.message.id.as_ref());
        *self.times.lock().unwrap().entry(id.cloned().unwrap_or_default()).or_default() += 1;
    }
}

#[derive(Debug)]
pub(crate) struct Unsteady<S> {
    source: S,
    meter: Meter,
    chance: Mutex<u64>,
    /// Of a hundred messages, so many are forgotten at each of the two places.
    forgets: u64,
}

impl<S: Source> Unsteady<S> {
    pub(crate) fn new(source: S, meter: &Meter, seed: u64, forgets: u64) -> Self {
        Self { source, meter: meter.clone(), chance: Mutex::new(seed | 1), forgets }
    }

    fn forgets(&self) -> bool {
        let mut x = self.chance.lock().unwrap();
        // Xorshift: the same seed, the same faults.
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
        *x % 100 < self.forgets
    }
}

impl<S: Source> Source for Unsteady<S> {
    type Tag = S::Tag;

    fn name(&self) -> &str {
        self.source.name()
    }

    fn extend_every(&self) -> Option<Duration> {
        self.source.extend_every()
    }

    async fn receive(&self, most: usize, wait: Duration) -> Result<Vec<Delivery<S::Tag>>, Cause> {
        let mut messages = self.source.receive(most, wait).await?;
        for message in &messages {
            self.meter.note(message);
        }
        let came = messages.len();
        messages.retain(|_| !self.forgets());
        self.meter.forgotten.fetch_add(came - messages.len(), Ordering::Relaxed);
        Ok(messages)
    }

    async fn extend(&self, tags: &[&S::Tag]) -> Result<(), Cause> {
        self.source.extend(tags).await
    }

    async fn acknowledge(&self, tags: &[&S::Tag]) -> Result<(), Cause> {
        let some: Vec<&S::Tag> = tags.iter().copied().filter(|_| !self.forgets()).collect();
        self.source.acknowledge(&some).await
    }

    async fn give_back(&self, tags: &[&S::Tag]) -> Result<(), Cause> {
        self.source.give_back(tags).await
    }

    async fn can_reject(&self) -> Result<bool, Cause> {
        self.source.can_reject().await
    }

    async fn reject(&self, tags: &[&S::Tag]) -> Result<(), Cause> {
        self.source.reject(tags).await
    }
}
