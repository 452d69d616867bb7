//! Looking for damage, and copying a whole database while work goes on.

use std::fs::File;
use std::io::{self, ErrorKind as Io};
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
    /// The file has its name once it is whole, and on the disk. What fails or is given up before leaves nothing; what is
    /// killed before leaves a file `FILE-unfinished-…`.
    ///
    /// # Errors
    /// `Config` on PostgreSQL, and for a file that exists: nothing is overwritten.
    pub async fn back_up(&self, file: &Path, mark: Sql, args: Vec<Value>) -> Result<()> {
        if self.engine() == Engine::Postgres {
            return Err(Error::new(ErrorKind::Config, "a PostgreSQL store is backed up with pg_dump"));
        }
        if file.try_exists().map_err(|error| files::at(file, &error))? {
            return Err(exists(file));
        }
        let (db, copy) = (self.clone(), Unfinished::new(file)?);
        // Whoever gives up may end the process next.
        let _removed = Removed(copy.name.clone());
        // A task of its own, since SQLite copies on, whoever gives up, and may make the file again: it goes at the end too.
        let copying = tokio::spawn(async move { db.copy_into(&copy, (mark, args)).await.map(|()| copy) });
        let copied =
            copying.await.unwrap_or_else(|error| Err(Error::new(ErrorKind::Other, error.to_string())));
        copied?.finish(file)
    }

    async fn copy_into(&self, copy: &Unfinished, mark: (Sql, Vec<Value>)) -> Result<()> {
        // A connection of its own: readers may not write, not even elsewhere.
        let mut held = self.pool().writer().await?;
        held.conn().execute(&BACK_UP, vec![copy.name.clone().into()]).await?;
        let mut made = Held::file(Path::new(&copy.name)).await?;
        match made.conn().execute(&mark.0, mark.1).await {
            // A store of an older version has no place for it yet, and is copied as it is.
            Err(error) if error.kind() == ErrorKind::Schema => {}
            marked => drop(marked?),
        }
        made.close().await
    }
}

/// A copy that is being made; its file goes with it.
struct Unfinished {
    name: String,
    file: File,
    _removed: Removed,
}

/// The name of a file that is removed, with the journal of its last transaction.
struct Removed(String);

impl Drop for Removed {
    fn drop(&mut self) {
        // It may have got its name.
        drop(std::fs::remove_file(&self.0));
        drop(std::fs::remove_file(format!("{}-journal", self.0)));
    }
}

impl Unfinished {
    fn new(of: &Path) -> Result<Self> {
        let path = files::beside(of, &format!("-unfinished-{}", &crate::random_id()?[..8]));
        let Some(name) = path.to_str().map(str::to_owned) else {
            let text = format!("{}: SQLite needs a name in UTF-8", of.display());
            return Err(Error::new(ErrorKind::Config, text));
        };
        let file = files::new_private_file(&path).map_err(|error| files::unusable(of, &error))?;
        Ok(Self { file, _removed: Removed(name.clone()), name })
    }

    /// Whole and on the disk, it gets its name, which must be free.
    fn finish(self, file: &Path) -> Result<()> {
        let named = self.file.sync_all().and_then(|()| match std::fs::hard_link(&self.name, file) {
            // A file system without links.
            Err(error) if error.kind() != Io::AlreadyExists && !file.exists() => {
                std::fs::rename(&self.name, file)
            }
            linked => linked,
        });
        match named {
            Err(_) if file.exists() => Err(exists(file)),
            named => named.and_then(|()| sync_folder(file)).map_err(|error| files::at(file, &error)),
        }
    }
}

fn exists(file: &Path) -> Error {
    let text = format!("{} exists and is not overwritten; name a new file", file.display());
    Error::new(ErrorKind::Config, text)
}

/// A new name is durable once its folder is.
#[cfg(unix)]
fn sync_folder(file: &Path) -> io::Result<()> {
    File::open(files::folder_of(file))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_file: &Path) -> io::Result<()> {
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
            let mut copying = Box::pin(db.back_up(&copy, DAMAGE, vec![]));
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
            moments += 1 + moments / 8;
            match given_up_after(moments).await {
                Some(copied) => break copied,
                None => assert!(!copy.exists(), "after {moments} moments"),
            }
        };
        copied.unwrap();
        assert!(copy.exists());
        let again = db.back_up(&copy, DAMAGE, vec![]).await;
        assert_eq!(again.unwrap_err().kind(), ErrorKind::Config, "it is not overwritten");
        let unfinished = || {
            let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            names.filter(|name| name.to_string_lossy().contains("-unfinished-")).count()
        };
        let gone = async {
            while unfinished() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.unwrap();
        db.close().await;
    }
}
