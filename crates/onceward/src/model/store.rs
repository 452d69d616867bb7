//! The real store under the walks: one for a test, emptied between them.

use onceward_db::{Conn, Engine, Fold, PgPool, Result, Sql, Time, rank};

use crate::Onceward;

const TABLES: [&str; 9] =
    ["job", "job_history", "effect", "attempt", "dedup", "queue", "counter", "counter_delta", "event"];

/// A store of its own for a test.
pub(super) struct Store {
    pub(super) once: Onceward,
    _folder: Option<tempfile::TempDir>,
}

impl Store {
    pub(super) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the store");
        let url = format!("sqlite://{}/walk.db", folder.path().display());
        Self { once: Onceward::open(&url).await.expect("a fresh store"), _folder: Some(folder) }
    }

    pub(super) async fn postgres() -> Self {
        let server = std::env::var("ONCEWARD_TEST_POSTGRES");
        let server = server.expect("ONCEWARD_TEST_POSTGRES is not set: run the tests by ./dev test");
        let name = format!("walk_{}_{}", std::process::id(), Time::now().micros());
        let pool = PgPool::connect(&server).await.expect("the server");
        let mut held = pool.acquire().await.expect("a connection");
        let make = format!("CREATE DATABASE {name}").leak();
        Conn::from(&mut *held).script(make).await.expect("a fresh database");
        let (base, _) = server.rsplit_once('/').unwrap_or((&server, ""));
        let once = Onceward::open(&format!("{base}/{name}")).await.expect("a fresh store");
        once.migrate().await.expect("the tables");
        Self { once, _folder: None }
    }

    pub(super) async fn empty(&self) -> Result<()> {
        self.once.db().fold::<Empty>(vec![()]).await.map(drop)
    }
}

struct Empty;

impl Fold for Empty {
    type Item = ();
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(conn: &mut Conn<'_>, callers: &[()], _now: Option<Time>) -> Result<Vec<()>> {
        for table in TABLES {
            let (sqlite, postgres): (&str, &str) = match conn.engine() {
                Engine::Sqlite if table == "job_history" => continue,
                Engine::Sqlite => (format!("DELETE FROM onceward_{table}").leak(), ""),
                Engine::Postgres => ("", format!("DELETE FROM onceward.{table}").leak()),
            };
            conn.execute(&Sql { name: "model_empty", sqlite, postgres }, vec![]).await?;
        }
        Ok(vec![(); callers.len()])
    }
}
