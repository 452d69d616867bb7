//! The test's own lock on the file stands for another process: the kernel tells files apart, not processes.

use std::sync::mpsc;

use super::*;
use crate::conn::open::Pool;
use crate::{Conn, Database, Fold, Time, rank};

type Verdict = std::result::Result<(), Box<dyn std::error::Error>>;

const SHORT: Duration = Duration::from_millis(50);
/// As long as a busy machine may take.
const SOON: Duration = Duration::from_secs(20);

struct Nothing;

impl Fold for Nothing {
    type Item = ();
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(_: &mut Conn<'_>, items: &[()], _: Option<Time>) -> Result<Vec<()>> {
        Ok(vec![(); items.len()])
    }
}

fn another(store: &Path) -> io::Result<File> {
    files::private_file(&files::beside(store, "-turn"))
}

/// Waits for the lock with a blocking call of its own.
fn gets(file: File) -> std::result::Result<io::Result<()>, mpsc::RecvTimeoutError> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(file.lock().and_then(|()| file.unlock())));
    told.recv_timeout(SOON)
}

#[tokio::test]
async fn a_turn_that_another_process_keeps_is_not_waited_for_without_end() -> Verdict {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("test.db");
    let db = Database::over(Pool::open(format!("sqlite://{}", path.display()).parse()?).await?, SHORT)?;
    db.fold::<Nothing>(vec![()]).await?;
    let other = another(&path)?;
    other.lock()?;
    let refused = timeout(SOON, db.fold::<Nothing>(vec![()])).await?.expect_err("it is not our turn");
    assert_eq!(refused.kind(), ErrorKind::Busy);
    assert!(refused.to_string().contains("test.db-turn") && refused.to_string().contains("kill -CONT"));
    other.unlock()?;
    let again = Database::over(Pool::open(format!("sqlite://{}", path.display()).parse()?).await?, SOON)?;
    again.fold::<Nothing>(vec![()]).await?;
    Ok(())
}

#[tokio::test]
async fn a_turn_that_comes_too_late_is_given_back() -> Verdict {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("test.db");
    let (other, lock) = (another(&path)?, TurnLock::new(Some(&path), SHORT)?);
    other.lock()?;
    for _ in 0..3 {
        assert_eq!(lock.take().await.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Busy));
    }
    other.unlock()?;
    gets(another(&path)?)??;
    let turn = lock.take().await?;
    assert!(other.try_lock().is_err(), "and what is given back is nobody else's turn");
    drop(turn);
    gets(other)??;
    Ok(())
}

#[tokio::test]
async fn a_turn_is_had_as_soon_as_another_process_lets_go() -> Verdict {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("test.db");
    let (one, two) = (TurnLock::new(Some(&path), SOON)?, TurnLock::new(Some(&path), SOON)?);
    let turn = one.take().await?;
    let mut waiting = std::pin::pin!(two.take());
    assert!(timeout(SHORT, &mut waiting).await.is_err(), "it is not ours yet");
    drop(turn);
    timeout(SOON, waiting).await??;
    Ok(())
}

#[tokio::test]
async fn two_tasks_of_one_process_have_one_turn_at_a_time() -> Verdict {
    let folder = tempfile::tempdir()?;
    let lock = TurnLock::new(Some(&folder.path().join("test.db")), SHORT)?;
    let turn = lock.take().await?;
    assert_eq!(lock.take().await.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Busy));
    drop(turn);
    lock.take().await?;
    Ok(())
}
