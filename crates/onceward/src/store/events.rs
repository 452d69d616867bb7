//! What happened to queues as a whole.

use onceward_db::{Conn, Result, Row, Sql, Time, sql};

use crate::event::Event;

const EVENT_INSERT: Sql = sql!("event_insert");
const EVENT_LIST: Sql = sql!("event_list");
const EVENT_LATEST: Sql = sql!("event_latest");
const EVENT_DROP: Sql = sql!("event_drop");

pub(crate) async fn record(
    conn: &mut Conn<'_>,
    queue: &str,
    what: &'static str,
    detail: Option<&str>,
    now: Option<Time>,
) -> Result<()> {
    let args = vec![queue.into(), now.into(), what.into(), detail.into()];
    conn.execute(&EVENT_INSERT, args).await.map(drop)
}

/// Events with a higher number than `after`, oldest first.
pub(crate) async fn list(
    conn: &mut Conn<'_>,
    queue: Option<&str>,
    after: i64,
    limit: u32,
) -> Result<Vec<Event>> {
    let rows = conn.rows(&EVENT_LIST, vec![after.into(), queue.into(), i64::from(limit).into()]).await?;
    let event = |row: &Row| {
        Ok(Event {
            id: row.int("id")?,
            at: row.time("at")?,
            queue: row.text("queue")?,
            what: row.text("what")?,
            detail: row.opt_text("detail")?,
        })
    };
    rows.iter().map(event).collect()
}

/// The number after which the latest so many follow.
pub(crate) async fn before_latest(conn: &mut Conn<'_>, queue: Option<&str>, count: u32) -> Result<i64> {
    let row = conn.row(&EVENT_LATEST, vec![queue.into(), i64::from(count).into()]).await?;
    row.map_or(Ok(0), |row| row.int("id"))
}

/// Deletes some events from before a time; gives how many.
pub(crate) async fn drop_some(conn: &mut Conn<'_>, before: Time, limit: i64) -> Result<usize> {
    Ok(conn.rows(&EVENT_DROP, vec![before.into(), limit.into()]).await?.len())
}
