//! One step of a handler that changes the world.

use std::time::Duration;

use onceward_db::ErrorKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::answer::Answer;
use super::{Class, EffectState, Entry, Intent, Next, Seen, Terms, is_in_sight, look_again, next, not_done};
use crate::context::Attempt;
use crate::store::effects::{Ledger, Step, Write, Written};
use crate::{Cause, Failure, Receipt, SendError, Time};

/// How long a request may take unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long a fresh item may stay unseen unless told otherwise.
const LAG: Duration = Duration::from_secs(30);
/// Why a step is parked that this store knows no send of.
const LOST: &str = "the store lost its last commits (a standby was promoted, or a backup put in place), so it may have been \
                    sent; nothing but a person can tell";

/// Finds out whether an intent has happened.
pub trait Look<R> {
    /// Whether there is anything to ask.
    const CAN: bool;

    /// Asks.
    fn look(&self, intent: Intent<R>) -> impl Future<Output = Seen>;
}

/// No way to find out: a doubt is parked, unless the class needs no look.
impl<R> Look<R> for () {
    const CAN: bool = false;

    async fn look(&self, _intent: Intent<R>) -> Seen {
        Seen::CannotTell
    }
}

/// A closure that finds out.
#[derive(Debug)]
pub struct Verifier<F>(F);

impl<R, F: Fn(Intent<R>) -> Fut, Fut: Future<Output = Seen>> Look<R> for Verifier<F> {
    const CAN: bool = true;

    async fn look(&self, intent: Intent<R>) -> Seen {
        (self.0)(intent).await
    }
}

/// A step about to be sent. Made by [`Context::effect`](crate::Context::effect).
#[must_use = "an effect does nothing until it is sent"]
pub struct Effect<'a, R, L = ()> {
    attempt: &'a Attempt,
    step: String,
    request: R,
    class: Option<Class>,
    key: Option<String>,
    timeout: Duration,
    resend: bool,
    closes: bool,
    look: L,
}

impl<'a, R: Serialize + DeserializeOwned> Effect<'a, R> {
    pub(crate) fn new(attempt: &'a Attempt, step: &str, request: R) -> Self {
        Self {
            attempt,
            step: step.to_owned(),
            request,
            class: None,
            key: None,
            timeout: TIMEOUT,
            resend: false,
            closes: false,
            look: (),
        }
    }

    /// How to find out whether it happened, after a lost answer. A look that could not be made is
    /// [`Seen::Failed`]; one that takes longer than a request may counts as such.
    pub fn verify<F, Fut>(self, look: F) -> Effect<'a, R, Verifier<F>>
    where
        F: Fn(Intent<R>) -> Fut,
        Fut: Future<Output = Seen>,
    {
        let Self { attempt, step, request, class, key, timeout, resend, closes, look: () } = self;
        Effect { attempt, step, request, class, key, timeout, resend, closes, look: Verifier(look) }
    }
}

impl<R: Serialize + DeserializeOwned, L: Look<R>> Effect<'_, R, L> {
    /// What the platform offers. Without it: `LookUp` where there is a way to verify, else `Blind`.
    pub fn class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }

    /// The key to send with it, if the platform wants a form of its own. Used only when the step is first prepared;
    /// a request that was refused and then edited is another one, and gets `-2`, `-3` … behind it.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How long one request may take. The lease must be longer.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A blind doubt is sent again, once, after the quiet period: the owner prefers two to none.
    pub fn resend(mut self) -> Self {
        self.resend = true;
        self
    }

    /// With this step accepted the job is done: a person who settles a doubt by hand need not run it again.
    pub fn closes(mut self) -> Self {
        self.closes = true;
        self
    }

    /// Freezes the request without sending it, so that several steps are frozen before the first is sent.
    ///
    /// # Errors
    /// When the lease was lost.
    pub async fn freeze(&self) -> Result<(), Failure> {
        self.prepare().await.map(drop)
    }

    /// Sends it, at most once here, unless the ledger knows better.
    ///
    /// A step that was accepted before gives its receipt and sends nothing. An open one is found out first.
    ///
    /// # Errors
    /// What the send says; `InDoubt` when it cannot be known now, and the job waits or is parked.
    pub async fn send<S, Fut>(self, send: S) -> Result<Receipt, Failure>
    where
        S: FnOnce(Intent<R>) -> Fut,
        Fut: Future<Output = Result<Receipt, SendError>>,
    {
        let mut entry = self.prepare().await?;
        if next(&entry, L::CAN) == Next::Look {
            self.look_once(&entry).await?;
            entry = self.prepare().await?;
        }
        if next(&entry, L::CAN) == Next::Gone {
            // Also when the job was cancelled, and is not sent again: then nothing of it is open any more.
            self.write(Write::Gone { step: self.step() }).await?;
            entry = self.prepare().await?;
        }
        match next(&entry, L::CAN) {
            Next::Accepted => Ok(entry.receipt),
            Next::Send => self.send_once(entry, send).await,
            Next::Look | Next::Gone => Err(doubt("not seen yet; it is looked for again".to_owned())),
            Next::Wait(until) => {
                self.wait(Some(until)).await?;
                Err(doubt(format!("it is looked for at {until}")))
            }
            Next::Park => {
                self.wait(None).await?;
                let said = doubt("nothing but a person can tell".to_owned());
                Err(if entry.lost { Failure::InDoubt { cause: Cause::new("restored", LOST) } } else { said })
            }
        }
    }

    /// Without it the ledger would still want a look now, and the job be claimed again at once.
    async fn wait(&self, until: Option<Time>) -> Result<(), Failure> {
        self.write(Write::Wait { step: self.step(), until }).await.map(drop)
    }

    async fn prepare(&self) -> Result<Entry, Failure> {
        let request = serde_json::to_string(&self.request)
            .map_err(|e| Failure::permanent(Cause::new("request_not_json", e.to_string())))?;
        let class = self.class.unwrap_or(if L::CAN { Class::LookUp { lag: LAG } } else { Class::Blind });
        let write = Write::Prepare {
            step: self.step(),
            key: self.key.clone().unwrap_or_else(|| self.attempt.effect_key(&self.step)),
            hash: hex::encode(Sha256::digest(request.as_bytes())),
            request,
            terms: Terms { class, timeout: self.timeout, resend: self.resend },
            closes: self.closes,
        };
        match self.write(write).await? {
            Written::Entry(entry) => Ok(*entry),
            _ => Err(lost()),
        }
    }

    async fn send_once<S, Fut>(self, entry: Entry, send: S) -> Result<Receipt, Failure>
    where
        S: FnOnce(Intent<R>) -> Fut,
        Fut: Future<Output = Result<Receipt, SendError>>,
    {
        let intent = Self::intent(&entry)?;
        let asked = tokio::time::Instant::now();
        let begin = Write::Begin { step: self.step(), entry: Box::new(entry.clone()) };
        let (left, until) = match self.write(begin).await {
            Ok(Written::Begun { left, leased_until }) => (left, leased_until),
            Ok(_) => return Err(lost()),
            // Whether the intent was written is not known; that nothing was sent is.
            Err(failure) => {
                let until = self.attempt.leased_until();
                return self.not_sent(&entry, until, failure.cause().clone()).await;
            }
        };
        // Counted from before the write: a process that was frozen meanwhile must not send. Between this line and
        // the first byte it could still be frozen; no code closes that hole.
        if asked.elapsed() + entry.terms.timeout > left {
            let cause = Cause::new("too_late", "the lease left no time for the request");
            return self.not_sent(&entry, until, cause).await;
        }
        match tokio::time::timeout(entry.terms.timeout, send(intent)).await {
            Ok(Ok(receipt)) => self.accepted(&entry, receipt).await,
            Ok(Err(SendError::Refused(failure))) => self.refused(&entry, until, failure).await,
            Ok(Err(SendError::NotSent(cause))) => self.not_sent(&entry, until, cause).await,
            Ok(Err(SendError::Unknown(cause))) => self.unknown(&entry, until, cause).await,
            Err(_) => {
                let cause = Cause::new("timeout", "no answer within the deadline").outage();
                self.unknown(&entry, until, cause).await
            }
        }
    }

    async fn accepted(self, entry: &Entry, receipt: Receipt) -> Result<Receipt, Failure> {
        let response = serde_json::to_string(&receipt).ok();
        self.answer(entry, EffectState::Accepted, None, receipt.clone(), response).await?;
        Ok(receipt)
    }

    async fn refused(self, entry: &Entry, until: Time, failure: Failure) -> Result<Receipt, Failure> {
        self.not_done(entry, until, EffectState::Refused, failure.cause()).await?;
        Err(failure)
    }

    async fn not_sent(self, entry: &Entry, until: Time, cause: Cause) -> Result<Receipt, Failure> {
        self.not_done(entry, until, EffectState::Prepared, &cause).await?;
        Err(Failure::transient(cause))
    }

    async fn unknown(self, entry: &Entry, until: Time, cause: Cause) -> Result<Receipt, Failure> {
        self.not_done(entry, until, EffectState::Unknown, &cause).await?;
        // What is not seen yet proves nothing here: neither the quiet period nor the key's window is over.
        if is_in_sight(entry, L::CAN) && self.seek(entry).await?.is_none() {
            return Ok(self.prepare().await?.receipt);
        }
        Err(Failure::InDoubt { cause })
    }

    /// Without a receipt. Whatever the handler makes of it, an effect that stays open puts its job in doubt. `until`: the
    /// intent's lease.
    async fn not_done(
        &self,
        entry: &Entry,
        until: Time,
        said: EffectState,
        cause: &Cause,
    ) -> Result<(), Failure> {
        let response = serde_json::to_string(cause).ok();
        let (_, look_at) = super::schedule(entry, self.attempt.now(), until);
        let state = not_done(entry, said);
        let check_at = look_at.filter(|_| state == EffectState::Unknown);
        self.answer(entry, state, check_at, Receipt::default(), response).await
    }

    async fn look_once(&self, entry: &Entry) -> Result<(), Failure> {
        match self.seek(entry).await? {
            None => Ok(()),
            Some(seen) => self.looked(entry, &seen).await,
        }
    }

    /// Asks the platform. `None`: it was found, and the receipt is in the ledger; else what was seen instead.
    async fn seek(&self, entry: &Entry) -> Result<Option<Seen>, Failure> {
        let intent = Self::intent(entry)?;
        let seen = tokio::time::timeout(entry.terms.timeout, self.look.look(intent)).await;
        let seen = seen.unwrap_or_else(|_| {
            let cause = Cause::new("timeout", "no answer to a look within the deadline");
            Seen::Failed(Failure::transient(cause.outage()))
        });
        let (candidates, if_owned) = match seen {
            // Another job owns what was found: this one cannot tell.
            Seen::Found(receipt) => (vec![receipt], Seen::CannotTell),
            Seen::AnyOf(receipts) => (receipts, Seen::Absent),
            Seen::Failed(failure) => return Err(failure),
            other => (Vec::new(), other),
        };
        for receipt in candidates {
            if self.is_ours(receipt).await? {
                return Ok(None);
            }
        }
        Ok(Some(if_owned))
    }

    /// Writes down what was found, unless another job has it; one may have taken it in this moment.
    async fn is_ours(&self, receipt: Receipt) -> Result<bool, Failure> {
        let found = Write::Found { step: self.step(), receipt };
        match self.attempt.once().db().fold::<Ledger>(vec![found]).await {
            Err(error) if error.kind() == ErrorKind::Constraint => Ok(false),
            written => Ok(matches!(written?.pop(), Some(Written::Done))),
        }
    }

    async fn looked(&self, entry: &Entry, seen: &Seen) -> Result<(), Failure> {
        let (absent, check_at) = (*seen == Seen::Absent, look_again(entry, seen));
        match self.write(Write::Looked { step: self.step(), absent, check_at }).await? {
            Written::Done => Ok(()),
            _ => Err(lost()),
        }
    }

    /// Writes what the world said, which exists nowhere else. It goes on when this attempt is ended meanwhile.
    async fn answer(
        &self,
        entry: &Entry,
        state: EffectState,
        check_at: Option<Time>,
        receipt: Receipt,
        response: Option<String>,
    ) -> Result<(), Failure> {
        let (once, step, send) = (self.attempt.once().clone(), self.step(), entry.sends + 1);
        let write = Write::Answer { step: step.clone(), send, state, check_at, receipt, response };
        let answer = Answer { once, step, state, write };
        tokio::spawn(answer.persist()).await.unwrap_or_else(|error| Err(doubt(error.to_string())))
    }

    async fn write(&self, write: Write) -> Result<Written, Failure> {
        let mut written = self.attempt.once().db().fold::<Ledger>(vec![write]).await?;
        written.pop().ok_or_else(lost)
    }

    fn step(&self) -> Step {
        Step { lease: self.attempt.lease().clone(), name: self.step.clone() }
    }

    fn intent(entry: &Entry) -> Result<Intent<R>, Failure> {
        let request = serde_json::from_str(&entry.request)
            .map_err(|e| Failure::permanent(Cause::new("request_unreadable", e.to_string())))?;
        let (first_sent_at, sends) = (entry.first_sent_at, entry.sends);
        Ok(Intent { key: entry.key.clone(), request, first_sent_at, sends })
    }
}

fn doubt(text: String) -> Failure {
    Failure::InDoubt { cause: Cause::new("in_doubt", text) }
}

pub(super) fn lost() -> Failure {
    let text = "the lease was lost or the job was cancelled, so nothing was sent";
    Failure::transient(Cause::new("lease_lost", text))
}
