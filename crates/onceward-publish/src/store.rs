//! The publisher's own tables, beside those of the queue.

pub(crate) mod channels;
pub(crate) mod contents;
pub(crate) mod entries;
pub(crate) mod learned;
pub(crate) mod media;
pub(crate) mod secrets;
pub(crate) mod standing;

use onceward_db::{Component, Error, ErrorKind, Migration, Result, migration};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_publish"),
    migration!(2, "0002_learned"),
    migration!(3, "0003_secret"),
    migration!(4, "0004_content"),
];

/// The tables of the publisher; they need those of the queue in the same database.
pub const PUBLISH_TABLES: Component = Component { name: "publish", migrations: MIGRATIONS };

fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::Decode, error.to_string()))
}

fn from_json<T: DeserializeOwned>(column: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::Decode, format!("{column}: {error}")))
}
