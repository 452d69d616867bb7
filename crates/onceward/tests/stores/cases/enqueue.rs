//! A job exists when, and only when, its enqueue says so.

use onceward::{Dedup, Enqueued, NewJob, State};
use sqlx::Connection;

use crate::harness::{Store, Verdict};

fn job(payload: &str) -> NewJob {
    NewJob::untyped("mail", "welcome", payload)
}

pub(crate) async fn a_job_is_pending_when_enqueue_returns(store: &Store) -> Verdict {
    let enqueued = store.once.enqueue(job(r#"{"b": 1.0,  "a":"큐"}"#)).await?;
    assert!(matches!(enqueued, Enqueued::New(_)));
    let kept = r#"state = 'pending' AND payload = '{"b": 1.0,  "a":"큐"}'"#;
    assert_eq!(store.count("job", kept).await?, 1);
    Ok(())
}

pub(crate) async fn a_key_or_id_that_is_empty_is_a_mistake(store: &Store) -> Verdict {
    let hour = std::time::Duration::from_hours(1);
    let table = [
        (job("1").dedup("", Dedup::Forever), "bad_dedup"),
        (job("1").message("", hour), "bad_message"),
        (job("1").message_of("m", hour, ""), "bad_message"),
        (job("1").message_of("m", hour, "a\0b"), "bad_message"),
    ];
    for (bad, code) in table {
        assert_eq!(bad.check().map_err(|error| error.code()), Err(code), "{bad:?}");
        assert_eq!(store.once.enqueue(bad).await.unwrap_err().code(), code);
    }
    let row = || onceward::NewRow::untyped("mail", "welcome", "1");
    let rows = [
        (row().dedup("", None), "bad_dedup"),
        (row().message_id(""), "bad_message"),
        (row().ordered(""), "bad_ordering_key"),
    ];
    for (bad, code) in rows {
        assert_eq!(bad.check().map_err(|error| error.code()), Err(code), "{bad:?}");
    }
    assert_eq!(store.count("job", "true").await?, 0);
    Ok(())
}

pub(crate) async fn two_hundred_producers_of_one_key_make_one_job(store: &Store) -> Verdict {
    let other = store.another().await?;
    let mut producers = tokio::task::JoinSet::new();
    for n in 0..200 {
        let once = if n % 2 == 0 { store.once.clone() } else { other.clone() };
        producers.spawn(async move { once.enqueue(job("{}").dedup("welcome-7", Dedup::Forever)).await });
    }
    let (mut fresh, mut skipped) = (Vec::new(), Vec::new());
    while let Some(answer) = producers.join_next().await {
        match answer?? {
            Enqueued::New(id) => fresh.push(id),
            Enqueued::Skipped { existing, state: State::Pending, changed: false, .. } => {
                skipped.push(existing);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((fresh.len(), skipped.len()), (1, 199));
    assert!(skipped.iter().all(|id| *id == fresh[0]));
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

pub(crate) async fn a_rolled_back_transaction_leaves_no_job(store: &Store) -> Verdict {
    if store.is_sqlite() {
        let mut conn = sqlx::SqliteConnection::connect(&store.url).await?;
        for commit in [false, true] {
            let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
            store.once.enqueue_in(&mut tx, job("{}")).await?;
            if commit { tx.commit().await? } else { tx.rollback().await? }
        }
    } else {
        let mut conn = sqlx::PgConnection::connect(&store.direct()?).await?;
        for commit in [false, true] {
            let mut tx = conn.begin().await?;
            store.once.enqueue_in(&mut tx, job("{}")).await?;
            if commit { tx.commit().await? } else { tx.rollback().await? }
        }
    }
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}
