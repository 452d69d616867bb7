//! `type = "webhook"`: a signed POST to an address of the owner's choice.

use crate::config::secret::Secret;
use crate::config::table::Table;

/// Where it goes and how it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Webhook {
    pub(crate) url: String,
    /// The key that signs each message (Standard Webhooks).
    pub(crate) secret: Secret,
}

impl Webhook {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let url: Option<String> = table.need("url");
        let secret = table.need_secret("secret");
        let url = url?;
        let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
            table.refuse("url", "expected an address that begins with https:// or http://");
            return None;
        };
        if rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@')) {
            table.refuse(
                "url",
                "a user name or password in an address would be a secret in this file; leave it out",
            );
            return None;
        }
        Some(Self { url, secret: secret? })
    }
}
