//! An outbox under load: nothing committed is missed, nothing rolled back is seen, and the order of each key is kept as
//! it is promised. A relay that remembers the last id is run beside ours, and loses rows.
//!
//! The long form (`ONCEWARD_LONG=1`, or `tests/long/run --long`) has 100,000 rows on PostgreSQL.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{Handing, Handover, Message, NewRow, Outbox, Relay, Target};
use onceward_tests::Verdict;
use onceward_tests::chance::Chance;
use onceward_tests::store::Store;
use sqlx::{Connection, PgPool, SqliteConnection};
use tokio::sync::watch;
use tokio::task::JoinSet;

const WRITERS: u64 = 24;
const KEYS: u64 = 40;
/// Of a hundred transactions, so many are rolled back.
const ROLLED_BACK: u64 = 10;

/// What a writer did with one row, in ticks of one clock.
#[derive(Debug, Clone)]
struct Wrote {
    payload: String,
    key: String,
    /// Before it began to write.
    began: u64,
    /// After its transaction had committed; none when it was rolled back.
    committed: Option<u64>,
}

/// One clock for all writers: it ticks with every look.
#[derive(Debug, Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Ticks {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

/// A target that writes down what it is given, in order.
#[derive(Debug, Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Target for Diary {
    fn name(&self) -> &'static str {
        "diary"
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(async move {
            self.0.lock().unwrap().extend(messages.iter().map(|message| message.payload.clone()));
            vec![Handover::Taken; messages.len()]
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_on_postgres() -> Verdict {
    let rows: u64 = if std::env::var_os("ONCEWARD_LONG").is_some() { 100_000 } else { 10_000 };
    let store = Store::postgres().await?;
    let outbox = Outbox::open(store.url()).await?;
    outbox.migrate().await?;
    let elsewhere = Store::postgres().await?;
    // A transaction that stays open in another database of the cluster must not hold up the relay.
    let mut idle = sqlx::PgConnection::connect(elsewhere.url()).await?;
    let mut open = idle.begin().await?;
    sqlx::query("SELECT txid_current()").execute(&mut *open).await?;

    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(30).connect(store.url()).await?;
    let (diary, ticks) = (Diary::default(), Ticks::default());
    let relays = Relays::start(&[outbox.clone(), Outbox::open(store.url()).await?], &diary);
    let writing = Arc::new(AtomicBool::new(true));
    let planted = tokio::spawn(by_last_id(pool.clone(), Arc::clone(&writing)));
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (pool, outbox, ticks) = (pool.clone(), outbox.clone(), ticks.clone());
        writers.spawn(async move { write(writer, rows.div_ceil(WRITERS), &pool, &outbox, &ticks).await });
    }
    let mut wrote = Vec::new();
    while let Some(one) = writers.join_next().await {
        wrote.extend(one??);
    }
    writing.store(false, Ordering::SeqCst);
    relays.end(&outbox).await?;
    let seen = diary.0.lock().unwrap().clone();
    let figures = compare(&wrote, &seen);
    let passed_over = planted.await??;
    let committed = wrote.iter().filter(|row| row.committed.is_some()).count();
    println!(
        "{committed} committed, {} rolled back, {figures:?}; by the last id {} of them were passed over",
        wrote.len() - committed,
        committed - passed_over
    );
    assert_eq!(figures, Figures::default());
    assert!(passed_over < committed, "the planted relay is to lose rows, or this test shows nothing");
    Ok(())
}

async fn write(
    writer: u64,
    transactions: u64,
    pool: &PgPool,
    outbox: &Outbox,
    ticks: &Ticks,
) -> Result<Vec<Wrote>, String> {
    let mut chance = Chance::of(writer + 1);
    let mut wrote = Vec::new();
    for n in 0..transactions {
        let mut tx = pool.begin().await.map_err(|error| error.to_string())?;
        let key = format!("key-{}", chance.below(KEYS));
        let mut row =
            Wrote { payload: format!("\"{writer}-{n}\""), key, began: ticks.next(), committed: None };
        let new = NewRow::untyped("mail", "welcome", &row.payload).ordered(&row.key);
        outbox.enqueue_in(&mut tx, new).await.map_err(|error| error.to_string())?;
        tokio::time::sleep(Duration::from_millis(chance.below(50))).await; // sleeps: transactions of an application take their time; their overlap is what is tested
        if chance.below(100) < ROLLED_BACK {
            tx.rollback().await.map_err(|error| error.to_string())?;
        } else {
            tx.commit().await.map_err(|error| error.to_string())?;
            row.committed = Some(ticks.next());
        }
        wrote.push(row);
    }
    Ok(wrote)
}

/// The relay that many write: all rows above the last id that it saw. Gives how many rows it saw.
async fn by_last_id(pool: PgPool, writing: Arc<AtomicBool>) -> Result<usize, sqlx::Error> {
    let (mut last, mut seen) = (0_i64, 0);
    loop {
        let ended = !writing.load(Ordering::SeqCst);
        let rows: Vec<(i64,)> = sqlx::query_as("SELECT id FROM onceward.outbox WHERE id > $1 ORDER BY id")
            .bind(last)
            .fetch_all(&pool)
            .await?;
        seen += rows.len();
        last = rows.last().map_or(last, |(id,)| *id);
        if ended && rows.is_empty() {
            return Ok(seen);
        }
        tokio::time::sleep(Duration::from_millis(5)).await; // sleeps: as such relays poll
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_on_sqlite() -> Verdict {
    let store = Store::sqlite().await?;
    let outbox = Outbox::open(store.url()).await?;
    let (diary, ticks) = (Diary::default(), Ticks::default());
    let relays = Relays::start(&[outbox.clone(), Outbox::open(store.url()).await?], &diary);
    let mut writers = JoinSet::new();
    for writer in 0..4 {
        let (url, outbox, ticks) = (store.url().to_owned(), outbox.clone(), ticks.clone());
        writers.spawn(async move { batches(writer, &url, &outbox, &ticks).await });
    }
    let mut wrote = Vec::new();
    while let Some(one) = writers.join_next().await {
        wrote.extend(one??);
    }
    relays.end(&outbox).await?;
    let seen = diary.0.lock().unwrap().clone();
    let (figures, committed) =
        (compare(&wrote, &seen), wrote.iter().filter(|row| row.committed.is_some()).count());
    println!("{committed} committed, {} rolled back, {figures:?}", wrote.len() - committed);
    assert_eq!(wrote.len(), 20_000);
    assert_eq!(figures, Figures::default());
    Ok(())
}

/// A hundred transactions of fifty rows.
async fn batches(writer: u64, url: &str, outbox: &Outbox, ticks: &Ticks) -> Result<Vec<Wrote>, String> {
    let said = |error: sqlx::Error| error.to_string();
    let mut conn = SqliteConnection::connect(url).await.map_err(said)?;
    sqlx::query("PRAGMA busy_timeout = 60000").execute(&mut conn).await.map_err(said)?;
    let (mut chance, mut wrote) = (Chance::of(writer + 1), Vec::new());
    for n in 0..100 {
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(said)?;
        let mut rows = Vec::new();
        for row in 0..50 {
            let key = format!("key-{}", chance.below(KEYS));
            let row = Wrote {
                payload: format!("\"{writer}-{n}-{row}\""),
                key,
                began: ticks.next(),
                committed: None,
            };
            let new = NewRow::untyped("mail", "welcome", &row.payload).ordered(&row.key);
            outbox.enqueue_in(&mut tx, new).await.map_err(|error| error.to_string())?;
            rows.push(row);
        }
        if chance.below(100) < ROLLED_BACK {
            tx.rollback().await.map_err(said)?;
        } else {
            tx.commit().await.map_err(said)?;
            let now = ticks.next();
            for row in &mut rows {
                row.committed = Some(now);
            }
        }
        wrote.extend(rows);
    }
    Ok(wrote)
}

/// Two relays side by side.
struct Relays {
    stop: watch::Sender<bool>,
    running: JoinSet<Result<(), onceward::Error>>,
}

impl Relays {
    fn start(outboxes: &[Outbox], diary: &Diary) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for outbox in outboxes {
            let relay = Relay::new(outbox.clone(), Arc::new(diary.clone()));
            let mut stopped = stopped.clone();
            running.spawn(async move {
                relay.run_until(async move { drop(stopped.wait_for(|stop| *stop).await) }).await
            });
        }
        Self { stop, running }
    }

    /// Ends them once all is handed over.
    async fn end(mut self, outbox: &Outbox) -> Verdict {
        let empty = async {
            while outbox.lag().await?.waiting > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await; // sleeps: between two looks at what is left
            }
            Ok::<_, onceward::Error>(())
        };
        tokio::time::timeout(Duration::from_mins(5), empty).await??;
        self.stop.send(true)?;
        while let Some(ended) = self.running.join_next().await {
            ended??;
        }
        Ok(())
    }
}

/// What went wrong.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    missed: usize,
    twice: usize,
    of_rolled_back: usize,
    out_of_order: usize,
}

fn compare(wrote: &[Wrote], seen: &[String]) -> Figures {
    let committed: HashSet<&str> =
        wrote.iter().filter(|row| row.committed.is_some()).map(|row| row.payload.as_str()).collect();
    let places: HashMap<&str, usize> =
        seen.iter().enumerate().map(|(at, payload)| (payload.as_str(), at)).collect();
    Figures {
        missed: committed.iter().filter(|payload| !places.contains_key(**payload)).count(),
        twice: seen.len() - places.len(),
        of_rolled_back: places.keys().filter(|payload| !committed.contains(**payload)).count(),
        out_of_order: out_of_order(wrote, &places),
    }
}

/// Pairs of one key where the first had committed before the second began, and the second was handed over first.
fn out_of_order(wrote: &[Wrote], places: &HashMap<&str, usize>) -> usize {
    let mut keys: BTreeMap<&str, Vec<(u64, u64, usize)>> = BTreeMap::new();
    for row in wrote {
        if let (Some(committed), Some(place)) = (row.committed, places.get(row.payload.as_str())) {
            keys.entry(&row.key).or_default().push((row.began, committed, *place));
        }
    }
    let wrong = |rows: &Vec<(u64, u64, usize)>| {
        let pairs = rows.iter().flat_map(|first| rows.iter().map(move |second| (first, second)));
        pairs.filter(|(first, second)| first.1 < second.0 && second.2 < first.2).count()
    };
    keys.values().map(wrong).sum()
}
