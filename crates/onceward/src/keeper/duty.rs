//! What there is to keep, and how often.

use std::time::Duration;

/// One duty. Its row in the store says when it is done next, so that one process at a time does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Duty {
    /// Leases that ran out go back.
    Reap,
    /// Deltas become figures.
    FoldCounters,
    /// Schedules that are due fire.
    Schedules,
    /// Discarded jobs are cancelled, once it is too late to undo that.
    Discard,
    /// Processes that were not seen for long are forgotten.
    Workers,
    /// Finished jobs that are old enough are dropped.
    Retention,
    /// PostgreSQL only: the history has a partition for each day to come.
    Partitions,
}

impl Duty {
    /// What must not wait for anything.
    pub(crate) const QUICK: &[Self] = &[Self::Reap, Self::FoldCounters, Self::Schedules];
    /// What may take minutes.
    pub(crate) const SLOW: &[Self] = &[Self::Partitions, Self::Discard, Self::Workers, Self::Retention];

    /// Its row.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reap => "reap",
            Self::FoldCounters => "fold_counters",
            Self::Schedules => "schedules",
            Self::Discard => "discard",
            Self::Workers => "workers",
            Self::Retention => "retention",
            Self::Partitions => "partitions",
        }
    }

    /// How often it is done.
    pub(crate) const fn every(self) -> Duration {
        match self {
            Self::Reap | Self::FoldCounters | Self::Schedules => Duration::from_secs(1),
            Self::Discard => Duration::from_secs(30),
            Self::Workers => Duration::from_mins(1),
            Self::Retention | Self::Partitions => Duration::from_hours(1),
        }
    }
}
