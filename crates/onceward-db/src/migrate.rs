//! Schema changes: forward only, embedded, one ladder per component.

use crate::{Conn, Database, Engine, Error, ErrorKind, Result, Sql};

/// One step of a component's schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// 1, 2, 3 … without gaps.
    pub version: i64,
    /// The statements for SQLite.
    pub sqlite: &'static str,
    /// The statements for PostgreSQL.
    pub postgres: &'static str,
}

/// A part of the program that owns tables.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// Its name in the table of migrations.
    pub name: &'static str,
    /// Its steps in order.
    pub migrations: &'static [Migration],
}

/// Migration `NNNN` of the calling crate: `migrations/{sqlite,postgres}/NNNN_NAME.sql`.
#[macro_export]
macro_rules! migration {
    ($version:literal, $file:literal) => {
        $crate::Migration {
            version: $version,
            sqlite: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite/", $file, ".sql")),
            postgres: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/migrations/postgres/",
                $file,
                ".sql"
            )),
        }
    };
}

pub(crate) const LADDER: Migration = crate::migration!(0, "0000_ladder");
const LOCK: Sql = crate::sql!("migrate_lock");
const VERSION: Sql = crate::sql!("migrate_version");
const RECORD: Sql = crate::sql!("migrate_record");

impl Component {
    /// The version this program was built with.
    pub fn newest(&self) -> i64 {
        self.migrations.last().map_or(0, |m| m.version)
    }
}

impl Migration {
    pub(crate) fn text(&self, engine: Engine) -> &'static str {
        match engine {
            Engine::Sqlite => self.sqlite,
            Engine::Postgres => self.postgres,
        }
    }
}

/// The schema of `components` as one script that also records itself, for people with a migration tool of their own.
pub fn script(components: &[Component], engine: Engine) -> String {
    let mut out = LADDER.text(engine).to_owned();
    let table = match engine {
        Engine::Sqlite => "onceward_migration",
        Engine::Postgres => "onceward.onceward_migration",
    };
    for Component { name, migrations } in components {
        for migration in *migrations {
            let version = migration.version;
            let record = format!("INSERT INTO {table} (component, version) VALUES ('{name}', {version});");
            let lines = ["", &format!("-- {name} {version:04}"), migration.text(engine)];
            out += &lines.join("\n");
            out += &record;
            out.push('\n');
        }
    }
    out
}

impl Database {
    /// Brings each component to its newest version, in one transaction, and gives how many steps ran.
    ///
    /// Many processes may call it at once. A schema newer than this program is left alone: the programs of two
    /// versions run side by side during an upgrade.
    pub async fn migrate(&self, components: &'static [Component]) -> Result<usize> {
        // What is there already takes no turn: a store that nobody can write to can still be opened and looked at.
        if self.behind(components).await?.is_empty() {
            return Ok(0);
        }
        let mut held = self.pool().writer().await?;
        let _turn = self.turn().await?;
        held.begin().await?;
        match climb(&mut held.conn(), components).await {
            Ok(steps) => {
                held.commit().await?;
                Ok(steps)
            }
            Err(error) => {
                held.discard().await;
                Err(error)
            }
        }
    }

    /// The version of a component in the database; 0 when it was never migrated.
    pub async fn version(&self, component: &Component) -> Result<i64> {
        let mut reader = self.reader().await?;
        match version(&mut reader.conn(), component).await {
            Err(error) if error.kind() == ErrorKind::Schema => Ok(0),
            other => other,
        }
    }

    /// Fails unless each component is at its newest version or beyond.
    pub async fn require(&self, components: &[Component]) -> Result<()> {
        let Some((component, found)) = self.behind(components).await?.into_iter().next() else {
            return Ok(());
        };
        let Component { name, .. } = component;
        let needed = component.newest();
        Err(Error::new(
            ErrorKind::Schema,
            format!(
                "the database's {name} schema is at version {found}, this program needs {needed}: run `onceward db migrate`"
            ),
        ))
    }

    /// The components that this program would bring further, with the versions they are at. One of a newer program is
    /// said once for each handle: what that one wrote may mean something else here.
    async fn behind<'c>(&self, components: &'c [Component]) -> Result<Vec<(&'c Component, i64)>> {
        let mut behind = Vec::new();
        for component in components {
            let found = self.version(component).await?;
            if found < component.newest() {
                behind.push((component, found));
            } else if found > component.newest() && self.first_telling(component.name) {
                tracing::warn!("{}", newer(component, found));
            }
        }
        Ok(behind)
    }
}

/// What to do about a component that is newer in the database than in this program.
pub fn newer(component: &Component, found: i64) -> String {
    let Component { name, .. } = component;
    format!(
        "the {name} tables are at version {found}, which is newer than this program's {}: fine for the time of an upgrade; \
         then run the program that brought them there, and end this one",
        component.newest()
    )
}

async fn climb(conn: &mut Conn<'_>, components: &[Component]) -> Result<usize> {
    conn.execute(&LOCK, vec![]).await?;
    conn.script(LADDER.text(conn.engine())).await?;
    let mut steps = 0;
    for component in components {
        let found = version(conn, component).await?;
        for migration in component.migrations.iter().filter(|m| m.version > found) {
            conn.script(migration.text(conn.engine())).await?;
            conn.execute(&RECORD, vec![component.name.into(), migration.version.into()]).await?;
            steps += 1;
        }
    }
    Ok(steps)
}

async fn version(conn: &mut Conn<'_>, component: &Component) -> Result<i64> {
    let row = conn.row(&VERSION, vec![component.name.into()]).await?;
    row.map_or(Ok(0), |row| row.int("version"))
}
