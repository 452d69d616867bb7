//! How an attempt ended, as its handler says. It is a proposal: the ledger is asked before it is written down.

use crate::{Failure, Receipt, Time};

/// What a handler returns.
pub type Outcome = Result<Done, Failure>;

/// An attempt that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// The effect happened, and this proves it.
    Receipt(Receipt),
    /// Done, with nothing to show.
    Nothing,
    /// Not yet: come back then. No try is spent.
    Snooze(Time),
    /// Stopped half-way because the worker stops. Runs again at once; no try is spent.
    Interrupted,
    /// Settled inside the handler's own transaction, by `complete_in`.
    InTransaction,
}

impl From<Receipt> for Done {
    fn from(receipt: Receipt) -> Self {
        Self::Receipt(receipt)
    }
}
