//! The relay: carries rows of an outbox to a target, each at least once and known there by its message id.
//!
//! Rows are claimed by their state, never by "id greater than the last": ids commit out of order, and such a relay
//! loses rows (`docs/decisions/0013-the-relay-claims-by-state.md`). Several relays may run side by side.

mod jobs;
mod standing;
mod target;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use onceward_db::random_id;
use tokio::time::Instant;

pub use self::jobs::JobTarget;
pub use self::standing::RelayView;
pub use self::target::{Handing, Handover, Order, Target};
use crate::backoff::Backoff;
use crate::outbox::{Message, Outbox};
use crate::store::micros_of;
use crate::store::outbox::{Ask, Claimed, Ending, Kept};
use crate::{Cause, Error};

/// Rows of one claim.
const BATCH: usize = 200;
/// For how long nobody else claims what a relay has claimed, unless told otherwise.
const LEASE: Duration = Duration::from_mins(1);
/// The shortest such time: half of it is for the hand-over.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);
/// How often an idle relay looks, beside being woken.
const POLL: Duration = Duration::from_millis(500);
/// The pauses after failures.
const PAUSE: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_mins(1) };
/// How often rows beyond the replay window are deleted.
const TIDY: Duration = Duration::from_mins(10);

/// Carries the rows of one outbox to one target.
#[derive(Debug, Clone)]
pub struct Relay {
    outbox: Outbox,
    target: Arc<dyn Target>,
    batch: usize,
    lease: Duration,
}

/// What a relay did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Relayed {
    /// Rows that the target took, repeats of what it had included.
    pub sent: u64,
    /// Rows that it will never take as they are.
    pub refused: u64,
    /// Rows that wait for another try.
    pub waiting: u64,
}

impl Relay {
    /// A relay from this outbox to this target.
    pub fn new(outbox: Outbox, target: Arc<dyn Target>) -> Self {
        Self { outbox, target, batch: BATCH, lease: LEASE }
    }

    /// Where its rows come from.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// At most this many rows at once.
    #[must_use]
    pub fn batch(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// For how long nobody else claims what this relay has claimed (1 min, at least 1 s): after a crash another hands
    /// it over then. A target has half of it for one batch.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(SHORTEST_LEASE);
        self
    }

    /// Relays until `stop` is ready; what is under way is ended first.
    ///
    /// # Errors
    /// When the outbox cannot be reached at the start. Later failures are waited out and logged.
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Result<(), Error> {
        self.outbox.require_migrated().await?;
        let (mut changes, mut failures, mut tidied) = (self.outbox.db().changes(), 0_u32, Instant::now());
        tokio::pin!(stop);
        loop {
            let did = self.round().await;
            if let Err(error) = &did {
                tracing::warn!(target = self.target.name(), %error, "the outbox cannot be read; it is tried again");
            }
            let fine = did.as_ref().is_ok_and(|round| !round.away);
            failures = if fine { 0 } else { failures.saturating_add(1) };
            if tidied.elapsed() > TIDY {
                tidied = Instant::now();
                self.tidy().await;
            }
            if did.is_ok_and(|round| round.more && fine) && !is_ready(&mut stop).await {
                continue;
            }
            let idle = async {
                // After a failure news of more rows is no reason to try sooner.
                if fine {
                    let _ = tokio::time::timeout(POLL, changes.next()).await;
                } else {
                    tokio::time::sleep(PAUSE.after(failures - 1)).await;
                }
            };
            tokio::select! {
                () = &mut stop => return Ok(()),
                () = idle => {}
            }
        }
    }

    /// Hands over all that is due, and gives what became of it.
    ///
    /// # Errors
    /// When the outbox cannot be read or written.
    pub async fn run_until_idle(&self) -> Result<Relayed, Error> {
        let mut total = Relayed::default();
        loop {
            let round = self.round().await?;
            total.sent += round.did.sent;
            total.refused += round.did.refused;
            total.waiting += round.did.waiting;
            // What a killed relay had in hand goes as well.
            if round.away || !round.more && self.outbox.take_back().await? == 0 {
                return Ok(total);
            }
        }
    }

    async fn round(&self) -> Result<Round, Error> {
        // Its beginning tells whose the claim is, and so whether a dead process had it.
        let token = format!("{}.{}", self.outbox.db().boot(), random_id()?);
        let ask = Ask { token: token.clone(), limit: self.batch, lease: self.lease };
        let claimed = self.outbox.claim(ask).await?;
        if claimed.is_empty() {
            let more = self.outbox.take_back().await? > 0;
            return Ok(Round { more, ..Round::default() });
        }
        let count = claimed.len();
        let (places, said) = self.hand_over(claimed).await;
        let outage = said.iter().any(|said| matches!(said, Handover::Later(cause) if cause.outage));
        let (ending, did) = ending(token, self.target.name(), &places, said);
        let moved = did.sent + did.refused > 0;
        // Rows behind others can follow at once; those that failed pause, and are not found by the next claim.
        let more = count == self.batch || (moved && did.waiting > 0);
        // Rows that wait for reasons of their own hold up no others.
        let away = !moved && outage;
        let held = self.outbox.end(ending).await?;
        if held < count {
            tracing::info!(
                target = self.target.name(),
                rows = count - held,
                "another relay had claimed these rows meanwhile; the target knows the repeat"
            );
        }
        Ok(Round { did, more, away })
    }

    /// Hands over what can be read, and gives an answer for each row.
    async fn hand_over(&self, claimed: Vec<Claimed>) -> (Vec<Place>, Vec<Handover>) {
        let places: Vec<Place> = claimed.iter().map(|row| Place::of(&row.message)).collect();
        let mut said = screened(&claimed);
        let fit: Vec<usize> = (0..said.len()).filter(|at| said[*at].is_none()).collect();
        let messages: Vec<Message> = claimed
            .into_iter()
            .zip(&said)
            .filter(|(_, said)| said.is_none())
            .map(|(row, _)| row.message)
            .collect();
        if !messages.is_empty() {
            let hand = tokio::time::timeout(self.lease / 2, self.target.hand_over(&messages)).await;
            for (at, answer) in fit.into_iter().zip(hand.unwrap_or_else(|_| slow(messages.len()))) {
                said[at] = Some(answer);
            }
        }
        let missing = || Handover::Later(Cause::new("no_answer", "the target gave no answer for this row"));
        (places, said.into_iter().map(|said| said.unwrap_or_else(missing)).collect())
    }

    async fn tidy(&self) {
        if let Err(error) = self.outbox.tidy().await {
            tracing::warn!(%error, "rows beyond the replay window could not be deleted; they are later");
        }
    }
}

/// One claim and what became of it.
#[derive(Debug, Clone, Copy, Default)]
struct Round {
    did: Relayed,
    /// There may be more to claim at once.
    more: bool,
    /// Nothing was taken, and not for the rows' sake.
    away: bool,
}

/// What is left of a claimed row while its message is with the target.
#[derive(Debug, Clone, Copy)]
struct Place {
    id: i64,
    tries: u32,
}

impl Place {
    fn of(message: &Message) -> Self {
        Self { id: message.id, tries: message.tries }
    }
}

/// The answer for each row that no target is given: it cannot be read, or is behind one of its key that cannot.
fn screened(claimed: &[Claimed]) -> Vec<Option<Handover>> {
    let mut order = Order::default();
    let mut said = Vec::with_capacity(claimed.len());
    for Claimed { message, wrong } in claimed {
        said.push(if order.is_behind(message) {
            Some(Handover::Behind)
        } else {
            wrong.as_ref().map(|why| {
                Handover::Refused(Cause::new("bad_row", format!("this row cannot be read: {why}")))
            })
        });
        if let Some(Some(became)) = said.last() {
            order.note(message, became);
        }
    }
    said
}

fn slow(count: usize) -> Vec<Handover> {
    let cause = Cause::new("timeout", "the target did not answer in time").outage();
    vec![Handover::Later(cause); count]
}

async fn is_ready(stop: &mut (impl Future<Output = ()> + Unpin)) -> bool {
    tokio::select! {
        biased;
        () = stop => true,
        () = std::future::ready(()) => false,
    }
}

/// What is to be written of a claim. Pure. A row behind one of its key that was not taken waits for it.
fn ending(token: String, target: &str, places: &[Place], said: Vec<Handover>) -> (Ending, Relayed) {
    let mut ending =
        Ending { token, target: target.to_owned(), sent: Vec::new(), kept: Vec::new(), failed: None };
    let mut did = Relayed::default();
    for (place, said) in places.iter().zip(said) {
        match said {
            Handover::Taken => {
                ending.sent.push(place.id);
                did.sent += 1;
            }
            Handover::Behind => {
                ending.kept.push(kept(place, "waiting", None, Duration::ZERO));
                did.waiting += 1;
            }
            Handover::Later(cause) => {
                let pause = if cause.outage { Duration::ZERO } else { PAUSE.after(place.tries) };
                ending.kept.push(kept(place, "waiting", Some(&cause), pause));
                ending.failed.get_or_insert(cause);
                did.waiting += 1;
            }
            Handover::Refused(cause) => {
                ending.kept.push(kept(place, "refused", Some(&cause), Duration::ZERO));
                ending.failed.get_or_insert(cause);
                did.refused += 1;
            }
        }
    }
    (ending, did)
}

fn kept(place: &Place, state: &'static str, cause: Option<&Cause>, pause: Duration) -> Kept {
    Kept {
        id: place.id,
        state,
        // A cause always serializes: texts and numbers only.
        error: cause.and_then(|cause| serde_json::to_string(cause).ok()),
        tried: u8::from(cause.is_some()),
        pause: micros_of(pause),
    }
}
