//! The writes of one kind that wait, each caller's part remembered.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use tokio::sync::oneshot;

use super::Fold;
use crate::{Conn, Error, ErrorKind, Result, Time};

type Reply<A> = oneshot::Sender<Result<Vec<A>>>;

/// One or more callers' writes of one kind.
pub(super) struct Batch<F: Fold> {
    items: Vec<F::Item>,
    callers: Vec<(usize, Reply<F::Answer>)>,
    answers: Vec<F::Answer>,
}

/// A [`Batch`] whose kind is forgotten, so that a queue can hold all kinds.
pub(super) trait Command: Any + Send {
    fn rank(&self) -> u8;
    fn wakes(&self) -> bool;
    fn len(&self) -> usize;
    fn callers(&self) -> usize;
    /// Takes over `other`'s callers if it is of the same kind.
    fn absorb(&mut self, other: Box<dyn Command>) -> std::result::Result<(), Box<dyn Command>>;
    fn run<'a>(
        &'a mut self,
        conn: &'a mut Conn<'_>,
        now: Option<Time>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
    /// Answers every caller, after the commit.
    fn confirm(self: Box<Self>);
    fn refuse(self: Box<Self>, error: &Error);
    /// One command for each caller.
    fn split(self: Box<Self>) -> Vec<Box<dyn Command>>;
}

impl std::fmt::Debug for dyn Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Command(rank {}, {} items)", self.rank(), self.len())
    }
}

impl<F: Fold> Batch<F> {
    pub(super) fn new(items: Vec<F::Item>, reply: Reply<F::Answer>) -> Self {
        Self { callers: vec![(items.len(), reply)], items, answers: Vec::new() }
    }
}

impl<F: Fold> Command for Batch<F> {
    fn rank(&self) -> u8 {
        F::RANK
    }

    fn wakes(&self) -> bool {
        F::WAKES
    }

    fn len(&self) -> usize {
        self.items.len()
    }

    fn callers(&self) -> usize {
        self.callers.len()
    }

    fn absorb(&mut self, other: Box<dyn Command>) -> std::result::Result<(), Box<dyn Command>> {
        if !(&*other as &dyn Any).is::<Self>() {
            return Err(other);
        }
        if let Ok(other) = (other as Box<dyn Any>).downcast::<Self>() {
            self.items.extend(other.items);
            self.callers.extend(other.callers);
        }
        Ok(())
    }

    fn run<'a>(
        &'a mut self,
        conn: &'a mut Conn<'_>,
        now: Option<Time>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        Box::pin(async move {
            self.answers = F::run(conn, &self.items, now).await?;
            if self.answers.len() == self.items.len() {
                return Ok(());
            }
            let text = format!("{} items got {} answers", self.items.len(), self.answers.len());
            Err(Error::new(ErrorKind::Other, text))
        })
    }

    fn confirm(self: Box<Self>) {
        let mut answers = self.answers.into_iter();
        for (count, reply) in self.callers {
            // A caller that has gone away no longer wants its answer.
            drop(reply.send(Ok(answers.by_ref().take(count).collect())));
        }
    }

    fn refuse(self: Box<Self>, error: &Error) {
        for (_, reply) in self.callers {
            drop(reply.send(Err(error.clone())));
        }
    }

    fn split(self: Box<Self>) -> Vec<Box<dyn Command>> {
        let mut items = self.items.into_iter();
        let one = |(count, reply)| {
            let items: Vec<_> = items.by_ref().take(count).collect();
            Box::new(Self::new(items, reply)) as Box<dyn Command>
        };
        self.callers.into_iter().map(one).collect()
    }
}
