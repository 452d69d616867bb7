//! A row of the outbox exists with its transaction, and becomes one job.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{
    Cause, Handing, Handover, JobTarget, Message, NewRow, Order, Outbox, Relay, Relayed, Target, Time,
};
use sqlx::Connection;

use crate::harness::{Store, Verdict};

pub(super) type Tried<T> = Result<T, Box<dyn std::error::Error>>;

pub(super) fn row(payload: &str) -> NewRow {
    NewRow::untyped("mail", "welcome", payload)
}

/// The outbox in the same database as the store, by a handle of its own.
pub(super) async fn outbox(store: &Store) -> Tried<Outbox> {
    let outbox = Outbox::open(&store.url).await?;
    outbox.migrate().await?;
    Ok(outbox)
}

pub(super) fn to_jobs(store: &Store, outbox: &Outbox) -> Relay {
    Relay::new(outbox.clone(), Arc::new(JobTarget::new(store.once.clone(), "jobs")))
}

/// A target that remembers what it was given, and answers as it is told.
#[derive(Debug, Clone, Default)]
struct Memory(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
struct Remembered {
    taken: Vec<(Option<String>, String)>,
    away: bool,
    refuse: Option<String>,
}

impl Target for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(async move {
            let mut order = Order::default();
            let mut said = Vec::new();
            for message in messages {
                let became = self.take(message, &order);
                order.note(message, &became);
                said.push(became);
                tokio::task::yield_now().await;
            }
            said
        })
    }
}

impl Memory {
    fn take(&self, message: &Message, order: &Order<'_>) -> Handover {
        let mut state = self.0.lock().unwrap();
        if state.away {
            return Handover::Later(Cause::new("connect_refused", "nobody listens").outage());
        }
        if order.is_behind(message) {
            return Handover::Behind;
        }
        if state.refuse.as_deref() == Some(&message.payload) {
            return Handover::Refused(Cause::new("too_large", "too large"));
        }
        state.taken.push((message.ordering_key.clone(), message.payload.clone()));
        Handover::Taken
    }

    fn taken(&self) -> Vec<String> {
        self.0.lock().unwrap().taken.iter().map(|(_, payload)| payload.clone()).collect()
    }
}

pub(crate) async fn a_row_exists_if_and_only_if_its_transaction_committed(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    for commit in [false, true] {
        if store.is_sqlite() {
            let mut conn = sqlx::SqliteConnection::connect(&store.url).await?;
            let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
            outbox.enqueue_in(&mut tx, row("{}")).await?;
            if commit { tx.commit().await? } else { tx.rollback().await? }
        } else {
            let mut conn = sqlx::PgConnection::connect(&store.direct()?).await?;
            let mut tx = conn.begin().await?;
            outbox.enqueue_in(&mut tx, row("{}")).await?;
            if commit { tx.commit().await? } else { tx.rollback().await? }
        }
    }
    let relayed = to_jobs(store, &outbox).run_until_idle().await?;
    assert_eq!(relayed, Relayed { sent: 1, ..Relayed::default() });
    assert_eq!(store.count("job", "state = 'pending' AND kind = 'welcome'").await?, 1);
    Ok(())
}

pub(crate) async fn a_message_that_comes_again_makes_no_second_job(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    for n in 0..3 {
        outbox.enqueue(row(&n.to_string()).dedup(format!("key-{n}"), None)).await?;
    }
    let relay = to_jobs(store, &outbox);
    assert_eq!(relay.run_until_idle().await?.sent, 3);
    let since = store.clock().before(Duration::from_hours(1));
    assert!(outbox.retry(vec![1]).await?.is_empty(), "what was sent is replayed, and not by a slip of the hand");
    assert_eq!((outbox.replayable(since).await?, outbox.replay(since).await?), (3, 3));
    assert_eq!(relay.run_until_idle().await?.sent, 3, "the target has them, and says so");
    assert_eq!(store.count("job", "true").await?, 3);
    let early = outbox.replay(since.before(Duration::from_hours(24 * 30))).await;
    assert_eq!(early.unwrap_err().code(), "before_replay_window");
    Ok(())
}

pub(crate) async fn rows_written_by_plain_sql_are_handed_over(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let insert = "INSERT INTO @outbox (queue, kind, payload, dedup_key, dedup_for, ordering_key) \
                  VALUES ('mail', 'welcome', '{\"user\": 1.0}', 'user-7', 60, 'user-7')";
    store.execute(insert).await?;
    store.execute(insert).await?;
    let relayed = to_jobs(store, &outbox).run_until_idle().await?;
    assert_eq!(relayed.sent, 2, "the second is a repeat by its dedup key");
    assert_eq!(store.count("job", "payload = '{\"user\": 1.0}'").await?, 1);
    Ok(())
}

pub(crate) async fn a_bad_row_is_refused_with_its_reason_and_stops_only_its_key(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let bad = |key: &str| {
        format!("INSERT INTO @outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'welcome', 'no json', {key})")
    };
    store.execute(&bad("'a'")).await?;
    outbox.enqueue(row("1").ordered("a")).await?;
    outbox.enqueue(row("2").ordered("b")).await?;
    store.execute(&bad("NULL")).await?;
    outbox.enqueue(row("3")).await?;
    let relay = to_jobs(store, &outbox);
    let relayed = relay.run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (2, 2));
    let refused = outbox.refused(10).await?;
    let first = refused[0].error.as_ref().ok_or("no reason")?;
    assert_eq!((refused.len(), first.code.as_ref()), (2, "payload_not_json"));
    assert_eq!(store.count("job", "payload = '1'").await?, 0, "it waits behind the refused one");
    assert_eq!(outbox.skip(vec![refused[0].id]).await?, [refused[0].id]);
    relay.run_until_idle().await?;
    assert_eq!(store.count("job", "payload = '1'").await?, 1);
    assert_eq!(outbox.lag().await?.waiting, 0);
    Ok(())
}

pub(crate) async fn a_refused_row_goes_once_the_reason_is_gone(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let memory = Memory::default();
    memory.0.lock().unwrap().refuse = Some("1".to_owned());
    for n in 1..=3 {
        outbox.enqueue(row(&n.to_string()).ordered("k")).await?;
    }
    let relay = Relay::new(outbox.clone(), Arc::new(memory.clone()));
    let relayed = relay.run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (0, 1));
    memory.0.lock().unwrap().refuse = None;
    let refused: Vec<i64> = outbox.refused(10).await?.iter().map(|row| row.id).collect();
    assert_eq!(outbox.retry(refused).await?.len(), 1);
    relay.run_until_idle().await?;
    assert_eq!(memory.taken(), ["1", "2", "3"]);
    Ok(())
}

pub(crate) async fn a_conflict_leaves_the_message_free_to_come_again(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let relay = to_jobs(store, &outbox);
    outbox.enqueue(row("1").dedup("user-7", None)).await?;
    outbox.enqueue(row("2").dedup("user-7", None)).await?;
    let relayed = relay.run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (1, 1));
    let refused = outbox.refused(1).await?;
    assert_eq!(refused[0].error.as_ref().ok_or("no reason")?.code, "dedup_conflict");
    store.execute("UPDATE @outbox SET dedup_key = 'user-8' WHERE payload = '2'").await?;
    outbox.retry(vec![refused[0].id]).await?;
    assert_eq!(relay.run_until_idle().await?.sent, 1);
    assert_eq!(store.count("job", "true").await?, 2);
    Ok(())
}

pub(crate) async fn a_target_that_is_away_is_named_and_loses_nothing(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let memory = Memory::default();
    memory.0.lock().unwrap().away = true;
    for n in 0..5 {
        outbox.enqueue(row(&n.to_string()).ordered("k")).await?;
    }
    let relay = Relay::new(outbox.clone(), Arc::new(memory.clone())).batch(2);
    assert_eq!(relay.run_until_idle().await?.sent, 0);
    let target = outbox.targets().await?.pop().ok_or("no target")?;
    assert_eq!((target.name.as_str(), target.error.ok_or("no error")?.code.as_ref()), ("memory", "connect_refused"));
    assert!(target.failed_at.is_some());
    let lag = outbox.lag().await?;
    assert!(lag.waiting == 5 && lag.oldest_age.is_some(), "{lag:?}");
    memory.0.lock().unwrap().away = false;
    assert_eq!(relay.run_until_idle().await?.sent, 5);
    assert_eq!(memory.taken(), ["0", "1", "2", "3", "4"]);
    assert!(outbox.targets().await?[0].failed_at.is_none(), "it is back");
    Ok(())
}

pub(crate) async fn relays_side_by_side_keep_the_order_of_each_key(store: &Store) -> Verdict {
    let memory = Memory::default();
    let first = outbox(store).await?;
    let mut relays = vec![first.clone()];
    for _ in 0..3 {
        relays.push(outbox(store).await?);
    }
    for n in 0..400 {
        first.enqueue(row(&format!("{n}")).ordered(format!("key-{}", n % 7))).await?;
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut running = tokio::task::JoinSet::new();
    for relay in relays {
        let relay = Relay::new(relay, Arc::new(memory.clone())).batch(9);
        let mut stopped = stopped.clone();
        running.spawn(async move {
            relay.run_until(async move { drop(stopped.wait_for(|stop| *stop).await) }).await
        });
    }
    let all = async {
        while first.lag().await?.waiting > 0 {
            tokio::task::yield_now().await;
        }
        Ok::<_, onceward::Error>(())
    };
    tokio::time::timeout(Duration::from_mins(1), all).await??;
    stop.send(true)?;
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    let taken = memory.0.lock().unwrap().taken.clone();
    assert_eq!(taken.len(), 400, "each once");
    for key in 0..7 {
        let name = format!("key-{key}");
        let of_key = taken.iter().filter(|(of, _)| of.as_deref() == Some(&name));
        let numbers = of_key.map(|(_, n)| n.parse()).collect::<Result<Vec<u32>, _>>()?;
        assert!(numbers.is_sorted() && !numbers.is_empty(), "{name}: {numbers:?}");
    }
    Ok(())
}

/// A relay that died in the middle of a hand-over: its claim ends, and the rows go once more.
pub(crate) async fn what_a_dead_relay_had_claimed_goes_after_its_lease(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    let ago = store.instant(t0);
    store.execute(&format!(
        "INSERT INTO @outbox (queue, kind, payload, state, token, next_at) VALUES ('mail', 'welcome', '1', 'claimed', 'of the dead', {ago})"
    )).await?;
    let relay = to_jobs(store, &outbox);
    outbox.set_clock(t0.before(Duration::from_secs(1)));
    assert_eq!(relay.run_until_idle().await?, Relayed::default());
    outbox.set_clock(t0);
    assert_eq!(relay.run_until_idle().await?.sent, 1);
    Ok(())
}

/// Ids are given when a row is written, and rows are seen when their transaction commits: not in that order.
pub(crate) async fn a_row_that_commits_late_is_not_passed_over(store: &Store) -> Verdict {
    if store.is_sqlite() {
        // One writer at a time: what began first has committed first.
        return Ok(());
    }
    let outbox = outbox(store).await?;
    let mut early = sqlx::PgConnection::connect(&store.direct()?).await?;
    let mut tx = early.begin().await?;
    outbox.enqueue_in(&mut tx, row("1")).await?;
    outbox.enqueue(row("2")).await?;
    let relay = to_jobs(store, &outbox);
    assert_eq!(relay.run_until_idle().await?.sent, 1);
    tx.commit().await?;
    assert_eq!(relay.run_until_idle().await?.sent, 1);
    assert_eq!(store.count("job", "true").await?, 2);
    Ok(())
}

pub(crate) async fn rows_beyond_the_replay_window_are_forgotten(store: &Store) -> Verdict {
    let outbox = outbox(store).await?;
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    outbox.set_clock(t0);
    outbox.enqueue(row("1")).await?;
    let relay = to_jobs(store, &outbox);
    relay.run_until_idle().await?;
    outbox.set_clock(t0.after(onceward::REPLAY_WINDOW));
    assert_eq!(outbox.tidy().await?, 0, "within the window it is kept");
    outbox.set_clock(t0.after(onceward::REPLAY_WINDOW + Duration::from_secs(1)));
    assert_eq!(outbox.tidy().await?, 1);
    assert_eq!(store.count("outbox", "true").await?, 0);
    Ok(())
}
