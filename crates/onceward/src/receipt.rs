//! What proves that an effect happened.

use serde::{Deserialize, Serialize};

/// Where the effect can be seen, in the words of the system that accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Receipt {
    /// The id that the other system gave, if it gave one. No two jobs of a queue have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where a person can look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Anything else worth keeping, at most 64 KiB as JSON.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub detail: serde_json::Value,
}

impl Receipt {
    /// A receipt with the other system's id.
    pub fn id(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::default() }
    }

    /// The same receipt, with a place where a person can look.
    #[must_use]
    pub fn at(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }
}
