//! `[[relays]]`: outboxes of applications, and where their rows go.

use onceward_brokers::by_url::TargetAt;
use toml::Spanned;
use toml::de::DeValue;

use super::broker::{self, BrokerAt};
use super::store::StoreAt;
use super::table::Table;
use super::value::{Fault, FromValue, Named};

/// One outbox and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relay {
    pub(crate) name: Named,
    /// The application's database.
    pub(crate) from: StoreAt,
    pub(crate) to: To,
}

/// Where rows become jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum To {
    /// The store of this configuration.
    Store,
    /// The job table of another database.
    Other(StoreAt),
    /// A queue, subject or exchange of a broker.
    Broker(BrokerAt),
}

impl Relay {
    pub(super) fn read(mut table: Table<'_>) -> Option<Self> {
        let name = table.need("name");
        let from = table.need("from");
        let to = table.get_or("to", To::Store);
        table.close();
        Some(Self { name: name?, from: from?, to })
    }
}

impl FromValue for To {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        match value.get_ref().as_str() {
            Some("store") => Ok(Self::Store),
            Some(text) if broker::is_broker(text) => {
                broker::checked(value, text, |url| TargetAt::parse(url).map(drop)).map(Self::Broker)
            }
            _ => StoreAt::from_value(value).map(Self::Other),
        }
    }
}
