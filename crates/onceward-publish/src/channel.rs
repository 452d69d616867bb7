//! The adapter contract: what is special about one kind of channel, and nothing else.
//!
//! | act | pure | may be repeated |
//! | --- | --- | --- |
//! | [`limits`](Channel::limits), [`render`](Channel::render), [`class`](Channel::class) | yes | – |
//! | [`commit`](Channel::commit) | no | **no**: the one visible change, one request, no retry inside |
//! | [`verify`](Channel::verify), [`check`](Channel::check) | no | yes |
//!
//! The ledger decides what may be sent again, by the class; an adapter never does.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use onceward::{Class, Failure, Intent, Onceward, Receipt, Seen, SendError};
use serde_json::Value as Json;

use crate::dress::Dressed;

/// What an act of an adapter gives, later.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A kind of channel, with the settings of one channel.
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// What it can take.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// All that will be sent, part by part. Asks no network and no clock: the same post gives the same parts.
    ///
    /// # Errors
    /// The reason why this channel cannot take the post.
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason>;

    /// What the platform offers for sending once.
    fn class(&self) -> Class;

    /// Makes the one visible change, with the request as it was frozen.
    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>>;

    /// Finds out whether an intent happened, where the platform can tell.
    fn verify<'a>(&'a self, _to: &'a Sending<'a>, _intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        Box::pin(async { Seen::CannotTell })
    }

    /// Makes again what it keeps in files of this machine, from the store. Sends nothing to anyone.
    fn restore<'a>(&'a self, _once: &'a Onceward, _channel: &'a str) -> Doing<'a, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    /// Whether it could be sent to now: credentials, permissions. Posts nothing; says what was found.
    fn check(&self) -> Doing<'_, Result<String, Failure>>;
}

/// What a channel can take; `None`: no limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The longest text of one part, counted as the platform counts.
    pub text: Option<usize>,
    /// The most pictures of one part.
    pub media: Option<usize>,
}

/// One visible piece of a post: most channels have one, a thread has several.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What readers see, for a preview.
    pub text: String,
    /// How long the text is, counted as the platform counts.
    pub length: usize,
    /// What the ledger freezes and [`Channel::commit`] sends. No credentials.
    pub request: Json,
}

/// Why a channel cannot take a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// A stable word for programs, such as `text_too_long`.
    pub code: &'static str,
    /// The front matter key that is the cause; none: the text.
    pub key: Option<&'static str>,
    /// What was found, what was expected, what to do.
    pub text: String,
}

impl Reason {
    /// A reason that lies in the text.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, key: None, text: text.into() }
    }
}

/// Where a post goes, in the hands of [`Channel::commit`].
#[derive(Debug, Clone, Copy)]
pub struct Sending<'a> {
    /// The store: media, and what the channel published before.
    pub once: &'a Onceward,
    /// The channel's stable id.
    pub channel: &'a str,
    /// The content's id.
    pub content: &'a str,
    /// The receipt of the part before, in a thread.
    pub previous: Option<&'a Receipt>,
}
