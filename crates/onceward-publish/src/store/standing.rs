//! Jobs of a run as they stand.

use onceward::{JobError, JobId, State};
use onceward_db::{Database, Error, ErrorKind, Result, Row, Sql, Time, sql};

use serde::Serialize;

use super::to_json;

const STANDING: Sql = sql!("standing");

/// A job as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The job.
    pub id: JobId,
    /// Where it is in its life.
    pub state: State,
    /// Why it waits for a release, if it does.
    pub held: Option<String>,
    /// Not before then.
    pub run_at: Time,
    /// In doubt: when it is looked for again; `None`: a person decides.
    pub check_at: Option<Time>,
    /// From before the store lost its last commits: it may have been sent in them.
    pub restored: bool,
    /// How often a worker took it.
    pub attempts: u64,
    /// How many tries, and looks, it has spent: what waits for its queue as a whole spends none.
    #[serde(skip)]
    pub spent: (i64, i64),
    /// Where its effect can be seen.
    pub url: Option<String>,
    /// Its last error.
    pub error: Option<JobError>,
    /// The database's clock when this was read.
    #[serde(skip)]
    pub now: Time,
}

/// The named jobs as they stand; those that retention has dropped are missing.
pub(crate) async fn standing(db: &Database, jobs: &[JobId]) -> Result<Vec<Standing>> {
    let args = vec![to_json(jobs)?.into(), db.clock().test_time().into()];
    let rows = db.reader().await?.conn().rows(&STANDING, args).await?;
    rows.iter().map(one).collect()
}

fn one(row: &Row) -> Result<Standing> {
    Ok(Standing {
        id: row.int("id")?,
        state: state(&row.text("state")?)?,
        held: row.opt_text("held_reason")?,
        run_at: row.time("run_at")?,
        check_at: row.opt_time("check_at")?,
        restored: row.flag("restored")?,
        attempts: u64::try_from(row.int("attempts")?).unwrap_or(0),
        spent: (row.int("tries")?, row.int("checks")?),
        url: row.opt_text("url")?,
        error: row.opt_text("last_error")?.map(|text| error(&text)),
        now: row.time("now")?,
    })
}

pub(super) fn state(word: &str) -> Result<State> {
    word.parse().map_err(|error: onceward::Error| Error::new(ErrorKind::Decode, error.to_string()))
}

/// An error that cannot be read must not hide its job.
fn error(text: &str) -> JobError {
    serde_json::from_str(text).unwrap_or_else(|_| JobError {
        class: String::new(),
        code: "error_unreadable".to_owned(),
        platform_code: None,
        status: None,
        text: text.to_owned(),
    })
}
