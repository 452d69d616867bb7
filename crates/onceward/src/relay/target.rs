//! What a relay hands rows over to.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::Cause;
use crate::outbox::Message;

/// Answers, later: one for each message, in order.
pub type Handing<'a> = Pin<Box<dyn Future<Output = Vec<Handover>> + Send + 'a>>;

/// A queue of jobs, or a broker.
///
/// A target is given a message again after any unclear end, and must know it by its message id.
pub trait Target: fmt::Debug + Send + Sync + 'static {
    /// Its name, in status and logs.
    fn name(&self) -> &str;

    /// Hands messages over, in their order. A message whose key has one before it in `messages` that was not taken is
    /// not handed over either: it is [`Handover::Behind`].
    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a>;
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handover {
    /// The target has it, durably; perhaps it had it before.
    Taken,
    /// The target did not take it, or nobody knows; it is handed over again.
    Later(Cause),
    /// The target will never take it as it is.
    Refused(Cause),
    /// One of its key before it was not taken.
    Behind,
}

/// Keeps rows of a key behind one that was not taken.
#[derive(Debug, Default)]
pub struct Order<'a>(BTreeSet<&'a str>);

impl<'a> Order<'a> {
    /// Whether a message must wait for one before it.
    pub fn is_behind(&self, message: &Message) -> bool {
        message.ordering_key.as_deref().is_some_and(|key| self.0.contains(key))
    }

    /// Notes what became of a message.
    pub fn note(&mut self, message: &'a Message, became: &Handover) {
        if *became != Handover::Taken {
            self.0.extend(message.ordering_key.as_deref());
        }
    }
}
