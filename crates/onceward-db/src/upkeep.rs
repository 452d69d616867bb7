//! Looking for damage, and copying a whole database while work goes on.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind as Io;
use std::path::Path;

use crate::conn::held::Held;
use crate::{Database, Engine, Error, ErrorKind, Result, Sql, Value, files, sql};

const BACK_UP: Sql = sql!("back_up");
const DAMAGE: Sql = sql!("damage");

impl Database {
    /// Reads the whole SQLite file and gives what is wrong with it, one line for each; nothing when all is well, and
    /// nothing on PostgreSQL, whose server looks after its files.
    pub async fn damage(&self) -> Result<Vec<String>> {
        let mut reader = self.reader().await?;
        let rows = match reader.conn().rows(&DAMAGE, vec![]).await {
            // Too damaged to be looked through: that is an answer.
            Err(error) if error.kind() == ErrorKind::Disk => return Ok(vec![error.to_string()]),
            rows => rows?,
        };
        let lines = rows.iter().map(|row| row.text("message")).collect::<Result<Vec<_>>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Copies one consistent state into a new file that only its owner can read (mode 0600), and runs `mark` there, so
    /// that the copy knows what it is, if it has the table. Writers go on meanwhile.
    ///
    /// # Errors
    /// `Config` on PostgreSQL, and for a file that exists: nothing is overwritten. When the copy fails, the new file
    /// is removed.
    pub async fn back_up(&self, file: &Path, mark: &Sql, args: Vec<Value>) -> Result<()> {
        if self.engine() == Engine::Postgres {
            return Err(Error::new(ErrorKind::Config, "a PostgreSQL store is backed up with pg_dump"));
        }
        let name = file.to_str().ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("{}: SQLite needs a name in UTF-8", file.display()))
        })?;
        let made = new_file(file)?;
        let copied = self.copy_into(name, file, &made, (mark, args)).await;
        if copied.is_err() {
            // What failed is told; half a copy must not pass for one.
            drop(std::fs::remove_file(file));
        }
        copied
    }

    /// The copy is on the disk when this returns.
    async fn copy_into(&self, name: &str, file: &Path, made: &File, mark: (&Sql, Vec<Value>)) -> Result<()> {
        // A connection of its own: readers may not write, not even elsewhere.
        let mut held = self.pool().writer().await?;
        held.conn().execute(&BACK_UP, vec![name.into()]).await?;
        let mut copy = Held::file(file).await?;
        match copy.conn().execute(mark.0, mark.1).await {
            // A store of an older version has no place for it yet, and is copied as it is.
            Err(error) if error.kind() == ErrorKind::Schema => {}
            marked => drop(marked?),
        }
        copy.close().await?;
        made.sync_all().map_err(|error| files::at(file, &error))?;
        sync_folder(file)
    }
}

fn new_file(file: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map_err(|error| match error.kind() {
        Io::AlreadyExists => {
            let text = format!("{} exists and is not overwritten; name a new file", file.display());
            Error::new(ErrorKind::Config, text)
        }
        _ => files::at(file, &error),
    })
}

/// A new name is durable once its folder is.
#[cfg(unix)]
fn sync_folder(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| files::at(folder, &error))
}

#[cfg(not(unix))]
fn sync_folder(_file: &Path) -> Result<()> {
    Ok(())
}
