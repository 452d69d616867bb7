//! The effect ledger: an intent is durable before the first byte leaves, a receipt after; what was lost is found out.

mod answer;
mod decide;
mod step;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::duration;
use crate::{Failure, Receipt};

pub(crate) use self::decide::{Next, is_in_sight, look_again, next, not_done, schedule};
pub use self::step::{Effect, Look, Verifier};

/// What a platform offers for sending once. It decides what may be repeated, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The platform recognises a key for this long; after that the fallback holds.
    Keyed {
        /// From the first send.
        #[serde(with = "duration")]
        window: Duration,
        /// What else can be done.
        fallback: Fallback,
    },
    /// The same request any number of times has one effect.
    Deterministic,
    /// A draft, a container or a session was made unseen; its id tells whether it was flipped.
    TwoPhase,
    /// Our own items can be listed, this long after they were made.
    LookUp {
        /// How long a fresh item may stay unseen.
        #[serde(with = "duration")]
        lag: Duration,
    },
    /// Nothing can tell.
    Blind,
}

/// What is left when the window of a key is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// List our own items.
    LookUp {
        /// How long a fresh item may stay unseen.
        #[serde(with = "duration")]
        lag: Duration,
    },
    /// Nothing can tell.
    Blind,
}

/// What the ledger keeps of how a step is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub class: Class,
    /// How long one request may take.
    #[serde(with = "duration")]
    pub timeout: Duration,
    /// The owner wants a blind doubt sent again, once, after the quiet period.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resend: bool,
}

impl Terms {
    /// How long something that was accepted may stay unseen.
    pub(crate) fn lag(&self) -> Duration {
        match self.class {
            Class::LookUp { lag } | Class::Keyed { fallback: Fallback::LookUp { lag }, .. } => lag,
            _ => Duration::ZERO,
        }
    }
}

/// What is about to be sent, or is looked for: the same bytes every time.
#[derive(Debug, Clone)]
pub struct Intent<R> {
    /// Made once for this step and kept for ever: idempotency key, record key, nonce, Message-ID.
    pub key: String,
    /// The request as it was frozen when first prepared.
    pub request: R,
    /// When it was first sent; a look-up lists from a little before then. `None` before the first send.
    pub first_sent_at: Option<crate::Time>,
    /// How often it was sent before.
    pub sends: u32,
}

/// What a look found.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// It happened, and this proves it.
    Found(Receipt),
    /// Any of these could be it, the likeliest first: it is the first that no other job of the queue owns. When all
    /// of them have owners, it is absent.
    AnyOf(Vec<Receipt>),
    /// It is certainly not there. A failed look is not this.
    Absent,
    /// The look was answered, and was not conclusive.
    CannotTell,
    /// The look failed, and why: what that says of the queue as a whole (down, wait, credentials) holds, and it was no
    /// look at this effect.
    Failed(Failure),
}

/// A row of the ledger.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub generation: i64,
    pub terms: Terms,
    pub key: String,
    pub request: String,
    pub request_hash: String,
    pub state: EffectState,
    pub sends: u32,
    pub looks: u32,
    pub absent: u32,
    pub first_sent_at: Option<crate::Time>,
    pub quiet_until: Option<crate::Time>,
    pub receipt: Receipt,
    /// Somebody cancelled the job: what is open is found out, and nothing is sent.
    pub stop: bool,
    /// If it was sent last, that was in commits that the store has lost.
    pub lost: bool,
    pub now: crate::Time,
}

/// Where an effect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectState {
    Prepared,
    Sending,
    Accepted,
    Refused,
    Unknown,
}

impl EffectState {
    pub(crate) const ALL: [Self; 5] =
        [Self::Prepared, Self::Sending, Self::Accepted, Self::Refused, Self::Unknown];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Sending => "sending",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }

    /// The state that a row names.
    pub(crate) fn read(word: &str) -> onceward_db::Result<Self> {
        let unknown = || format!("{word:?} is no state of an effect");
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == word)
            .ok_or_else(|| onceward_db::Error::new(onceward_db::ErrorKind::Decode, unknown()))
    }
}
