//! The real store under the walk: one for a test, emptied between walks.

use onceward_db::{Conn, Fold, Result, Sql, Time, rank};

use crate::Onceward;

const TABLES: [&str; 8] = ["job", "effect", "attempt", "dedup", "queue", "counter", "counter_delta", "event"];

/// A store that is gone afterwards.
pub(super) struct Store {
    pub(super) once: Onceward,
    _folder: tempfile::TempDir,
}

impl Store {
    pub(super) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the store");
        let url = format!("sqlite://{}/walk.db", folder.path().display());
        Self { once: Onceward::open(&url).await.expect("a fresh store"), _folder: folder }
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
            let text: &str = format!("DELETE FROM onceward_{table}").leak();
            conn.execute(&Sql { name: "model_empty", sqlite: text, postgres: "" }, vec![]).await?;
        }
        Ok(vec![(); callers.len()])
    }
}
