//! Looking for damage, and copying a whole database while work goes on.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind as Io;
use std::path::{Path, PathBuf};

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
    /// The file has its name once it is whole, and on the disk. What is given up or fails before leaves nothing; what is
    /// killed before leaves a file `FILE-part-…`.
    ///
    /// # Errors
    /// `Config` on PostgreSQL, and for a file that exists: nothing is overwritten.
    pub async fn back_up(&self, file: &Path, mark: &Sql, args: Vec<Value>) -> Result<()> {
        if self.engine() == Engine::Postgres {
            return Err(Error::new(ErrorKind::Config, "a PostgreSQL store is backed up with pg_dump"));
        }
        if file.try_exists().map_err(|error| files::at(file, &error))? {
            return Err(exists(file));
        }
        let part = Part::new(file)?;
        self.copy_into(&part, (mark, args)).await?;
        part.finish(file)
    }

    async fn copy_into(&self, part: &Part, mark: (&Sql, Vec<Value>)) -> Result<()> {
        let Some(name) = part.path.to_str() else {
            let text = format!("{}: SQLite needs a name in UTF-8", part.path.display());
            return Err(Error::new(ErrorKind::Config, text));
        };
        // A connection of its own: readers may not write, not even elsewhere.
        let mut held = self.pool().writer().await?;
        held.conn().execute(&BACK_UP, vec![name.into()]).await?;
        let mut copy = Held::file(&part.path).await?;
        match copy.conn().execute(mark.0, mark.1).await {
            // A store of an older version has no place for it yet, and is copied as it is.
            Err(error) if error.kind() == ErrorKind::Schema => {}
            marked => drop(marked?),
        }
        copy.close().await
    }
}

/// A copy that is being made; its file goes with it.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    fn new(of: &Path) -> Result<Self> {
        let path = files::beside(of, &format!("-part-{}", crate::random_id()?));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| files::at(&path, &error))?;
        Ok(Self { path, file })
    }

    /// Whole and on the disk, it gets its name, which must be free.
    fn finish(self, file: &Path) -> Result<()> {
        self.file.sync_all().map_err(|error| files::at(&self.path, &error))?;
        match std::fs::hard_link(&self.path, file) {
            Err(error) if error.kind() == Io::AlreadyExists => return Err(exists(file)),
            // A file system without links.
            Err(_) if !file.exists() => std::fs::rename(&self.path, file),
            linked => linked,
        }
        .map_err(|error| files::at(file, &error))?;
        sync_folder(file)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Half a copy must not pass for one. It may have got its name.
        drop(std::fs::remove_file(&self.path));
    }
}

fn exists(file: &Path) -> Error {
    let text = format!("{} exists and is not overwritten; name a new file", file.display());
    Error::new(ErrorKind::Config, text)
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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_copy_has_its_name_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let db = Database::open(&format!("sqlite://{}/store.db", folder.path().display())).await.unwrap();
        let copy = folder.path().join("copy.db");
        let given_up_after = async |moments: u32| {
            let mut copying = Box::pin(db.back_up(&copy, &DAMAGE, vec![]));
            for _ in 0..moments {
                if let Some(copied) = copying.as_mut().now_or_never() {
                    return Some(copied);
                }
                tokio::task::yield_now().await;
            }
            None
        };
        let mut moments = 0;
        let copied = loop {
            moments += 1;
            match given_up_after(moments).await {
                Some(copied) => break copied,
                None => assert!(!copy.exists(), "after {moments} moments"),
            }
        };
        copied.unwrap();
        assert!(copy.exists());
        let again = db.back_up(&copy, &DAMAGE, vec![]).await;
        assert_eq!(again.unwrap_err().kind(), ErrorKind::Config, "it is not overwritten");
        db.close().await;
    }
}
