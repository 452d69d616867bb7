//! What the migrations make, read from their texts, and what of it a database lacks.

use std::collections::BTreeSet;

use crate::migrate::LADDER;
use crate::{Component, Database, Engine, Result, Sql, sql};

const OBJECTS: Sql = sql!("objects");

/// How a database differs from what the migrations that ran there make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// What they make and is not there: `table onceward_job`, `column onceward_job.queue`, `index onceward_job_due` …
    pub missing: Vec<String>,
    /// What is there under our names and no migration makes.
    pub unknown: Vec<String>,
}

type Objects = BTreeSet<(&'static str, String)>;

impl Database {
    /// Compares tables, columns, indexes, views and functions with what the migrations of `components` make. A component
    /// that is newer than this program is not known here, and left out.
    pub async fn drift(&self, components: &[Component]) -> Result<Drift> {
        let there = self.objects().await?;
        if there.is_empty() {
            return Ok(Drift::default());
        }
        let mut made = made_by(LADDER.text(self.engine()));
        for component in components {
            let found = self.version(component).await?;
            let known = if found > component.newest() { 0 } else { found };
            for migration in component.migrations.iter().filter(|migration| migration.version <= known) {
                made.append(&mut made_by(migration.text(self.engine())));
            }
        }
        let shown = |objects: Vec<&(&str, String)>| {
            objects.into_iter().map(|(kind, name)| format!("{kind} {}{name}", self.prefix())).collect()
        };
        let missing = made.difference(&there).filter(|object| !lies_in_another(object, &made, &there));
        Ok(Drift { missing: shown(missing.collect()), unknown: shown(there.difference(&made).collect()) })
    }

    /// The names on PostgreSQL are those in the schema `onceward`.
    fn prefix(&self) -> &'static str {
        match self.engine() {
            Engine::Sqlite => "",
            Engine::Postgres => "onceward.",
        }
    }

    async fn objects(&self) -> Result<Objects> {
        let mut reader = self.reader().await?;
        let rows = reader.conn().rows(&OBJECTS, vec![]).await?;
        let object = |kind: String, name| {
            Ok((KINDS.into_iter().find(|known| *known == kind).unwrap_or("thing"), name))
        };
        rows.iter().map(|row| object(row.text("kind")?, row.text("name")?)).collect()
    }
}

const KINDS: [&str; 5] = ["table", "column", "index", "view", "function"];

/// A column of a table that is missing as a whole is not told beside it.
fn lies_in_another((kind, name): &(&'static str, String), made: &Objects, there: &Objects) -> bool {
    let table = ("table", name.split('.').next().unwrap_or_default().to_owned());
    *kind == "column" && made.contains(&table) && !there.contains(&table)
}

/// What the statements of a migration make. A test compares it with what an engine has after them.
fn made_by(text: &str) -> Objects {
    let bare: String =
        text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    // What stands between two `$$` is the body of a function.
    let outside: String = bare.split("$$").step_by(2).collect();
    outside.split(';').flat_map(made_by_one).collect()
}

fn made_by_one(statement: &str) -> Vec<(&'static str, String)> {
    let words: Vec<&str> = statement
        .split(|char: char| char.is_whitespace() || char == '(')
        .filter(|word| !["", "UNIQUE", "IF", "NOT", "EXISTS"].contains(word))
        .collect();
    match words[..] {
        ["CREATE", "TABLE", name, ..] => {
            let columns =
                columns(statement).into_iter().map(|column| ("column", format!("{}.{column}", plain(name))));
            columns.chain([("table", plain(name))]).collect()
        }
        ["ALTER", "TABLE", name, "ADD", "COLUMN", column, ..] => {
            vec![("column", format!("{}.{column}", plain(name)))]
        }
        ["CREATE", "INDEX", name, ..] => vec![("index", plain(name))],
        ["CREATE", "VIEW", name, ..] => vec![("view", plain(name))],
        ["CREATE", "FUNCTION", name, ..] => vec![("function", plain(name))],
        _ => vec![],
    }
}

fn plain(name: &str) -> String {
    name.strip_prefix("onceward.").unwrap_or(name).to_owned()
}

/// The columns in the brackets of a CREATE TABLE: what begins each part there and is no constraint.
fn columns(statement: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for char in statement.chars() {
        match char {
            '(' => depth += 1,
            ')' if depth == 1 => break,
            ')' => depth -= 1,
            ',' if depth == 1 => parts.push(String::new()),
            _ if depth == 1 => parts.iter_mut().last().into_iter().for_each(|part| part.push(char)),
            _ => {}
        }
    }
    let first = parts.iter().filter_map(|part| part.split_whitespace().next());
    first.filter(|word| !["PRIMARY", "UNIQUE", "CHECK", "LIKE"].contains(word)).map(str::to_owned).collect()
}
