//! Dead jobs by what killed them, and the end of those that were discarded.

use onceward_db::{Conn, Result, Row, Sql, Time, sql};

use super::jobs::{Standing, Verb, change};
use crate::{Group, JobError, JobId, Left, State};

const DEAD_GROUPS: Sql = sql!("dead_groups");
const DISCARD_DUE: Sql = sql!("discard_due");

/// Dead jobs by what killed them.
pub(crate) async fn groups(conn: &mut Conn<'_>) -> Result<Vec<Group>> {
    groups_of(conn, &DEAD_GROUPS).await
}

pub(super) async fn groups_of(conn: &mut Conn<'_>, sql: &Sql) -> Result<Vec<Group>> {
    let group = |row: &Row| {
        Ok(Group {
            queue: row.text("queue")?,
            class: row.opt_text("class")?,
            code: row.opt_text("code")?,
            platform_code: row.opt_text("platform_code")?,
            count: row.int("n")?,
            sample: JobError::stored(row.opt_text("sample")?).map(|error| error.text),
            first: row.time("first_at")?,
            last: row.time("last_at")?,
        })
    };
    conn.rows(sql, vec![]).await?.iter().map(group).collect()
}

/// Cancels at most `limit` dead jobs whose discard can no longer be undone; gives how many.
pub(crate) async fn discard_due(conn: &mut Conn<'_>, now: Option<Time>, limit: i64) -> Result<usize> {
    let rows = conn.rows(&DISCARD_DUE, vec![now.into(), limit.into()]).await?;
    let due: Vec<(JobId, Expire)> =
        rows.iter().map(|row| Ok((row.int("id")?, Expire))).collect::<Result<_>>()?;
    if due.is_empty() {
        return Ok(0);
    }
    Ok(change(conn, &due, now).await?.iter().filter(|answer| answer.is_ok()).count())
}

/// Ends a discarded job, unless it was kept or revived since.
struct Expire;

impl Verb for Expire {
    type Good = ();
    const FROM: &'static [State] = &[State::Dead];

    fn decide(&self, job: &mut Standing) -> std::result::Result<(), Left> {
        match job.discard_at {
            Some(at) if job.state == State::Dead && at <= job.now => {
                job.end(State::Cancelled);
                Ok(())
            }
            _ => Err(Left::state(job.id, State::Dead, job.state)),
        }
    }
}
