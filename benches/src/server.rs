//! A database of its own on the PostgreSQL of this run.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{Connection, PgConnection};

use crate::Outcome;
use crate::watch;

static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Dropped after use.
pub(crate) struct Database {
    pub(crate) url: String,
    /// The server's process, if it runs on this machine.
    pub(crate) process: Option<u32>,
    server: String,
    name: String,
}

impl Database {
    pub(crate) async fn fresh() -> Outcome<Self> {
        let server = std::env::var("ONCEWARD_TEST_POSTGRES")?;
        // Two may be there at once.
        let name = format!("bench_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut admin = PgConnection::connect(&server).await?;
        for text in
            [format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")]
        {
            sqlx::query(&*text.leak()).execute(&mut admin).await?;
        }
        let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut admin).await?;
        let process = watch::parent(&Path::new("/proc").join(backend.to_string()));
        let (base, _) = server.rsplit_once('/').ok_or("the server's URL has no path")?;
        Ok(Self { url: format!("{base}/{name}"), process, server, name })
    }

    pub(crate) async fn connect(&self) -> Outcome<PgConnection> {
        Ok(PgConnection::connect(&self.url).await?)
    }

    pub(crate) async fn drop(self) -> Outcome<()> {
        let text = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        sqlx::query(&*text.leak()).execute(&mut PgConnection::connect(&self.server).await?).await?;
        Ok(())
    }
}
