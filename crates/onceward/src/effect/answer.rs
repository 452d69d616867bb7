//! What the world said of a send, on its way into the ledger: it may outlive the attempt that heard it.

use std::time::Duration;

use onceward_db::ErrorKind;
use tokio::time::Instant;

use super::step::lost;
use crate::backoff::Backoff;
use crate::store::effects::{Ledger, Write, Written};
use crate::{Failure, JobId, Onceward};

/// How long the store may be away before an answer is given up, and what it said is in doubt.
const PERSISTS: Duration = Duration::from_hours(1);

/// An answer that the ledger lacks, and that nobody else knows.
pub(super) struct Answer {
    pub(super) once: Onceward,
    pub(super) job: JobId,
    pub(super) step: String,
    /// The ledger may have no place for it.
    pub(super) may_be_unknown: bool,
    pub(super) write: Write,
}

impl Answer {
    /// Again and again while the store is away. Writing it twice changes nothing.
    pub(super) async fn persist(self) -> Result<(), Failure> {
        let (begun, mut failures) = (Instant::now(), 0);
        let error = loop {
            match self.once.db().fold::<Ledger>(vec![self.write.clone()]).await {
                Ok(written) => return self.written(written.first()),
                // Once more: another job may have got the same id in this moment, which is left out then.
                Err(error)
                    if failures > 0 && matches!(error.kind(), ErrorKind::Constraint | ErrorKind::Decode) =>
                {
                    break error;
                }
                Err(error) if begun.elapsed() > PERSISTS || self.once.db().is_closed() => break error,
                Err(error) => {
                    tracing::error!(job = self.job, step = self.step, %error, "an answer could not be written; tried again");
                }
            }
            tokio::time::sleep(Backoff::STORE.after(failures)).await;
            failures += 1;
        };
        tracing::error!(job = self.job, step = self.step, %error, "an answer could not be written, and is lost");
        Err(error.into())
    }

    fn written(&self, written: Option<&Written>) -> Result<(), Failure> {
        match written {
            None => return Err(lost()),
            Some(Written::Refused) if !self.may_be_unknown => {
                tracing::warn!(
                    job = self.job,
                    step = self.step,
                    "an answer came after its effect was settled otherwise"
                );
            }
            Some(_) => {}
        }
        Ok(())
    }
}
