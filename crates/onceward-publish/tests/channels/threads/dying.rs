//! An adapter in a process that dies at a given moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use onceward::{Class, Failure, Intent, Receipt, Seen, SendError};
use onceward_publish::Dressed;
use onceward_publish::channel::{Bond, Channel, Checked, Doing, Limits, Part, Reason, Sending};
use serde_json::Value as Json;

/// When the process dies, with the part that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// All before this part have their receipts, and it has no intent.
    BeforeIntent(usize),
    /// Its intent is durable, and no request has left.
    Intended(usize),
    /// The platform has it, and it has no receipt.
    Accepted(usize),
    /// All parts have their receipts, and the job is not settled.
    AllReceipts,
}

impl Moment {
    /// How many parts are there at that moment.
    pub(super) fn there(self, parts: usize) -> usize {
        match self {
            Self::BeforeIntent(part) | Self::Intended(part) => part,
            Self::Accepted(part) => part + 1,
            Self::AllReceipts => parts,
        }
    }
}

/// Passes everything on; at its moment it says so, and goes no further.
#[derive(Debug)]
pub(super) struct Dying {
    inner: Arc<dyn Channel>,
    at: Moment,
    reached: mpsc::Sender<()>,
    parts: usize,
    /// How often the class was asked for: once for each part when it is frozen, then again right before its intent.
    classes: AtomicUsize,
}

impl Dying {
    pub(super) fn new(inner: Arc<dyn Channel>, at: Moment, parts: usize) -> (Self, mpsc::Receiver<()>) {
        let (reached, hears) = mpsc::channel();
        (Self { inner, at, reached, parts, classes: AtomicUsize::new(0) }, hears)
    }

    async fn stop_if(&self, here: Moment) {
        if self.at == here {
            self.say();
            std::future::pending::<()>().await;
        }
    }

    fn say(&self) {
        // Nobody hears it only when the test has failed already.
        let _ = self.reached.send(());
    }
}

impl Channel for Dying {
    fn limits(&self, server: &Json) -> Limits {
        self.inner.limits(server)
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        self.inner.render(post)
    }

    fn bond(&self) -> Bond {
        self.inner.bond()
    }

    fn class(&self, request: &Json) -> Class {
        let asked = self.classes.fetch_add(1, Ordering::SeqCst);
        if asked.checked_sub(self.parts).is_some_and(|part| self.at == Moment::BeforeIntent(part)) {
            self.say();
            // Not async: the thread stays here until the test's own process ends.
            loop {
                std::thread::park();
            }
        }
        self.inner.class(request)
    }

    fn prepare<'a>(&'a self, to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        self.inner.prepare(to, request)
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            self.stop_if(Moment::Intended(to.part)).await;
            let mut receipt = self.inner.commit(to, intent).await?;
            self.stop_if(Moment::Accepted(to.part)).await;
            if self.at == Moment::AllReceipts {
                // Without it, `finish` is asked when all is done.
                receipt.url = None;
            }
            Ok(receipt)
        })
    }

    fn verify<'a>(&'a self, to: &'a Sending<'a>, intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        self.inner.verify(to, intent)
    }

    fn finish<'a>(&'a self, to: &'a Sending<'a>, receipt: &'a Receipt) -> Doing<'a, Option<String>> {
        Box::pin(async move {
            self.stop_if(Moment::AllReceipts).await;
            self.inner.finish(to, receipt).await
        })
    }

    fn learn(&self) -> Option<Doing<'_, Result<Json, Failure>>> {
        self.inner.learn()
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        self.inner.check()
    }
}
