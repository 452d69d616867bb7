//! A store for one test, and what is in it, read by SQL of the tests' own so that a mistake of ours cannot hide itself.

use std::fs::{File, TryLockError};

use onceward::{Engine, NewJob, Onceward};
use serde::de::DeserializeOwned;
use sqlx::{Connection, PgConnection, Row, SqliteConnection};

use crate::history::{Attempt, Held, Job};
use crate::server::Server;
use crate::{Verdict, harness};

/// A store of one test's own.
pub struct Store {
    once: Onceward,
    url: String,
    /// Removed when dropped.
    _place: Option<harness::Store>,
}

impl Store {
    /// A new SQLite file.
    pub async fn sqlite() -> Verdict<Self> {
        Ok(Self::in_place(harness::Store::sqlite().await?))
    }

    /// A new PostgreSQL database, as `onceward db migrate` leaves it: with the days of the history that come next.
    pub async fn postgres() -> Verdict<Self> {
        let place = harness::Store::postgres().await?;
        place.once.migrate().await?;
        Ok(Self::in_place(place))
    }

    /// A new database, which is migrated, on a server of the test's own.
    pub async fn on(server: &Server, database: &str) -> Verdict<Self> {
        server.execute(&format!("CREATE DATABASE {database}")).await?;
        let url = server.url(database);
        let once = Onceward::open(&url).await?;
        once.migrate().await?;
        Ok(Self { once, url, _place: None })
    }

    /// The store at this URL, which is there already.
    pub async fn at(url: &str) -> Verdict<Self> {
        Ok(Self { once: Onceward::open(url).await?, url: url.to_owned(), _place: None })
    }

    fn in_place(place: harness::Store) -> Self {
        Self { once: place.once.clone(), url: place.url.clone(), _place: Some(place) }
    }

    /// The queue.
    pub fn once(&self) -> &Onceward {
        &self.once
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether it is a SQLite file.
    pub fn is_sqlite(&self) -> bool {
        self.once.engine() == Engine::Sqlite
    }

    /// Whether no process is in the middle of a write. On PostgreSQL nobody waits for another process's write.
    pub fn is_between_turns(&self) -> Verdict<bool> {
        let Some(path) = self.url().strip_prefix("sqlite://") else { return Ok(true) };
        let turn = File::options().write(true).open(format!("{path}-turn"))?;
        match turn.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Enqueues all of them, a thousand a transaction.
    pub async fn fill(&self, jobs: Vec<NewJob>) -> Verdict<Vec<i64>> {
        let (mut ids, mut jobs) = (Vec::with_capacity(jobs.len()), jobs.into_iter().peekable());
        while jobs.peek().is_some() {
            for answer in self.once().enqueue_each(jobs.by_ref().take(1000).collect()).await? {
                ids.push(answer?.id());
            }
        }
        Ok(ids)
    }

    /// All that it holds.
    pub async fn held(&self) -> Verdict<Held> {
        held(self.url()).await
    }

    /// One number: `SELECT` this `FROM` the rest.
    pub async fn number(&self, what: &str, from: &str) -> Verdict<i64> {
        let numbers: Vec<i64> = lines(self.url(), &format!("CAST({what} AS text)"), from).await?;
        Ok(*numbers.first().ok_or("no row")?)
    }

    /// Rows of SQL of a test's own: each `SELECT`s one JSON text.
    pub async fn rows<T: DeserializeOwned>(&self, what: &str, from: &str) -> Verdict<Vec<T>> {
        lines(self.url(), what, from).await
    }

    /// One job.
    pub async fn job(&self, id: i64) -> Verdict<Job> {
        let job = jobs(self.url(), &format!("id = {id}")).await?.into_iter().next();
        Ok(job.ok_or_else(|| format!("there is no job {id}"))?)
    }

    /// One job's attempts, in order.
    pub async fn attempts(&self, id: i64) -> Verdict<Vec<Attempt>> {
        attempts(self.url(), &format!("job_id = {id}")).await
    }
}

/// All that the store at `url` holds.
pub async fn held(url: &str) -> Verdict<Held> {
    Ok(Held { jobs: jobs(url, "true").await?, attempts: attempts(url, "true").await? })
}

async fn jobs(url: &str, which: &str) -> Verdict<Vec<Job>> {
    const COLUMNS: &[&str] = &[
        "id",
        "state",
        "attempts",
        "tries",
        "crashes",
        "claim_no",
        "lease_token",
        "lease_owner",
        "error_code",
    ];
    lines(url, &json(url, COLUMNS), &format!("{} WHERE {which}", table(url, "job_all"))).await
}

async fn attempts(url: &str, which: &str) -> Verdict<Vec<Attempt>> {
    const COLUMNS: &[&str] = &["job_id", "number", "outcome", "worker"];
    let from = format!("{} WHERE {which} ORDER BY job_id, number", table(url, "attempt_all"));
    lines(url, &json(url, COLUMNS), &from).await
}

/// The engine's name of a table or view of ours.
pub fn table(url: &str, name: &str) -> String {
    if is_sqlite(url) { format!("onceward_{name}") } else { format!("onceward.{name}") }
}

fn is_sqlite(url: &str) -> bool {
    url.starts_with("sqlite:")
}

/// One JSON object a row, so that both engines give the same.
fn json(url: &str, columns: &[&str]) -> String {
    let function = if is_sqlite(url) { "json_object" } else { "json_build_object" };
    let pairs: Vec<String> = columns.iter().map(|column| format!("'{column}', {column}")).collect();
    format!("CAST({function}({}) AS text)", pairs.join(", "))
}

async fn lines<T: DeserializeOwned>(url: &str, what: &str, from: &str) -> Verdict<Vec<T>> {
    let sql = harness::leak(format!("SELECT {what} AS line FROM {from}"));
    let plain = url.split('?').next().unwrap_or(url);
    let lines: Vec<String> = if is_sqlite(url) {
        let mut conn = SqliteConnection::connect(plain).await?;
        let rows = sqlx::query(sql).fetch_all(&mut conn).await?;
        conn.close().await?;
        rows.iter().map(|row| row.try_get("line")).collect::<Result<_, _>>()?
    } else {
        let mut conn = PgConnection::connect(plain).await?;
        let rows = sqlx::query(sql).fetch_all(&mut conn).await?;
        conn.close().await?;
        rows.iter().map(|row| row.try_get("line")).collect::<Result<_, _>>()?
    };
    Ok(lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?)
}
