//! `onceward db`.

use std::path::Path;

use onceward::{Onceward, Time};
use onceward_db::{Database, Engine, script};
use serde::Serialize;
use serde_json::json;

use super::{Run, status};
use crate::args::DbVerb;
use crate::exit::Exit;
use crate::output::plain;
use crate::stop::Stop;
use crate::store::{COMPONENTS, database, named};

pub(crate) async fn run(run: &Run, verb: &DbVerb) -> Result<Exit, Stop> {
    match verb {
        DbVerb::Migrate { print: true } => print(run),
        DbVerb::Migrate { print: false } => migrate(run).await,
        DbVerb::Check => check(run).await,
        DbVerb::Backup { file } => back_up(run, &run.here.join(file)).await,
        DbVerb::Restored { made_at } => restored(run, *made_at).await,
    }
}

/// The SQL for people with a migration tool of their own. Opens nothing.
fn print(run: &Run) -> Result<Exit, Stop> {
    let url = named(run, &run.config()?)?;
    let engine = if url.file().is_some() { Engine::Sqlite } else { Engine::Postgres };
    let sql = script(COMPONENTS, engine);
    run.output.answer(&json!({ "sql": sql }), || sql.clone())?;
    Ok(Exit::Fine)
}

async fn migrate(run: &Run) -> Result<Exit, Stop> {
    let db = database(&named(run, &run.config()?)?).await?;
    let steps = db.migrate(COMPONENTS).await?;
    let schema = schema(&db).await?;
    let once = Onceward::over(db).await?;
    once.migrate().await?;
    once.close().await;
    run.output.answer(&json!({ "steps": steps, "schema": schema }), || match steps {
        0 => "nothing to do: the tables are those of this version".to_owned(),
        _ => format!("the tables are those of this version now ({steps} steps)"),
    })?;
    Ok(Exit::Fine)
}

/// The version of a component's tables, and the one that this program needs.
#[derive(Debug, Serialize)]
struct Schema {
    component: &'static str,
    version: i64,
    needed: i64,
}

async fn schema(db: &Database) -> Result<Vec<Schema>, Stop> {
    let mut found = Vec::new();
    for component in COMPONENTS {
        let version = db.version(component).await?;
        found.push(Schema { component: component.name, version, needed: component.newest() });
    }
    Ok(found)
}

/// The store that is there; a look must not make a new one.
async fn existing(run: &Run) -> Result<Database, Stop> {
    let url = named(run, &run.config()?)?;
    match url.file().filter(|file| !file.exists()) {
        Some(file) => Err(Stop::failed("not_found", format!("{}: there is no such store", file.display()))),
        None => database(&url).await,
    }
}

async fn check(run: &Run) -> Result<Exit, Stop> {
    let db = existing(run).await?;
    let schema = schema(&db).await?;
    let damage = db.damage().await?;
    let engine = if db.engine() == Engine::Sqlite { "sqlite" } else { "postgres" };
    db.close().await;
    let old = schema.iter().filter(|part| part.version < part.needed).map(|part| {
        let Schema { component, version, needed } = part;
        format!("the {component} tables are at version {version}, this program needs {needed}: run `onceward db migrate`")
    });
    let problems: Vec<String> = damage.into_iter().chain(old).collect();
    let ok = problems.is_empty();
    let document = json!({ "ok": ok, "engine": engine, "schema": schema, "problems": problems });
    run.output
        .answer(&document, || if ok { "all is well".to_owned() } else { plain(&problems.join("\n")) })?;
    Ok(if ok { Exit::Fine } else { Exit::Failed })
}

async fn back_up(run: &Run, file: &Path) -> Result<Exit, Stop> {
    let db = existing(run).await?;
    if file.exists() {
        let text = format!("{} exists and is not overwritten; name a new file", file.display());
        return Err(Stop::failed("exists", text));
    }
    Onceward::back_up(&db, file).await?;
    db.close().await;
    let size = std::fs::metadata(file).map_err(|error| Stop::at(file, &error))?.len();
    run.output.answer(&json!({ "file": file, "bytes": size }), || {
        plain(&format!("copied to {} ({} KiB); only you can read it", file.display(), size.div_ceil(1024)))
    })?;
    Ok(Exit::Fine)
}

/// For copies that cannot know it by themselves: by `cp`, by `pg_dump`.
async fn restored(run: &Run, made_at: Option<Time>) -> Result<Exit, Stop> {
    if let Some(at) = made_at.filter(|at| *at > Time::now()) {
        let text = format!(
            "--made-at {at} is in the future: expected when the copy was made, by the clock of its database"
        );
        return Err(Stop::usage("bad_time", text));
    }
    run.with_store(async |store| {
        let workers = store.once.status().await?.workers.len();
        if workers > 0 {
            let (count, them) = if workers == 1 {
                ("1 worker".to_owned(), "it")
            } else {
                (format!("{workers} workers"), "them")
            };
            let text = format!("{count} may be running; stop {them} first, or wait half a minute");
            return Err(Stop::failed("workers", text));
        }
        let jobs = store.once.take_for_backup(made_at).await?;
        run.output.answer(&json!({ "restored": jobs }), || {
            let none = || "noted; no job here may have been sent since".to_owned();
            plain(&status::restored(&jobs).unwrap_or_else(none))
        })?;
        Ok(Exit::Fine)
    })
    .await
}
