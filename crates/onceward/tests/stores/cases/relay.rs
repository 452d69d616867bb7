//! A relay carries on, whatever the rows hold, however many there are, and wherever one like it died.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use onceward::{Handing, Handover, JobTarget, Message, Relay, Target};
use tokio::sync::Notify;

use super::outbox::{outbox, row, to_jobs};
use crate::harness::{Store, Verdict};

/// What an application can write although no queue takes it: a column and its value, on either engine.
const BAD: &[(&str, &str)] = &[
    ("queue", "''"),
    ("queue", "'two words'"),
    ("kind", "'<script>'"),
    ("payload", "''"),
    ("payload", "'{'"),
    ("payload", "'\"\\u0000\"'"),
    ("version", "-1"),
    ("version", "4294967296"),
    ("dedup_for", "-1"),
    ("dedup_for", "9223372036854775807"),
];
const BAD_ON_SQLITE: &[(&str, &str)] = &[
    ("run_at", "9223372036854775807"),
    ("run_at", "-9223372036854775808"),
    ("created_at", "9223372036854775807"),
    ("created_at", "-9223372036854775808"),
    ("created_at", "253402300800000000"),
    ("queue", "CAST(x'6dff' AS TEXT)"),
    ("kind", "CAST(x'6dff' AS TEXT)"),
    ("payload", "CAST(x'22ff22' AS TEXT)"),
    ("payload", "'1' || char(0)"),
    ("dedup_key", "CAST(x'ff' AS TEXT)"),
    ("headers", "CAST(x'ff' AS TEXT)"),
    ("message_id", "CAST(x'ff' AS TEXT)"),
];
const BAD_ON_POSTGRES: &[(&str, &str)] = &[
    ("run_at", "'infinity'"),
    ("run_at", "'-infinity'"),
    ("run_at", "'200000-01-01'"),
    ("run_at", "'0044-03-15 BC'"),
    ("created_at", "'infinity'"),
    ("created_at", "'-infinity'"),
    ("created_at", "'200000-01-01'"),
];

pub(crate) async fn no_row_stops_more_than_its_key(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let special = if store.is_sqlite() { BAD_ON_SQLITE } else { BAD_ON_POSTGRES };
    let bad: Vec<_> = BAD.iter().chain(special).collect();
    for (n, (column, value)) in bad.iter().enumerate() {
        let mut columns = vec![("queue", "'mail'"), ("kind", "'welcome'"), ("payload", "'1'"), ("dedup_key", "NULL")];
        columns.retain(|(name, _)| name != column);
        columns.push((column, value));
        if *column == "dedup_for" {
            columns.retain(|(name, _)| *name != "dedup_key");
            columns.push(("dedup_key", "'k'"));
        }
        let (names, values): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let insert =
            format!("INSERT INTO @outbox (ordering_key, {}) VALUES ('key-{n}', {})", names.join(", "), values.join(", "));
        store.execute(&insert).await.map_err(|error| format!("{insert}: {error}"))?;
        outbox.enqueue(row("\"behind\"").ordered(format!("key-{n}"))).await?;
    }
    outbox.enqueue(row("\"free\"")).await?;
    let relayed = to_jobs(store, &outbox).run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (1, bad.len() as u64));
    let refused = outbox.refused(100).await?;
    for (row, (column, value)) in refused.iter().zip(&bad) {
        let cause = row.error.as_ref().ok_or("no reason")?;
        assert!(!cause.text.is_empty(), "{column} {value}");
        println!("{column} {value}: {}", cause.text);
        if column.ends_with("_at") {
            assert_eq!(cause.code, "bad_time", "{column} {value}");
            assert!(!value.contains("infinity") || cause.text.contains(&value.replace('\'', "")), "{}", cause.text);
        }
    }
    assert_eq!(refused.len(), bad.len());
    assert_eq!(outbox.skip(refused.iter().map(|row| row.id).collect()).await?.len(), bad.len());
    assert_eq!(to_jobs(store, &outbox).run_until_idle().await?.sent, bad.len() as u64);
    assert_eq!((outbox.lag().await?.waiting, store.count("job", "true").await?), (0, 1 + i64::try_from(bad.len())?));
    Ok(())
}

/// A queue that takes what it is given, and a process that dies before it can say so.
#[derive(Debug)]
struct DiesAfterwards {
    jobs: JobTarget,
    handed: Arc<Notify>,
}

impl Target for DiesAfterwards {
    fn name(&self) -> &'static str {
        "dies"
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(async move {
            drop(self.jobs.hand_over(messages).await);
            self.handed.notify_one();
            std::future::pending().await
        })
    }
}

pub(crate) async fn a_relay_that_dies_between_hand_over_and_mark_makes_no_second_job(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    for n in 0..5 {
        outbox.enqueue(row(&n.to_string()).ordered("k")).await?;
    }
    let handed = Arc::new(Notify::new());
    let dies = DiesAfterwards { jobs: JobTarget::new(store.once.clone(), "jobs"), handed: Arc::clone(&handed) };
    let dying = Relay::new(outbox.clone(), Arc::new(dies));
    let running = tokio::spawn(async move { dying.run_until_idle().await });
    handed.notified().await;
    running.abort();
    assert_eq!((store.count("job", "true").await?, outbox.lag().await?.waiting), (5, 5));
    let relay = to_jobs(store, &outbox);
    assert_eq!(relay.run_until_idle().await?.sent, 0, "its claim holds");
    outbox.set_clock(onceward::Time::now().after(Duration::from_mins(2)));
    assert_eq!(relay.run_until_idle().await?.sent, 5);
    assert_eq!(store.count("job", "true").await?, 5);
    Ok(())
}

/// A target that only counts.
#[derive(Debug, Default)]
struct Counts(AtomicUsize);

impl Target for Counts {
    fn name(&self) -> &'static str {
        "counts"
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        self.0.fetch_add(messages.len(), Ordering::SeqCst);
        Box::pin(async { vec![Handover::Taken; messages.len()] })
    }
}

/// Rows that wait behind each other are not compared with each other: the work would grow with their square.
pub(crate) async fn a_backlog_of_few_keys_is_carried_away(store: &Store) -> Verdict {
    const ROWS: usize = 20_000;
    let outbox = outbox(store).await?;
    store
        .execute(&format!(
            "INSERT INTO @outbox (queue, kind, payload, ordering_key)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
             SELECT 'mail', 'welcome', '1', CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'b' WHEN 2 THEN 'c' ELSE 'd' END FROM n"
        ))
        .await?;
    let counts = Arc::new(Counts::default());
    let relay = Relay::new(outbox.clone(), counts.clone());
    let sent = tokio::time::timeout(Duration::from_mins(1), relay.run_until_idle()).await??.sent;
    assert_eq!((sent, counts.0.load(Ordering::SeqCst)), (ROWS as u64, ROWS));
    Ok(())
}

/// On one machine a killed process is known to be gone; elsewhere its claim ends by its time, which is said.
pub(crate) async fn what_a_killed_process_had_claimed_is_taken_back(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let owner = "0123456789abcdef0123456789abcdef";
    let until = onceward::Time::now().after(Duration::from_mins(1));
    let (until_sql, key) = (store.instant(until), "'k'");
    store.execute(&format!(
        "INSERT INTO @outbox (queue, kind, payload, ordering_key, state, token, next_at) VALUES ('mail', 'welcome', '1', {key}, 'claimed', '{owner}.a', {until_sql})"
    )).await?;
    outbox.enqueue(row("2").ordered("k")).await?;
    let relay = to_jobs(store, &outbox);
    assert_eq!(relay.run_until_idle().await?.sent, 0, "nobody knows that its owner is gone");
    let lag = outbox.lag().await?;
    assert_eq!((lag.waiting, lag.claimed, lag.claimed_until), (2, 1, Some(until)));
    let Some(file) = store.url.strip_prefix("sqlite://") else { return Ok(()) };
    // The file that the dead process had locked.
    std::fs::write(format!("{file}-owner-{owner}"), "")?;
    assert_eq!(relay.run_until_idle().await?.sent, 2);
    assert_eq!(outbox.lag().await?.claimed, 0);
    Ok(())
}

pub(crate) async fn what_a_refused_row_holds_back_is_counted_as_that(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    store
        .execute("INSERT INTO @outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'welcome', '{', 'k'), ('mail', 'welcome', '{', NULL)")
        .await?;
    for key in ["k", "k", "other"] {
        outbox.enqueue(row("1").ordered(key)).await?;
    }
    outbox.enqueue(row("1")).await?;
    assert_eq!(outbox.lag().await?.held_back, 0);
    to_jobs(store, &outbox).run_until_idle().await?;
    let lag = outbox.lag().await?;
    assert_eq!((lag.refused, lag.waiting, lag.held_back, lag.claimed), (2, 2, 2, 0));
    Ok(())
}

pub(crate) async fn what_a_killed_process_had_claimed_goes_with_what_else_is_due(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let Some(file) = store.url.strip_prefix("sqlite://") else { return Ok(()) };
    let owner = "0123456789abcdef0123456789abcdef";
    std::fs::write(format!("{file}-owner-{owner}"), "")?;
    let until = store.instant(onceward::Time::now().after(Duration::from_mins(1)));
    store.execute(&format!(
        "INSERT INTO @outbox (queue, kind, payload, state, token, next_at) VALUES ('mail', 'welcome', '1', 'claimed', '{owner}.a', {until})"
    )).await?;
    outbox.enqueue(row("2")).await?;
    assert_eq!(to_jobs(store, &outbox).run_until_idle().await?.sent, 2);
    Ok(())
}
