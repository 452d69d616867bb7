//! What a broker must offer to be a source of jobs.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use onceward::{Cause, Time};

/// A message as a broker gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Incoming {
    /// What it carries.
    pub body: Vec<u8>,
    /// Its headers, by names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The engine's own name for it, the same at each delivery; `None`: the engine has none, and a repeat of such a
    /// message cannot be known.
    pub id: Option<String>,
    /// When the broker took it, if it says so.
    pub published: Option<Time>,
}

impl Incoming {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// A message, and what acknowledges it.
#[derive(Debug, Clone)]
pub struct Delivery<T> {
    /// The message.
    pub message: Incoming,
    /// By what its source knows this delivery of it.
    pub tag: T,
}

/// A queue, stream or consumer of a broker.
///
/// An error of any of these is waited out and tried again, so a source connects anew by itself. What was delivered and
/// not acknowledged comes again, at the latest when its visibility ends.
pub trait Source: fmt::Debug + Send + Sync + 'static {
    /// By what it knows one delivery.
    type Tag: fmt::Debug + Send + Sync;

    /// Its name, in status and logs.
    fn name(&self) -> &str;

    /// How often [`Source::extend`] is to be called for what is not acknowledged yet; `None`: never.
    fn extend_every(&self) -> Option<Duration>;

    /// Messages that wait, at most so many: as soon as there is one, or none after `wait`. Asked for again only when all
    /// that came before is answered for: what is not may come again with it.
    fn receive(
        &self,
        most: usize,
        wait: Duration,
    ) -> impl Future<Output = Result<Vec<Delivery<Self::Tag>>, Cause>> + Send;

    /// Says that these are still worked on.
    fn extend(&self, tags: &[&Self::Tag]) -> impl Future<Output = Result<(), Cause>> + Send;

    /// Says that these are kept elsewhere now.
    fn acknowledge(&self, tags: &[&Self::Tag]) -> impl Future<Output = Result<(), Cause>> + Send;

    /// Gives these back, to be delivered again at once.
    fn give_back(&self, tags: &[&Self::Tag]) -> impl Future<Output = Result<(), Cause>> + Send;

    /// Whether a message that is rejected comes no more. Where it would come for ever, it is kept as a dead job instead,
    /// and so it is when nobody can tell.
    fn can_reject(&self) -> impl Future<Output = Result<bool, Cause>> + Send;

    /// Leaves these to what the engine itself does with messages that nobody can take (its dead letters).
    fn reject(&self, tags: &[&Self::Tag]) -> impl Future<Output = Result<(), Cause>> + Send;
}
