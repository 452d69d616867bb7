//! The adapter contract: what is special about one kind of channel, and nothing else.
//!
//! | act | pure | may be repeated |
//! | --- | --- | --- |
//! | [`limits`](Channel::limits), [`render`](Channel::render), [`class`](Channel::class) | yes | – |
//! | [`prepare`](Channel::prepare) | no | **yes, unseen**: tokens, uploads, drafts |
//! | [`commit`](Channel::commit) | no | **no**: the one visible change, one request, no retry inside |
//! | [`verify`](Channel::verify), [`learn`](Channel::learn), [`check`](Channel::check) | no | yes |
//! | [`finish`](Channel::finish) | no | yes, and may fail without consequence |
//!
//! The ledger decides what may be sent again, by the class; an adapter never does.

mod limits;
mod sending;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use onceward::{Class, Failure, Intent, Onceward, Receipt, Seen, SendError};
use serde_json::Value as Json;

use crate::dress::Dressed;

pub use limits::{Limits, MediaLimits};
pub use sending::Sending;

/// What an act of an adapter gives, later.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A kind of channel, with the settings of one channel.
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// What it can take. `server` is what [`learn`](Channel::learn) gave last; null when it never did.
    fn limits(&self, _server: &Json) -> Limits {
        Limits::default()
    }

    /// All that will be sent, part by part. Asks no network and no clock: the same post gives the same parts.
    ///
    /// # Errors
    /// The reason why this channel cannot take the post.
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason>;

    /// How the parts of one post belong together.
    fn bond(&self) -> Bond {
        Bond::Chain
    }

    /// What the platform offers for sending this once. The request is as [`prepare`](Channel::prepare) left it.
    fn class(&self, request: &Json) -> Class;

    /// Does all that nobody sees and that may be done again: renews a token, uploads media, makes a draft.
    ///
    /// Called in each attempt before a part is sent, first with the request as it was rendered, later with the one
    /// that is frozen. What it returns the first time is frozen: ids of uploads and drafts go in there. A frozen
    /// request stays as it is, whatever is returned.
    ///
    /// # Errors
    /// What stands in the way. Nothing was sent.
    fn prepare<'a>(&'a self, _to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        Box::pin(async move { Ok(request) })
    }

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

    /// Where a person can look at what was accepted, if the receipt does not say. Failing costs nothing.
    fn finish<'a>(&'a self, _to: &'a Sending<'a>, _receipt: &'a Receipt) -> Doing<'a, Option<String>> {
        Box::pin(async { None })
    }

    /// The id of a post by its address, for a thread to go on after a part of which a person told the address alone.
    /// `None` where an address does not tell it.
    fn id_at(&self, _url: &str) -> Option<String> {
        None
    }

    /// Asks the server what it takes, where it tells: kept in the store, and given to `limits` and `render`.
    fn learn(&self) -> Option<Doing<'_, Result<Json, Failure>>> {
        None
    }

    /// Makes again what it keeps in files of this machine, from the store. Sends nothing to anyone.
    fn restore<'a>(&'a self, _once: &'a Onceward, _channel: &'a str) -> Doing<'a, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    /// Whether it could be sent to now: credentials, permissions. Posts nothing.
    fn check(&self) -> Doing<'_, Result<Checked, Failure>>;
}

/// How the parts of one post belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bond {
    /// A thread: each part answers the one before, so none is sent before that one was accepted.
    Chain,
    /// Each stands alone, such as a mail to each recipient: one that fails does not keep back the others.
    Apart,
}

/// What [`Channel::check`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The account at the other end, the same for two channels that lead to one account.
    pub account: Option<String>,
    /// What was found, for people.
    pub text: String,
}

impl Checked {
    /// No account, just words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { account: None, text: text.into() }
    }
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

    /// The same reason, said of a front matter key.
    #[must_use]
    pub fn of(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }
}
