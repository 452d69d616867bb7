//! What the world said of a send, on its way into the ledger: it may outlive the attempt that heard it.

use std::time::Duration;

use onceward_db::ErrorKind;
use tokio::time::Instant;

use super::EffectState;
use super::step::lost;
use crate::backoff::Backoff;
use crate::store::effects::{Ledger, Step, Write, Written};
use crate::{Failure, Onceward};

/// How long the store may be away before an answer is given up, and what it said is in doubt.
const PERSISTS: Duration = Duration::from_hours(1);

/// An answer that the ledger lacks, and that nobody else knows.
pub(super) struct Answer {
    pub(super) once: Onceward,
    pub(super) step: Step,
    pub(super) state: EffectState,
    pub(super) write: Write,
}

impl Answer {
    /// Again and again while the store is away. Writing it twice changes nothing.
    pub(super) async fn persist(self) -> Result<(), Failure> {
        let (job, step) = (self.step.lease.job, &self.step.name);
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
                    tracing::error!(job, step, %error, "an answer could not be written; tried again");
                }
            }
            tokio::time::sleep(Backoff::STORE.after(failures)).await;
            failures += 1;
        };
        tracing::error!(job, step, %error, "an answer could not be written, and is lost");
        Err(error.into())
    }

    fn written(&self, written: Option<&Written>) -> Result<(), Failure> {
        match written {
            None => return Err(lost()),
            // Nothing sent, and nothing written of it: then the row was never open.
            Some(Written::Refused) if self.state != EffectState::Prepared => {
                tracing::warn!(
                    job = self.step.lease.job,
                    step = self.step.name,
                    "an answer came after its effect was settled otherwise"
                );
            }
            Some(_) => {}
        }
        Ok(())
    }
}
