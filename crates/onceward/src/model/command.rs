//! What can happen.

/// One thing that happens. Numbers of jobs, hands and requests count what there is, round and round.
#[derive(Debug, Clone)]
pub(super) enum Command {
    Enqueue(Ask),
    /// A caller looks whether a key is free, before its transaction.
    LookAtKey(u8),
    Claim {
        worker: u8,
        most: u32,
        lone: bool,
    },
    Extend {
        hand: usize,
    },
    /// So many seconds pass.
    Wait(u64),
    /// A handler comes to a step, up to the moment when its request leaves.
    Send {
        hand: usize,
        step: u8,
        class: Kind,
        fate: Fate,
        blurred: bool,
    },
    /// What a request came to is written down, or that nothing was heard.
    Answer {
        request: usize,
        heard: bool,
    },
    Settle {
        hand: usize,
        end: End,
    },
    /// An attempt that was settled is settled again.
    SettleAgain {
        hand: usize,
        end: End,
    },
    Reap,
    /// A slow reaper looks …
    SlowReaperLooks,
    /// … and takes back what it saw.
    SlowReaperTakes,
    /// A worker is gone with all that it holds; perhaps the host can tell.
    Kill {
        worker: u8,
        noticed: bool,
    },
    Person {
        job: usize,
        does: Deed,
    },
    ReviveAll,
    /// Discards that can no longer be undone are carried out.
    CarryOutDiscards,
    FoldFigures,
    ResumeQueue,
}

#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) key: Option<(u8, Mode)>,
    pub(super) payload: u8,
    pub(super) update: bool,
    pub(super) held: bool,
    pub(super) later: bool,
    pub(super) door: Door,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Forever,
    UntilSettled,
    ForAnHour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Enqueue,
    /// In a caller's transaction, with the key that was looked at, if any.
    InTransaction {
        commits: bool,
    },
}

/// The class of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blind,
    LookUp,
    /// A key, then nothing.
    Keyed,
    /// A key, then a look.
    KeyedThenLookUp,
}

/// What the platform makes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Accepts,
    Refuses,
    /// It is not there.
    Unreached,
}

/// What a handler returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Receipt,
    Nothing,
    Snooze,
    Interrupted,
    NotCommitted,
    Transient,
    RateLimited,
    AuthNeeded,
    Permanent,
    InDoubt,
}

/// What a person does to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Cancel,
    Hold,
    Release,
    Revive {
        payload: Option<u8>,
        may_repeat: bool,
    },
    Discard,
    Undiscard,
    Verify,
    /// Said only where it is true.
    SaysItHappened,
    /// Said only where it is true.
    SaysItDidNot,
    GivesUp,
}
