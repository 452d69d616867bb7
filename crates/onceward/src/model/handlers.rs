//! What a handler does with the ledger, one write at a time, as `effect/step.rs` does it.

use super::command::{Fate, Kind};
use super::drive::{Verdict, World, agree, broken, stored};
use super::platform::{Request, remote_id};
use super::state::TIMEOUT;
use crate::effect::{EffectState, Entry, Next, Terms, look_again, next, not_done, schedule};
use crate::store::effects::{Ledger, Step, Write, Written};
use crate::{Lease, Receipt, Seen, Time};

type Checked<T> = Result<T, proptest::test_runner::TestCaseError>;

impl World<'_> {
    /// Up to the first byte of a request, if there is one to be sent.
    pub(super) async fn send(
        &mut self,
        at: usize,
        step: &str,
        class: Kind,
        fate: Fate,
        blurred: bool,
    ) -> Verdict {
        let (lease, request) = (self.hands[at].job.lease.clone(), self.hands[at].job.payload.clone());
        // It waits for the answer to its first request.
        if self.model.platform.awaits(&lease, step) {
            return Ok(());
        }
        let Some((mut entry, class)) = self.prepare(&lease, step, class, &request).await? else {
            return Ok(());
        };
        if next(&entry, class.looks()) == Next::Look {
            self.look(&lease, step, &entry, blurred).await?;
            let Some((again, _)) = self.prepare(&lease, step, class, &request).await? else { return Ok(()) };
            entry = again;
        }
        if next(&entry, class.looks()) == Next::Gone {
            let written = self.write(Write::Gone { step: named(&lease, step) }).await?;
            agree("gone", &self.model.gone(&lease, step), &matches!(written, Written::Done))?;
            let Some((again, _)) = self.prepare(&lease, step, class, &request).await? else { return Ok(()) };
            entry = again;
        }
        if next(&entry, class.looks()) == Next::Send {
            self.begin(at, step, &entry, class, fate).await?;
        }
        Ok(())
    }

    async fn prepare(
        &mut self,
        lease: &Lease,
        step: &str,
        class: Kind,
        request: &str,
    ) -> Checked<Option<(Entry, Kind)>> {
        let write = Write::Prepare {
            step: named(lease, step),
            key: remote_id(lease.job, step),
            request: request.to_owned(),
            hash: request.to_owned(),
            terms: Terms { class: class.class(), timeout: TIMEOUT, resend: false },
            closes: step == "step-0",
        };
        let written = self.write(write).await?;
        match (self.model.prepare(lease, step, class, request), written) {
            (Some(effect), Written::Entry(entry)) => {
                agree("frozen", &effect.class.class(), &entry.terms.class)?;
                agree("prepared", &effect.row.state.as_str(), &entry.state.as_str())?;
                Ok(Some((*entry, effect.class)))
            }
            (None, Written::Refused) => Ok(None),
            (effect, written) => {
                Err(broken(format!("prepare: model {:?}, store {written:?}", effect.map(|e| e.row))))
            }
        }
    }

    async fn look(&mut self, lease: &Lease, step: &str, entry: &Entry, blurred: bool) -> Verdict {
        let shown = self.model.platform.shows(lease.job, step, self.model.now);
        let (write, expected) = if blurred || !shown {
            let seen = if blurred { Seen::CannotTell } else { Seen::Absent };
            let (absent, check_at) = (seen == Seen::Absent, look_again(entry, &seen));
            let write = Write::Looked { step: named(lease, step), absent, check_at };
            (write, self.model.looked(lease, step, absent, check_at))
        } else {
            let receipt = Receipt::id(remote_id(lease.job, step));
            (Write::Found { step: named(lease, step), receipt }, self.model.found(lease, step))
        };
        let written = self.write(write).await?;
        agree("look", &expected, &matches!(written, Written::Done))
    }

    async fn begin(&mut self, at: usize, step: &str, entry: &Entry, class: Kind, fate: Fate) -> Verdict {
        let job = &self.hands[at].job;
        let (lease, leased_until) = (job.lease.clone(), job.leased_until);
        let write = Write::Begin { step: named(&lease, step), entry: Box::new(entry.clone()) };
        let written = self.write(write).await?;
        let deadline = self.model.begin(&lease, step);
        agree("begin", &deadline.is_some(), &matches!(written, Written::Begun { .. }))?;
        if let Some(deadline) = deadline {
            let (_, look_at) = schedule(entry, self.model.now, leased_until);
            let (step, entry) = (step.to_owned(), entry.clone());
            let request =
                Request { lease, step, class, fate, deadline, arrived: false, awaited: true, entry, look_at };
            self.model.platform.requests.push(request);
        }
        Ok(())
    }

    /// The answer of a request comes, or its sender gives up waiting.
    pub(super) async fn answer(&mut self, number: usize, heard: bool) -> Verdict {
        let requests = self.model.platform.requests.iter().enumerate().rev();
        let awaited: Vec<usize> = requests.filter(|(_, request)| request.awaited).map(|(at, _)| at).collect();
        if awaited.is_empty() {
            return Ok(());
        }
        let at = awaited[number % awaited.len()];
        let now = self.model.now;
        if heard {
            self.model.platform.arrive(at, now);
        }
        self.model.platform.requests[at].awaited = false;
        let request = self.model.platform.requests[at].clone();
        let (lease, step) = (&request.lease, request.step.as_str());
        let (state, check_at, receipt) = came_to(&request, heard);
        let send = request.entry.sends + 1;
        let write =
            Write::Answer { step: named(lease, step), send, state, check_at, receipt, response: None };
        let written = self.write(write).await?;
        let expected = self.model.answer(lease, (step, send), state, check_at);
        agree("answer", &expected, &matches!(written, Written::Done))
    }

    async fn write(&self, write: Write) -> Checked<Written> {
        let mut written = stored(self.once().db().fold::<Ledger>(vec![write]).await)?;
        written.pop().ok_or_else(|| broken("the ledger gave no answer".to_owned()))
    }
}

fn named(lease: &Lease, step: &str) -> Step {
    Step { lease: lease.clone(), name: step.to_owned() }
}

fn came_to(request: &Request, heard: bool) -> (EffectState, Option<Time>, Receipt) {
    let said = match request.fate {
        _ if !heard => EffectState::Unknown,
        Fate::Accepts => {
            return (EffectState::Accepted, None, Receipt::id(remote_id(request.lease.job, &request.step)));
        }
        Fate::Refuses => EffectState::Refused,
        Fate::Unreached => EffectState::Prepared,
    };
    let state = not_done(&request.entry, said);
    (state, request.look_at.filter(|_| state == EffectState::Unknown), Receipt::default())
}
