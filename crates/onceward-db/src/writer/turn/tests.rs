use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Conn, Database, Error, ErrorKind, Fold, Result, Time, rank};

/// Cannot be written together with others, and loses its connection so many times when it is alone.
struct Unlucky;

impl Fold for Unlucky {
    type Item = Arc<AtomicU32>;
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(_conn: &mut Conn<'_>, items: &[Arc<AtomicU32>], _now: Option<Time>) -> Result<Vec<()>> {
        let [left] = items else { return Err(Error::new(ErrorKind::Constraint, "a bad row")) };
        let broke = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if broke { Err(Error::new(ErrorKind::Connection, "the connection broke")) } else { Ok(vec![()]) }
    }
}

#[tokio::test]
async fn a_caller_who_is_replayed_alone_has_another_connection_too() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(&format!("sqlite://{}/test.db", folder.path().display())).await.unwrap();
    let breaks = |times| db.fold::<Unlucky>(vec![Arc::new(AtomicU32::new(times))]);
    // Of one turn: all are asked for before the writer is awake.
    let (fine, once, ever) = tokio::join!(breaks(0), breaks(1), breaks(u32::MAX));
    assert!(fine.is_ok() && once.is_ok(), "{fine:?} {once:?}");
    assert_eq!(ever.unwrap_err().kind(), ErrorKind::Connection, "not for ever");
    db.close().await;
}
