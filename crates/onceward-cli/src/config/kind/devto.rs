//! `type = "devto"`: articles on dev.to, or on another site that runs Forem.

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::WebAddress;

/// Whose account it is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Devto {
    /// An API key of the account.
    pub(crate) key: Secret,
    /// `https://dev.to/api` when absent.
    pub(crate) api: Option<WebAddress>,
}

impl Devto {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let key = table.need_secret("key");
        let api = table.get("api");
        Some(Self { key: key?, api })
    }
}
