//! A store for each test: a SQLite file of its own, or a database cloned from a template.

use std::error::Error;

use onceward::{Engine, Onceward};
use sqlx::{Connection, PgConnection, Row};

pub(crate) type Verdict = Result<(), Box<dyn Error>>;

/// One store, used by one test, gone afterwards.
pub(crate) struct Store {
    pub(crate) once: Onceward,
    pub(crate) url: String,
    _folder: Option<tempfile::TempDir>,
}

impl Store {
    pub(crate) async fn sqlite() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let url = format!("sqlite://{}/test.db", folder.path().display());
        Ok(Self { once: Onceward::open(&url).await?, url, _folder: Some(folder) })
    }

    pub(crate) async fn postgres() -> Result<Self, Box<dyn Error>> {
        let database = clone_template().await?;
        let url = on_database(&server("ONCEWARD_TEST_POSTGRES")?, &database);
        Ok(Self { once: Onceward::open(&url).await?, url, _folder: None })
    }

    pub(crate) async fn pgbouncer() -> Result<Self, Box<dyn Error>> {
        let database = clone_template().await?;
        let direct = on_database(&server("ONCEWARD_TEST_POSTGRES")?, &database);
        let pooled = on_database(&server("ONCEWARD_TEST_PGBOUNCER")?, &database);
        let url = format!("{pooled}?pooler=transaction&listen={}", direct.replace('%', "%25"));
        Ok(Self { once: Onceward::open(&url).await?, url, _folder: None })
    }

    /// Another handle to the same store, as another process would have one.
    pub(crate) async fn another(&self) -> Result<Onceward, Box<dyn Error>> {
        Ok(Onceward::open(&self.url).await?)
    }

    /// The time that the test has set.
    pub(crate) fn clock(&self) -> onceward::Time {
        self.once.db().clock().test_time().unwrap_or_else(onceward::Time::now)
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.once.engine() == Engine::Sqlite
    }

    /// Counts rows with SQL of the test's own, so that a mistake of ours cannot hide itself.
    pub(crate) async fn count(&self, table: &str, condition: &str) -> Result<i64, Box<dyn Error>> {
        let table = if self.is_sqlite() { format!("onceward_{table}") } else { format!("onceward.{table}") };
        let text = leak(format!("SELECT count(*) AS n FROM {table} WHERE {condition}"));
        if self.is_sqlite() {
            let mut conn = sqlx::SqliteConnection::connect(&self.url).await?;
            return Ok(sqlx::query(text).fetch_one(&mut conn).await?.try_get("n")?);
        }
        let mut conn = PgConnection::connect(&self.direct()?).await?;
        Ok(sqlx::query(text).fetch_one(&mut conn).await?.try_get("n")?)
    }

    /// Runs a statement of the test's own; `@job` is our table of jobs, under its name on that store.
    pub(crate) async fn execute(&self, text: &str) -> Result<u64, Box<dyn Error>> {
        let prefix = if self.is_sqlite() { "onceward_" } else { "onceward." };
        let text = leak(text.replace('@', prefix));
        if self.is_sqlite() {
            let mut conn = sqlx::SqliteConnection::connect(&self.url).await?;
            return Ok(sqlx::query(text).execute(&mut conn).await?.rows_affected());
        }
        let mut conn = PgConnection::connect(&self.direct()?).await?;
        Ok(sqlx::query(text).execute(&mut conn).await?.rows_affected())
    }

    /// An instant as the store writes it in SQL.
    pub(crate) fn instant(&self, time: onceward::Time) -> String {
        if self.is_sqlite() { time.micros().to_string() } else { format!("timestamptz '{time}'") }
    }

    /// The URL of the database without a pooler in between.
    pub(crate) fn direct(&self) -> Result<String, Box<dyn Error>> {
        if self.is_sqlite() {
            return Ok(self.url.clone());
        }
        let path = self.url.split('?').next().unwrap_or_default();
        let database = path.rsplit('/').next().unwrap_or_default();
        Ok(on_database(&server("ONCEWARD_TEST_POSTGRES")?, database))
    }
}

/// The driver runs static text only; a test's own few statements may live for ever.
pub(crate) fn leak(text: String) -> &'static str {
    text.leak()
}

fn server(variable: &str) -> Result<String, Box<dyn Error>> {
    std::env::var(variable).map_err(|_| format!("{variable} is not set: run the tests by ./dev test").into())
}

fn on_database(server: &str, database: &str) -> String {
    let (base, _) = server.rsplit_once('/').unwrap_or((server, ""));
    format!("{base}/{database}")
}

/// Makes the template once, whoever comes first, and clones it.
async fn clone_template() -> Result<String, Box<dyn Error>> {
    let server = server("ONCEWARD_TEST_POSTGRES")?;
    let mut conn = PgConnection::connect(&server).await?;
    sqlx::query("SELECT pg_advisory_lock(817)").execute(&mut conn).await?;
    let there: bool =
        sqlx::query("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'onceward_template') AS it")
            .fetch_one(&mut conn)
            .await?
            .try_get("it")?;
    if !there {
        sqlx::query("CREATE DATABASE onceward_making").execute(&mut conn).await?;
        let once = Onceward::open(&on_database(&server, "onceward_making")).await?;
        // The tables alone: the days that `Onceward::migrate` prepares are today's, and laws have clocks of their own.
        once.db().migrate(&[onceward::QUEUE_TABLES]).await?;
        once.close().await;
        sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'onceward_making'",
        )
        .execute(&mut conn)
        .await?;
        sqlx::query("ALTER DATABASE onceward_making RENAME TO onceward_template").execute(&mut conn).await?;
    }
    // Process ids come again within one run of thousands of tests, instants do not.
    let name = format!("test_{}_{}", std::process::id(), onceward::Time::now().micros());
    sqlx::query(leak(format!("CREATE DATABASE {name} TEMPLATE onceward_template")))
        .execute(&mut conn)
        .await?;
    sqlx::query("SELECT pg_advisory_unlock(817)").execute(&mut conn).await?;
    Ok(name)
}
