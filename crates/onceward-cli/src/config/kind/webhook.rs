//! `type = "webhook"`: a signed POST to an address of the owner's choice.

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::WebAddress;

/// Where it goes and how it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Webhook {
    pub(crate) url: WebAddress,
    /// The key that signs each message (Standard Webhooks).
    pub(crate) secret: Secret,
}

impl Webhook {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let url = table.need("url");
        let secret = table.need_secret("secret");
        Some(Self { url: url?, secret: secret? })
    }
}
