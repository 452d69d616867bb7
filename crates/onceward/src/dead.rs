//! Jobs that gave up: what killed them, another budget for them, or their end.

mod discard;
mod revive;

pub use self::revive::{ReviveOptions, Revived};
pub(crate) use self::revive::{quiet, repeat};

use serde::Serialize;

use crate::{Error, Onceward, Time};

/// Jobs of one queue with one fingerprint: kind of failure, code, and the platform's own code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Their queue.
    pub queue: String,
    /// The kind of failure.
    pub class: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// The platform's own code.
    pub platform_code: Option<String>,
    /// How many jobs.
    pub count: i64,
    /// The text of the newest one's error.
    pub sample: Option<String>,
    /// When the first of them came here.
    pub first: Time,
    /// When the last of them did.
    pub last: Time,
}

impl Onceward {
    /// Dead jobs by what killed them, the largest group first. Discarded ones are left out.
    pub async fn dead_groups(&self) -> Result<Vec<Group>, Error> {
        let mut reader = self.db().reader().await?;
        Ok(crate::store::dead::groups(&mut reader.conn()).await?)
    }
}
