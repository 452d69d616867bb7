//! What happened to queues as a whole: circuits, pauses, missed schedules.

use serde::Serialize;

use crate::store::events;
use crate::{Error, Onceward, Time};

/// How many events one call gives at most.
const MOST: u32 = 1000;

/// Something that happened to a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Its number. On PostgreSQL a transaction that commits late may show a lower one after a higher one.
    pub id: i64,
    /// When.
    pub at: Time,
    /// To which queue.
    pub queue: String,
    /// What: `paused`, `resumed`, `missed`, `auth_needed`, `circuit_opened`, `circuit_still_open`, `circuit_closed`.
    pub what: String,
    /// More about it, in words.
    pub detail: Option<String>,
}

impl Onceward {
    /// Events of one queue or of all, oldest first, at most 1,000: those after the event of that number, or the
    /// latest ones.
    pub async fn events(
        &self,
        queue: Option<&str>,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Event>, Error> {
        let mut reader = self.db().reader().await?;
        let (mut conn, limit) = (reader.conn(), limit.min(MOST));
        let after = match after {
            Some(after) => after,
            None => events::before_latest(&mut conn, queue, limit).await?,
        };
        Ok(events::list(&mut conn, queue, after, limit).await?)
    }
}
