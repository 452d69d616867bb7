//! Times of wall clocks, read again when a process starts: a country that changes its clocks moves what was wished
//! for by them.

use onceward::{Error, JobId, Onceward, Time};
use onceward_db::{Sql, sql};

use crate::date::Wish;
use crate::store::contents;

const WALLS: Sql = sql!("walls");
const WALL_JOBS: Sql = sql!("wall_jobs");

/// Moves what waits for a wall clock to where that time is by today's rules.
pub(crate) async fn resolve_again(once: &Onceward) -> Result<(), Error> {
    for (content, before) in waiting(once).await? {
        match before.resolve_again() {
            Ok(now) if now.at == before.at => {}
            Ok(now) => {
                // First the jobs: whoever dies in between finds the content still to be moved.
                let jobs = jobs(once, &content, before.at).await?;
                if !jobs.is_empty() {
                    once.shift(jobs, now.at).await?;
                }
                contents::set_time(once.db(), &content, now).await?;
            }
            Err(error) => tracing::warn!(content, %error, "its time stays, since its zone is not known here"),
        }
    }
    Ok(())
}

async fn waiting(once: &Onceward) -> Result<Vec<(String, Wish)>, Error> {
    let now = once.db().clock().test_time();
    let rows = once.db().reader().await?.conn().rows(&WALLS, vec![now.into()]).await?;
    Ok(rows.iter().map(contents::waiting).collect::<Result<_, _>>()?)
}

async fn jobs(once: &Onceward, content: &str, at: Time) -> Result<Vec<JobId>, Error> {
    let args = vec![content.into(), at.into()];
    let rows = once.db().reader().await?.conn().rows(&WALL_JOBS, args).await?;
    Ok(rows.iter().map(|row| row.int("job_id")).collect::<Result<_, _>>()?)
}
