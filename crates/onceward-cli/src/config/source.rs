//! `[[sources]]`: brokers whose messages become jobs.

use std::time::Duration;

use onceward_brokers::Rules;
use toml::Spanned;
use toml::de::DeValue;

use super::broker::BrokerAt;
use super::table::Table;
use super::value::{Fault, FromValue, Named, word};

/// One source, and what becomes of its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: Named,
    pub(crate) from: BrokerAt,
    /// The queue of messages that name none.
    pub(crate) queue: Named,
    pub(crate) rules: Rules,
}

/// What happens to a message that can be no job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnUnreadable {
    Dead,
    Reject,
}

impl Source {
    pub(super) fn read(mut table: Table<'_>) -> Option<Self> {
        let name = table.need("name");
        let from = table.need("from");
        let queue: Option<Named> = table.need("queue");
        let kind = table.get("kind");
        let usual = Rules::new(queue.as_ref().map_or("", |queue| &queue.name), kind);
        let backlog: Option<u32> = table.get("backlog");
        let rules = Rules {
            backlog: backlog.map_or(usual.backlog, |most| usize::try_from(most).unwrap_or(usize::MAX)),
            horizon: table.get_or::<Duration>("remember", usual.horizon),
            reject: table.get_or("on_unreadable", OnUnreadable::Dead) == OnUnreadable::Reject,
            ..usual
        };
        table.close();
        Some(Self { name: name?, from: from?, queue: queue?, rules })
    }
}

impl FromValue for OnUnreadable {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        word(value, &[("dead", Self::Dead), ("reject", Self::Reject)])
    }
}
