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

#[tokio::test]
async fn work_that_was_taken_twice_is_two_lines_work_and_one_line_s_turn() {
    const SETTLE: u8 = rank::SETTLE;
    const CLAIM: u8 = rank::CLAIM;
    const ENQUEUE: u8 = rank::ENQUEUE;
    let asked = || {
        [
            idle::<ENQUEUE>(),
            idle::<SETTLE>(),
            idle::<CLAIM>(),
            idle::<ENQUEUE>(),
            idle::<SETTLE>(),
            idle::<CLAIM>(),
        ]
    };
    let settle_claim_enqueue = vec![(SETTLE, 1), (CLAIM, 1), (ENQUEUE, 2)];
    let expected = [
        (1, vec![vec![(SETTLE, 2), (CLAIM, 2), (ENQUEUE, 2)]]),
        (2, vec![settle_claim_enqueue, vec![(SETTLE, 1), (CLAIM, 1)]]),
    ];
    for (lines, expected) in expected {
        let (commands, waiting) = mpsc::channel(16);
        for command in asked() {
            commands.send(command).await.unwrap();
        }
        drop(commands);
        let (mut waiting, mut turns) = (Waiting::new(waiting, lines), Vec::new());
        while let Some(first) = waiting.first().await {
            let turn = waiting.turn(first);
            turns.push(turn.iter().map(|command| (command.rank(), command.len())).collect::<Vec<_>>());
        }
        assert_eq!(turns, expected, "{lines} lines");
    }
}
