//! `onceward db`.

use std::path::Path;

use onceward::{Contradiction, Onceward, Time};
use onceward_db::{Database, Engine, newer, script};
use serde::Serialize;
use serde_json::json;

use super::{Run, status};
use crate::args::DbVerb;
use crate::exit::Exit;
use crate::output::plain;
use crate::signal::Signals;
use crate::stop::Stop;
use crate::store::{self, COMPONENTS, database, named};

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

/// The store that is there, whatever its tables are.
async fn existing(run: &Run) -> Result<Database, Stop> {
    let url = named(run, &run.config()?)?;
    store::existing(&url)?;
    database(&url).await
}

async fn check(run: &Run) -> Result<Exit, Stop> {
    let db = existing(run).await?;
    let schema = schema(&db).await?;
    let problems = problems(&db, &schema).await?;
    let engine = if db.engine() == Engine::Sqlite { "sqlite" } else { "postgres" };
    db.close().await;
    let notes: Vec<String> = COMPONENTS
        .iter()
        .zip(&schema)
        .filter(|(_, part)| part.version > part.needed)
        .map(|(component, part)| newer(component, part.version))
        .collect();
    let ok = problems.is_empty();
    let document =
        json!({ "ok": ok, "engine": engine, "schema": schema, "problems": problems, "notes": notes });
    run.output.answer(&document, || {
        let verdict = if ok { vec!["all is well".to_owned()] } else { problems.clone() };
        plain(&[verdict, notes.clone()].concat().join("\n"))
    })?;
    Ok(if ok { Exit::Fine } else { Exit::Failed })
}

/// What is wrong with the file, else with the tables, else with what is in them: what lacks a table cannot be asked.
async fn problems(db: &Database, schema: &[Schema]) -> Result<Vec<String>, Stop> {
    let damage = db.damage().await?;
    if !damage.is_empty() {
        return Ok(damage);
    }
    let missing = db.drift(COMPONENTS).await?.missing;
    if !missing.is_empty() {
        return Ok(vec![format!(
            "missing: {}. Migrations made it here, and something else removed it: stop all workers and put a backup in \
             place; an index or a view can be made again as `onceward db migrate --print` says",
            missing.join(", ")
        )]);
    }
    let old: Vec<String> = schema.iter().filter(|part| part.version < part.needed).map(old).collect();
    if !old.is_empty() {
        return Ok(old);
    }
    let wrong = Onceward::contradictions(db).await?;
    Ok(wrong.iter().map(contradicts).collect())
}

fn old(part: &Schema) -> String {
    let Schema { component, version, needed } = part;
    format!(
        "the {component} tables are at version {version}, this program needs {needed}: run `onceward db migrate`"
    )
}

fn contradicts(wrong: &Contradiction) -> String {
    let Contradiction { what, jobs, first, .. } = wrong;
    format!(
        "{jobs} jobs are {what} (the first: {first}), which no release writes: put a backup in place, or cancel them"
    )
}

async fn back_up(run: &Run, file: &Path) -> Result<Exit, Stop> {
    let db = existing(run).await?;
    if file.exists() {
        let text = format!("{} exists and is not overwritten; name a new file", file.display());
        return Err(Stop::failed("exists", text));
    }
    let mut signals = Signals::catch()?;
    let copied = tokio::select! {
        copied = Onceward::back_up(&db, file) => copied,
        exit = signals.next() => {
            run.output.note("interrupted; nothing was copied");
            return Ok(exit);
        }
    };
    copied?;
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
