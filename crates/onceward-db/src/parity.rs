//! Compares the two dialects of every statement: same names, same parameters, same columns.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Database, Error, ErrorKind, Result};

/// What differs between `sql/sqlite` and `sql/postgres` below `crate_folder`, one line per difference.
///
/// Both databases must be migrated. Each statement is prepared, not run.
pub async fn differences(crate_folder: &Path, sqlite: &Database, postgres: &Database) -> Result<Vec<String>> {
    let ours = names(&crate_folder.join("sql/sqlite"))?;
    let theirs = names(&crate_folder.join("sql/postgres"))?;
    let mut found: Vec<String> =
        ours.symmetric_difference(&theirs).map(|name| format!("{name}: only one engine has it")).collect();
    for name in ours.intersection(&theirs) {
        let left = describe(sqlite, &crate_folder.join("sql/sqlite").join(name)).await;
        let right = describe(postgres, &crate_folder.join("sql/postgres").join(name)).await;
        match (left, right) {
            (Ok(left), Ok(right)) if left == right => {}
            (left, right) => found.push(format!("{name}: sqlite {left:?}, postgres {right:?}")),
        }
    }
    Ok(found)
}

async fn describe(database: &Database, file: &Path) -> Result<(usize, Vec<String>)> {
    // Leaked on purpose: the driver prepares only static text, and this runs once, in a test.
    let text: &'static str = read(file)?.leak();
    if !text.starts_with("-- ") {
        return Err(Error::new(
            ErrorKind::Other,
            "the first line does not say what the statement guarantees",
        ));
    }
    database.pool().writer().await?.conn().describe(text).await
}

fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let entries = std::fs::read_dir(folder).map_err(|e| crate::files::at(folder, &e))?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|e| crate::files::at(file, &e))
}
