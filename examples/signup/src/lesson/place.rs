//! A database for one version alone: an SQLite file in a folder of the run, or a database on a server of PostgreSQL.

use std::path::Path;

use sqlx::{Connection, PgConnection};

use crate::Fallible;

#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) url: String,
    /// The server's address, and the name of the database there.
    made: Option<(String, String)>,
}

impl Place {
    pub(crate) async fn make(server: Option<&str>, folder: &Path, name: &str) -> Fallible<Self> {
        let Some(server) = server else {
            let url = format!("sqlite://{}/{name}.db", folder.display());
            return Ok(Self { url, made: None });
        };
        let name = format!("signup_{name}_{}", std::process::id());
        ask(server, format!("CREATE DATABASE {name}")).await?;
        let (path, query) = server.split_once('?').unwrap_or((server, ""));
        let base = path.rsplit_once('/').ok_or("--store names a server: postgres://USER@HOST/postgres")?.0;
        Ok(Self { url: format!("{base}/{name}?{query}"), made: Some((server.to_owned(), name)) })
    }

    /// Whatever is left in a folder goes with it.
    pub(crate) async fn remove(self) -> Fallible {
        let Some((server, name)) = self.made else { return Ok(()) };
        ask(&server, format!("DROP DATABASE {name} WITH (FORCE)")).await
    }
}

async fn ask(server: &str, sql: String) -> Fallible {
    let mut conn = PgConnection::connect(server).await?;
    // The driver runs static text only; a few of these in one run may live for ever.
    let sql: &'static str = String::leak(sql);
    sqlx::query(sql).execute(&mut conn).await?;
    conn.close().await?;
    Ok(())
}
