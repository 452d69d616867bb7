//! `[[alerts]]`: who is told, of what, and how often.

use std::time::Duration;

use onceward::Topic;
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
    /// What is told.
    pub(crate) on: Vec<Topic>,
    /// Only events of these channels; of all when absent.
    pub(crate) only: Option<Vec<Named>>,
    /// Work that waits for longer than this is a backlog.
    pub(crate) backlog: Duration,
    /// An outbox whose oldest row waits for longer than this lags.
    pub(crate) relay_lag: Duration,
    /// At most one message per rule in this time.
    pub(crate) every: Duration,
}

/// A word of `on`: one topic, or all.
struct On(&'static [Topic]);

impl Alert {
    pub(super) fn read(mut table: Table<'_>) -> Option<Self> {
        let name = table.need("name");
        let channel = table.need("channel");
        let on: Option<Vec<On>> = table.get("on");
        let on = on.map_or_else(|| Topic::ALL.to_vec(), |words| topics(&words));
        if on.is_empty() {
            table.refuse(
                "on",
                "`on` names nothing: leave it out to be told everything, or name a topic, such as \"dead\"",
            );
        }
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

/// Each topic once, in the order of all.
fn topics(words: &[On]) -> Vec<Topic> {
    Topic::ALL.into_iter().filter(|topic| words.iter().any(|On(some)| some.contains(topic))).collect()
}

impl FromValue for On {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let words = Topic::ALL.each_ref().map(|topic| (topic.as_str(), std::slice::from_ref(topic)));
        let all: [(&str, &[Topic]); 1] = [("all", &Topic::ALL)];
        word(value, &[&all[..], &words[..]].concat()).map(Self)
    }
}
