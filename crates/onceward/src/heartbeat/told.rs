//! What one running job is told.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// What a running job is told. A later one is never followed by an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Go on.
    Run,
    /// Come to an end.
    Stop,
    /// The grace is over: what is not finished goes back to the queue.
    HandBack,
    /// The lease is gone: nothing that this attempt does counts any more.
    Lost,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Run, Self::Stop, Self::HandBack, Self::Lost];
}

/// The phase of one job, shared by who tells and who listens: lighter than a channel, since each job has one.
#[derive(Debug, Default)]
pub(crate) struct Told {
    phase: AtomicU8,
    changed: Notify,
}

impl Told {
    pub(crate) fn phase(&self) -> Phase {
        let at = usize::from(self.phase.load(Ordering::Acquire));
        Phase::ALL.get(at).copied().unwrap_or(Phase::Lost)
    }

    /// Waits until it is told this or a later one.
    pub(crate) async fn at_least(&self, phase: Phase) -> Phase {
        let mut changed = pin!(self.changed.notified());
        loop {
            // Before the look, so that what is told between the look and the wait is heard.
            changed.as_mut().enable();
            let now = self.phase();
            if now >= phase {
                return now;
            }
            changed.as_mut().await;
            changed.set(self.changed.notified());
        }
    }

    pub(super) fn tell(&self, phase: Phase) {
        let phase = phase as u8;
        if self.phase.fetch_max(phase, Ordering::AcqRel) < phase {
            self.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, Told};

    #[tokio::test]
    async fn what_was_told_stays_and_wakes_whoever_waits_for_it() {
        let told = Told::default();
        let waits = told.at_least(Phase::HandBack);
        let tells = async {
            told.tell(Phase::Stop);
            tokio::task::yield_now().await;
            told.tell(Phase::Lost);
            told.tell(Phase::HandBack);
        };
        assert_eq!(tokio::join!(waits, tells).0, Phase::Lost);
        assert_eq!(told.at_least(Phase::Stop).await, Phase::Lost);
    }
}
