//! `[[alerts]]`: who is told, of what, and how often.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::table::Table;
use super::value::{Fault, FromValue, Named, word};

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alert {
    pub(crate) name: Named,
    /// The channel that carries the message.
    pub(crate) channel: Named,
    pub(crate) on: Vec<On>,
    /// Only events of these channels; of all when absent.
    pub(crate) only: Option<Vec<Named>>,
    /// Work that waits for longer than this is a backlog.
    pub(crate) backlog: Duration,
    /// An outbox whose oldest row waits for longer than this lags.
    pub(crate) relay_lag: Duration,
    /// At most one message per rule in this time.
    pub(crate) every: Duration,
}

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    All,
    Dead,
    InDoubt,
    Circuit,
    AuthNeeded,
    Backlog,
    RelayLag,
    CrashLoop,
    Missed,
    Disk,
}

impl Alert {
    pub(super) fn read(mut table: Table<'_>) -> Option<Self> {
        let name = table.need("name");
        let channel = table.need("channel");
        let on = table.get_or("on", vec![On::All]);
        let only = table.table("only").and_then(|mut only| {
            let channels = only.get("channels");
            only.close();
            channels
        });
        let (backlog, relay_lag) = limits(table.table("limits"));
        let every = table.get_or("every", Duration::from_mins(10));
        table.close();
        Some(Self { name: name?, channel: channel?, on, only, backlog, relay_lag, every })
    }
}

fn limits(table: Option<Table<'_>>) -> (Duration, Duration) {
    let (backlog, relay_lag) = (Duration::from_mins(10), Duration::from_mins(1));
    let Some(mut table) = table else { return (backlog, relay_lag) };
    let limits = (table.get_or("backlog", backlog), table.get_or("relay_lag", relay_lag));
    table.close();
    limits
}

impl FromValue for On {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let words = [
            ("all", Self::All),
            ("dead", Self::Dead),
            ("in_doubt", Self::InDoubt),
            ("circuit", Self::Circuit),
            ("auth_needed", Self::AuthNeeded),
            ("backlog", Self::Backlog),
            ("relay_lag", Self::RelayLag),
            ("crash_loop", Self::CrashLoop),
            ("missed", Self::Missed),
            ("disk", Self::Disk),
        ];
        word(value, &words)
    }
}
