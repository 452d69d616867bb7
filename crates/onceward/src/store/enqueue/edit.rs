//! A job that its producer changes in place, while nothing of it can have been sent.

use onceward_db::{Conn, Result, Sql, sql};

use super::Entry;
use crate::job::JobId;
use crate::store::lineage;

const JOB_TIME: Sql = sql!("job_time");
const JOB_UPDATE: Sql = sql!("job_update");

/// Gives whether it was changed.
///
/// One that is given another time is like one that a person moves: it may have gone out at that time before a loss.
pub(super) async fn update(conn: &mut Conn<'_>, entry: &Entry, job: JobId) -> Result<bool> {
    let moves = moves(conn, entry, job).await?;
    let args = vec![
        job.into(),
        entry.payload.as_str().into(),
        entry.job.run_at.into(),
        entry.job.held.clone().into(),
        i64::from(entry.job.version).into(),
    ];
    let updated = conn.row(&JOB_UPDATE, args).await?.is_some();
    if updated && moves {
        lineage::moved(conn, &[job]).await?;
    }
    Ok(updated)
}

async fn moves(conn: &mut Conn<'_>, entry: &Entry, job: JobId) -> Result<bool> {
    let Some(run_at) = entry.job.run_at else { return Ok(false) };
    let was = conn.row(&JOB_TIME, vec![job.into()]).await?.map(|row| row.time("run_at")).transpose()?;
    Ok(was.is_some_and(|was| was != run_at))
}
