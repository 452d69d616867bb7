//! An id names one message: a repeat of it makes no second job, and another message under it is refused aloud.

use std::time::Duration;

use onceward::{Dedup, Enqueued, Error, NewRow, Outbox, Relayed};
use sqlx::Connection;
use tempfile::TempDir;

use super::outbox::{Tried, outbox, row, to_jobs};
use crate::harness::{Store, Verdict};

const ID: &str = "00000000-0000-4000-8000-000000000007";
const DAY: Duration = Duration::from_hours(24);

/// The outbox of another application.
struct Elsewhere {
    outbox: Outbox,
    url: String,
    _folder: TempDir,
}

async fn elsewhere() -> Tried<Elsewhere> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}/other.db", folder.path().display());
    Ok(Elsewhere { outbox: Outbox::open(&url).await?, url, _folder: folder })
}

pub(crate) async fn another_message_under_a_used_id_is_refused_and_named(store: &Store) -> Verdict {
    let here = outbox(store).await?;
    here.enqueue(row("1").message_id(ID)).await?;
    assert_eq!(to_jobs(store, &here).run_until_idle().await?.sent, 1);
    let others = [row("2"), row("1").queue("other"), NewRow::untyped("mail", "farewell", "1")];
    for other in others {
        let there = elsewhere().await?;
        there.outbox.enqueue(other.message_id(ID)).await?;
        let relayed = to_jobs(store, &there.outbox).run_until_idle().await?;
        assert_eq!(relayed, Relayed { refused: 1, ..Relayed::default() });
        let refused = there.outbox.refused(1).await?.remove(0);
        let cause = refused.error.ok_or("no reason")?;
        assert_eq!(cause.code, "dedup_conflict");
        assert!(cause.text.contains("job 1 was made from another message with this message id"), "{}", cause.text);
    }
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

pub(crate) async fn what_follows_a_used_id_waits_for_it(store: &Store) -> Verdict {
    let (here, there) = (outbox(store).await?, elsewhere().await?);
    here.enqueue(row("1").message_id(ID)).await?;
    to_jobs(store, &here).run_until_idle().await?;
    there.outbox.enqueue(row("2").message_id(ID).ordered("k")).await?;
    there.outbox.enqueue(row("3").ordered("k")).await?;
    there.outbox.enqueue(row("4")).await?;
    let relay = to_jobs(store, &there.outbox);
    let relayed = relay.run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (1, 1));
    assert_eq!(store.count("job", "payload IN ('2', '3')").await?, 0, "3 waits behind 2");
    // Its owner gives it an id of its own.
    let refused = there.outbox.refused(1).await?.remove(0).id;
    let mut conn = sqlx::SqliteConnection::connect(&there.url).await?;
    let mended = "UPDATE onceward_outbox SET message_id = 'another' WHERE payload = '2'";
    sqlx::query(mended).execute(&mut conn).await?;
    assert_eq!(there.outbox.retry(vec![refused]).await?, [refused]);
    assert_eq!(relay.run_until_idle().await?.sent, 2);
    assert_eq!(store.count("job", "payload IN ('2', '3')").await?, 2);
    Ok(())
}

pub(crate) async fn one_message_from_two_outboxes_is_one_job(store: &Store) -> Verdict {
    let (here, there) = (outbox(store).await?, elsewhere().await?);
    here.enqueue(row(r#"{"a": 1, "b": "é"}"#).message_id(ID)).await?;
    there.outbox.enqueue(row(r#"{"b":"\u00e9","a":1}"#).message_id(ID)).await?;
    for outbox in [&here, &there.outbox] {
        assert_eq!(to_jobs(store, outbox).run_until_idle().await?.sent, 1);
    }
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

/// A program of the version before wrote down no more than the id.
pub(crate) async fn a_message_of_which_only_the_id_is_known_counts_as_a_repeat(store: &Store) -> Verdict {
    let (here, there) = (outbox(store).await?, elsewhere().await?);
    here.enqueue(row("1").message_id(ID)).await?;
    to_jobs(store, &here).run_until_idle().await?;
    store.execute("UPDATE @dedup SET payload_hash = '' WHERE scope = 'message'").await?;
    there.outbox.enqueue(row("2").message_id(ID)).await?;
    assert_eq!(to_jobs(store, &there.outbox).run_until_idle().await?.sent, 1);
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

/// Enqueued in one turn, such as by the relays of two outboxes.
pub(crate) async fn a_message_stands_for_no_job_that_was_not_made(store: &Store) -> Verdict {
    store.once.enqueue(job("1").dedup("taken", Dedup::Forever)).await?;
    let first = job("2").dedup("taken", Dedup::Forever).message("m", DAY);
    let answers = store.once.enqueue_each(vec![first, job("3").message("m", DAY), job("3").message("m", DAY)]).await?;
    let [Err(Error::DedupConflict { existing: 1 }), Ok(Enqueued::New(id)), Ok(Enqueued::Skipped { existing, .. })] =
        answers.as_slice()
    else {
        panic!("{answers:?}")
    };
    assert_eq!(id, existing);
    assert_eq!(store.count("job", &format!("payload = '3' AND id = {id}")).await?, 1);
    let other = store.once.enqueue(job("4").message("m", DAY)).await;
    assert!(matches!(other, Err(Error::MessageConflict { existing }) if existing == *id), "{other:?}");
    Ok(())
}

fn job(payload: &str) -> onceward::NewJob {
    onceward::NewJob::untyped("mail", "welcome", payload)
}
