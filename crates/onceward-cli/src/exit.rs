//! How the process ends, and why.

use serde::Serialize;

/// The exit codes; scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done, scheduled for later, or nothing to do.
    Fine = 0,
    /// The program failed.
    Failed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// Some job is dead, or some row of an outbox refused.
    Dead = 3,
    /// Some job is parked in doubt.
    InDoubt = 4,
    /// Some job is due but not settled, being checked, or held; or some row waits, or cannot be looked for.
    Unsettled = 5,
    /// Stopped by SIGINT, cleanly.
    Interrupted = 130,
    /// Stopped by SIGTERM, cleanly.
    Terminated = 143,
}

/// The jobs of one run by their present state, and how they were enqueued.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Totals {
    pub(crate) new: u64,
    pub(crate) updated: u64,
    pub(crate) skipped: u64,
    pub(crate) done: u64,
    /// Waiting for a time that was asked for.
    pub(crate) scheduled: u64,
    pub(crate) dead: u64,
    /// Parked: a person decides.
    pub(crate) in_doubt: u64,
    /// In doubt, and the platform will be asked again.
    pub(crate) checking: u64,
    /// Waiting for a release.
    pub(crate) held: u64,
    /// Due and not settled, running ones included.
    pub(crate) pending: u64,
}

/// The exit code of a run. What needs a person goes first: 4, then 3, then 5.
pub(crate) fn of(totals: &Totals) -> Exit {
    match totals {
        Totals { in_doubt: 1.., .. } => Exit::InDoubt,
        Totals { dead: 1.., .. } => Exit::Dead,
        Totals { pending: 1.., .. } | Totals { checking: 1.., .. } | Totals { held: 1.., .. } => {
            Exit::Unsettled
        }
        _ => Exit::Fine,
    }
}

/// The exit code of two parts of one run.
pub(crate) fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Fine => 0,
        Exit::Unsettled => 1,
        Exit::Dead => 2,
        Exit::InDoubt => 3,
        Exit::Failed | Exit::Usage | Exit::Interrupted | Exit::Terminated => 4,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// The last line on standard error, when something needs a person.
pub(crate) fn call(totals: &Totals) -> Option<String> {
    match (totals.in_doubt, totals.dead) {
        (0, 0) => None,
        (0, dead) => Some(format!("{dead} dead: onceward dead list")),
        (doubt, 0) => Some(format!("{doubt} in doubt: onceward doubt list")),
        (doubt, dead) => Some(format!("{doubt} in doubt, {dead} dead: onceward doubt list")),
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_number() {
        use Exit::{Dead, Failed, Fine, InDoubt, Interrupted, Terminated, Unsettled, Usage};
        let codes = [Fine, Failed, Usage, Dead, InDoubt, Unsettled, Interrupted, Terminated];
        assert_eq!(codes.map(|exit| exit as u8), [0, 1, 2, 3, 4, 5, 130, 143]);
    }

    #[test]
    fn of_several_four_then_three_then_five() {
        let none = Totals::default();
        let table = [
            (none, Exit::Fine),
            (Totals { new: 2, updated: 1, skipped: 1, done: 3, scheduled: 1, ..none }, Exit::Fine),
            (Totals { pending: 1, done: 1, ..none }, Exit::Unsettled),
            (Totals { checking: 1, ..none }, Exit::Unsettled),
            (Totals { held: 1, ..none }, Exit::Unsettled),
            (Totals { dead: 1, pending: 1, ..none }, Exit::Dead),
            (Totals { in_doubt: 1, dead: 1, pending: 1, held: 1, ..none }, Exit::InDoubt),
        ];
        for (totals, expected) in table {
            assert_eq!(of(&totals), expected, "{totals:?}");
        }
    }

    #[test]
    fn of_two_parts_the_worse_counts() {
        for (one, other, both) in [
            (Exit::Fine, Exit::Unsettled, Exit::Unsettled),
            (Exit::Dead, Exit::Unsettled, Exit::Dead),
            (Exit::Dead, Exit::InDoubt, Exit::InDoubt),
            (Exit::InDoubt, Exit::Failed, Exit::Failed),
        ] {
            assert_eq!((worse(one, other), worse(other, one)), (both, both));
        }
    }

    #[test]
    fn a_person_is_called_only_when_needed() {
        let totals = |in_doubt, dead| Totals { in_doubt, dead, pending: 9, ..Totals::default() };
        assert_eq!(call(&totals(0, 0)), None);
        assert_eq!(call(&totals(2, 5)).as_deref(), Some("2 in doubt, 5 dead: onceward doubt list"));
        assert_eq!(call(&totals(0, 5)).as_deref(), Some("5 dead: onceward dead list"));
        assert_eq!(call(&totals(1, 0)).as_deref(), Some("1 in doubt: onceward doubt list"));
    }
}
