use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::{mpsc, oneshot};

use super::Waiting;
use crate::writer::batch::{Batch, Command};
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

/// Cannot be written at all.
struct Broken;

impl Fold for Broken {
    type Item = ();
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(conn: &mut Conn<'_>, _items: &[()], _now: Option<Time>) -> Result<Vec<()>> {
        conn.script("CREATE TABLE half_done (n)").await?;
        panic!("a mistake of ours");
    }
}

#[tokio::test]
async fn a_write_that_panics_ends_no_writer_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(&format!("sqlite://{}/test.db", folder.path().display())).await.unwrap();
    for _ in 0..2 {
        assert_eq!(db.fold::<Broken>(vec![()]).await.unwrap_err().kind(), ErrorKind::Connection);
        db.fold::<Idle<{ rank::OTHER }>>(vec![()]).await.unwrap();
    }
    db.close().await;
}

/// Of any rank; it writes nothing.
struct Idle<const RANK: u8>;

impl<const RANK: u8> Fold for Idle<RANK> {
    type Item = ();
    type Answer = ();
    const RANK: u8 = RANK;

    async fn run(_conn: &mut Conn<'_>, items: &[()], _now: Option<Time>) -> Result<Vec<()>> {
        Ok(vec![(); items.len()])
    }
}

fn idle<const RANK: u8>() -> Box<dyn Command> {
    Box::new(Batch::<Idle<RANK>>::new(vec![()], oneshot::channel().0))
}

const SETTLE: u8 = rank::SETTLE;
const CLAIM: u8 = rank::CLAIM;
const ENQUEUE: u8 = rank::ENQUEUE;

/// The turns that so many lines make of what waits: of each kind of command, how many.
async fn turns(lines: usize, asked: Vec<Box<dyn Command>>) -> Vec<Vec<(u8, usize)>> {
    let (commands, waiting) = mpsc::channel(16);
    for command in asked {
        commands.send(command).await.unwrap();
    }
    drop(commands);
    let (mut waiting, mut turns) = (Waiting::new(waiting, lines), Vec::new());
    while waiting.any().await {
        turns.push(waiting.turn().iter().map(|command| (command.rank(), command.len())).collect());
    }
    turns
}

#[tokio::test]
async fn several_claims_are_shared_by_the_lines_and_one_line_takes_them_all() {
    let pairs = || {
        let pair = || vec![idle::<ENQUEUE>(), idle::<SETTLE>(), idle::<CLAIM>()];
        [pair(), pair(), vec![idle::<ENQUEUE>()]].into_iter().flatten().collect()
    };
    assert_eq!(turns(1, pairs()).await, [[(SETTLE, 2), (CLAIM, 2), (ENQUEUE, 3)]]);
    let shared = turns(2, pairs()).await;
    assert_eq!(shared, [[(SETTLE, 1), (CLAIM, 1), (ENQUEUE, 2)], [(SETTLE, 1), (CLAIM, 1), (ENQUEUE, 1)]]);
}

#[tokio::test]
async fn many_claims_fold_and_what_comes_without_another_claim_waits_for_none() {
    let claims = |count| (0..count).map(|_| idle::<CLAIM>()).collect::<Vec<_>>();
    assert_eq!(turns(2, claims(8)).await[0], [(CLAIM, 4)]);
    let lone = vec![idle::<CLAIM>(), idle::<SETTLE>(), idle::<SETTLE>(), idle::<ENQUEUE>()];
    assert_eq!(turns(2, lone).await, [[(SETTLE, 2), (CLAIM, 1), (ENQUEUE, 1)]]);
}
