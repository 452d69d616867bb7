//! What the protocol can be in the middle of: the job, its effect, the workers, the wire, the platform.
//!
//! Time is held as *ticks left*, never as a date, and lease tokens keep only their order. So the state space
//! is finite without a bound on claims, crashes, heartbeats, look-ups, resends or revives.

/// How much time is left until something certain happens.
pub(crate) type Ticks = u8;
/// A lease token. Nought is nobody's.
pub(crate) type Token = u8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Job {
    Pending,
    Running { token: Token, lease: Ticks },
    InDoubt,
    Done,
    Dead,
    Cancelled,
}

/// The one row of the effect ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// `prepared` or `refused`: a send may begin.
    Shut,
    /// `sending` or `unknown`: it may have happened.
    Open {
        writer: Token,
        quiet: Ticks,
    },
    Accepted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Answer {
    Accepted,
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Phase {
    Claimed,
    Intended,
    /// Lease checked, first byte not yet sent. Only where a freeze there is allowed.
    Checked,
    /// Sent without an intent. Only where that bug is planted.
    Unrecorded(Option<Answer>),
    Sent(Option<Answer>),
    /// The receipt is durable; the job is not settled yet.
    Recorded,
    Verifying,
    Looked {
        found: bool,
    },
}

/// A worker that takes no step for a while is a stalled one; nothing else marks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Worker {
    Idle,
    /// `lease` is the worker's own, monotonic view of what is left.
    Busy {
        token: Token,
        lease: Ticks,
        phase: Phase,
    },
}

/// A request under way. It outlives the worker that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Request {
    pub(crate) token: Token,
    pub(crate) left: Ticks,
}

/// What really happened, seen by nobody directly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Platform {
    pub(crate) acceptances: u8,
    /// The last acceptance may be hidden from a look for so long.
    pub(crate) hidden: Ticks,
}

/// What a property needs to know of the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // independent facts, each set once
pub(crate) struct Past {
    pub(crate) sent_again: bool,
    pub(crate) late_receipt: bool,
    pub(crate) stale_write: bool,
    pub(crate) undone: bool,
    pub(crate) cancelled: bool,
    pub(crate) intent_after_cancel: bool,
    /// A person saw nothing and has not answered yet. Only where an answer may be older than its look.
    pub(crate) missed_by_person: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) job: Job,
    /// Someone said no: settle what is open, send nothing more.
    pub(crate) stop: bool,
    pub(crate) effect: Effect,
    pub(crate) workers: Vec<Worker>,
    pub(crate) wire: Vec<Request>,
    pub(crate) platform: Platform,
    pub(crate) past: Past,
}

impl World {
    pub(crate) fn new(workers: usize) -> World {
        World {
            job: Job::Pending,
            stop: false,
            effect: Effect::Shut,
            workers: vec![Worker::Idle; workers],
            wire: Vec::new(),
            platform: Platform::default(),
            past: Past::default(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.effect, Effect::Open { .. })
    }

    /// The quiet period is over.
    pub(crate) fn is_quiet(&self) -> bool {
        !matches!(self.effect, Effect::Open { quiet: 1.., .. })
    }

    /// A look may find it.
    pub(crate) fn can_be_seen(&self) -> bool {
        self.platform.acceptances > 0
    }

    /// A look may miss it.
    pub(crate) fn can_be_missed(&self) -> bool {
        self.platform.acceptances == 0 || self.platform.hidden > 0
    }

    /// Lets one tick pass for everyone: a clock may be wrong about the date, but all run at one speed.
    pub(crate) fn tick(&mut self) {
        if let Job::Running { lease, .. } = &mut self.job {
            *lease = lease.saturating_sub(1);
        }
        if let Effect::Open { quiet, .. } = &mut self.effect {
            *quiet = quiet.saturating_sub(1);
        }
        for worker in &mut self.workers {
            if let Worker::Busy { lease, .. } = worker {
                *lease = lease.saturating_sub(1);
            }
        }
        self.wire.retain_mut(|request| {
            let alive = request.left > 0;
            request.left = request.left.saturating_sub(1);
            alive
        });
        self.platform.hidden = self.platform.hidden.saturating_sub(1);
    }

    /// Larger than every token still known to anybody.
    pub(crate) fn fresh_token(&self) -> Token {
        self.tokens().into_iter().max().unwrap_or(0) + 1
    }

    /// Forgets what cannot matter: which worker is which, and how many tokens came before.
    pub(crate) fn canonical(mut self) -> World {
        let mut known = self.tokens();
        known.push(0);
        known.sort_unstable();
        known.dedup();
        self.for_each_token(|token| {
            *token =
                known.iter().position(|known| known == token).map_or(0, |rank| rank.try_into().unwrap_or(0));
        });
        self.workers.sort_unstable();
        self.wire.sort_unstable();
        self
    }

    fn tokens(&self) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(8);
        self.clone().for_each_token(|token| tokens.push(*token));
        tokens
    }

    fn for_each_token(&mut self, mut visit: impl FnMut(&mut Token)) {
        if let Job::Running { token, .. } = &mut self.job {
            visit(token);
        }
        if let Effect::Open { writer, .. } = &mut self.effect {
            visit(writer);
        }
        for worker in &mut self.workers {
            if let Worker::Busy { token, .. } = worker {
                visit(token);
            }
        }
        for request in &mut self.wire {
            visit(&mut request.token);
        }
    }
}
