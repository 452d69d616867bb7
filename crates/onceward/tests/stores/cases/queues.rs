//! A queue as a whole: what limits it, what holds it, how it stands.

use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::{
    Cause, Class, Dedup, Done, Error, Failure, Filter, NewJob, Outcome, QueueSettings, QueueView, Receipt, Seen,
    SendError, State, Worker,
};

use crate::harness::{Store, Verdict};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

fn job() -> NewJob {
    NewJob::untyped("mail", "welcome", "{}")
}

/// Runs all that is due, each ending as `outcome` says; gives how many ran.
async fn work(store: &Store, outcome: fn(u32) -> Outcome) -> Tried<u32> {
    let runs = Arc::new(AtomicU32::new(0));
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, runs.clone(), move |ctx| {
            let n = ctx.app().fetch_add(1, Ordering::SeqCst);
            async move { outcome(n) }
        })
        .queue("mail", 1)
        .queue("news", 1)
        .build()?;
    worker.run_until_idle().await?;
    Ok(runs.load(Ordering::SeqCst))
}

const DONE: fn(u32) -> Outcome = |_| Ok(Done::Nothing);

fn down(_: u32) -> Outcome {
    Err(Failure::transient(Cause::new("http_503", "down").outage()))
}

async fn mail(store: &Store) -> Tried<QueueView> {
    Ok(store.once.queues().await?.into_iter().find(|queue| queue.name == "mail").ok_or("no queue mail")?)
}

pub(crate) async fn a_paused_queue_gives_nothing_until_it_is_resumed(store: &Store) -> Verdict {
    store.once.enqueue_each(vec![job(), job().queue("news")]).await?;
    assert!(store.once.pause_queue("mail", "moving house").await?);
    assert!(!store.once.pause_queue("mail", "another reason").await?);
    assert_eq!(mail(store).await?.paused.ok_or("not paused")?.reason, "moving house");
    assert_eq!(work(store, DONE).await?, 1, "the other queue goes on");
    assert!(store.once.resume_queue("mail").await?);
    assert!(!store.once.resume_queue("mail").await?, "nothing holds it any more");
    assert_eq!(work(store, DONE).await?, 1);
    let told: Vec<String> =
        store.once.events(Some("mail"), None, 10).await?.into_iter().map(|event| event.what).collect();
    assert_eq!(told, ["paused", "resumed"]);
    Ok(())
}

pub(crate) async fn a_queue_that_nobody_knows_cannot_be_paused(store: &Store) -> Verdict {
    store.once.enqueue(job()).await?;
    let refused = store.once.pause_queue("mial", "").await;
    assert!(matches!(&refused, Err(Error::NotFound(text)) if text.contains("mial")), "{refused:?}");
    store.once.define_queue("news", QueueSettings::default()).await?;
    assert!(store.once.pause_queue("news", "before its first job").await?);
    Ok(())
}

pub(crate) async fn resuming_lets_an_open_circuit_probe_at_once(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    store
        .once
        .define_queue("mail", QueueSettings { circuit: Some(policy), ..QueueSettings::default() })
        .await?;
    store.once.enqueue_each(vec![job(), job()]).await?;
    assert_eq!(work(store, down).await?, 1);
    assert_eq!(mail(store).await?.circuit.ok_or("no circuit")?.state, "open");
    assert_eq!(work(store, DONE).await?, 0);
    assert!(store.once.resume_queue("mail").await?);
    assert_eq!(work(store, DONE).await?, 1, "one probes, and the other waits for its own time");
    assert_eq!(mail(store).await?.circuit.ok_or("no circuit")?.state, "closed");
    Ok(())
}

pub(crate) async fn a_job_is_told_that_it_probes(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    let settings = QueueSettings { circuit: Some(policy), ..QueueSettings::default() };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(), job(), job()]).await?;
    let told = Arc::new(Mutex::new(Vec::new()));
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, told.clone(), |ctx| async move {
            let mut told = ctx.app().lock().unwrap();
            told.push(ctx.job().probe);
            if told.len() > 2 { DONE(0) } else { down(0) }
        })
        .queue("mail", 1)
        .build()?;
    for minutes in 0..3 {
        store.once.set_clock(t0.after(Duration::from_mins(2 * minutes)));
        worker.run_until_idle().await?;
    }
    assert_eq!(*told.lock().unwrap(), [false, true, true, false, false], "down, down, back; then all the others");
    Ok(())
}

pub(crate) async fn all_that_waits_goes_as_soon_as_the_probe_is_answered(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    let settings = QueueSettings { circuit: Some(policy), ..QueueSettings::default() };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(); 9]).await?;
    assert!(work(store, down).await? > 0);
    store.once.set_clock(t0.after(Duration::from_mins(2)));
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, (), |_| async { DONE(0) });
    // With places to spare, it asks for more while the probe runs, and is told to wait for the pause.
    let report = worker.queue("mail", 4).build()?.run_until_idle().await?;
    assert_eq!(report.done, 9);
    Ok(())
}

pub(crate) async fn a_clock_that_stands_ends_no_wait(store: &Store) -> Verdict {
    let nine: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(nine);
    let settings = QueueSettings { rate: Some("2/1s".parse()?), ..QueueSettings::default() };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(); 5]).await?;
    let minute = Duration::from_mins(1);
    let first = tokio::time::timeout(minute, Box::pin(work(store, DONE))).await??;
    assert!((1..5).contains(&first), "{first} of 5 went at once");
    store.once.set_clock(nine.after(minute));
    assert!(work(store, DONE).await? > 0);
    Ok(())
}

pub(crate) async fn a_circuit_goes_with_its_policy(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    let settings = QueueSettings { circuit: Some(policy), concurrency: Some(1), rate: None };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![job(), job()]).await?;
    work(store, down).await?;
    store.once.define_queue("mail", settings).await?;
    assert_eq!(
        mail(store).await?.circuit.ok_or("no circuit")?.state,
        "open",
        "the same again changes nothing"
    );
    store.once.define_queue("mail", QueueSettings { circuit: None, ..settings }).await?;
    assert_eq!(mail(store).await?.circuit, None);
    assert_eq!(work(store, DONE).await?, 1);
    Ok(())
}

pub(crate) async fn settings_that_would_stop_a_queue_are_refused(store: &Store) -> Verdict {
    let none = QueueSettings { concurrency: Some(0), ..QueueSettings::default() };
    let never = CircuitPolicy { failures: 0, ..CircuitPolicy::default() };
    let never = QueueSettings { circuit: Some(never), ..QueueSettings::default() };
    for (code, name, settings) in [
        ("bad_concurrency", "mail", none),
        ("bad_circuit", "mail", never),
        ("bad_name", "e mail", QueueSettings::default()),
    ] {
        let refused = store.once.define_queue(name, settings).await.err().ok_or(code)?;
        assert_eq!(refused.code(), code, "{refused}");
    }
    assert!(store.once.queues().await?.is_empty());
    Ok(())
}

pub(crate) async fn status_says_what_waits_and_for_how_long(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let settings = QueueSettings { rate: Some("30/5m".parse()?), concurrency: Some(7), circuit: None };
    store.once.define_queue("mail", settings).await?;
    let later = "2026-12-01T10:00:00Z".parse()?;
    store.once.enqueue_each(vec![job(), job().hold("approval"), job().queue("news").run_at(later)]).await?;
    store.once.set_clock("2026-12-01T09:02:00Z".parse()?);
    let status = store.once.status().await?;
    let [mail, news] = &status.queues[..] else { return Err(format!("{:?}", status.queues).into()) };
    assert_eq!((mail.name.as_str(), mail.settings), ("mail", settings));
    assert_eq!((mail.figures.pending, mail.figures.held, mail.oldest_due), (2, 1, Some(120)));
    assert_eq!((news.figures.pending, news.oldest_due, news.next_at), (1, None, Some(later)));
    assert_eq!((status.totals.pending, status.totals.held, status.workers.len()), (3, 1, 0));
    assert!(serde_json::to_string(&status)?.contains(r#""rate":"30/5m""#));
    Ok(())
}

pub(crate) async fn events_are_read_from_where_the_reader_was(store: &Store) -> Verdict {
    store.once.enqueue(job()).await?;
    for _ in 0..3 {
        store.once.pause_queue("mail", "once more").await?;
        store.once.resume_queue("mail").await?;
    }
    let latest = store.once.events(None, None, 2).await?;
    assert_eq!(latest.iter().map(|event| event.what.as_str()).collect::<Vec<_>>(), ["paused", "resumed"]);
    let all = store.once.events(None, Some(0), 1000).await?;
    assert_eq!(all.len(), 6);
    assert_eq!(store.once.events(None, Some(all[3].id), 1000).await?, all[4..]);
    assert_eq!(store.once.events(Some("news"), Some(0), 1000).await?, []);
    Ok(())
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn mixed(n: u32) -> Outcome {
    match n % 5 {
        0 => Err(Failure::permanent(Cause::new("bad", "bad"))),
        1 => Err(Failure::transient(Cause::new("error", "error"))),
        2 => Err(Failure::InDoubt { cause: Cause::new("lost", "lost") }),
        _ => Ok(Done::Nothing),
    }
}

pub(crate) async fn figures_equal_a_plain_count_after_random_operations(store: &Store) -> Verdict {
    let mut dice = Dice(20_261_201);
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    for _ in 0..40 {
        let queue = ["mail", "news"][usize::try_from(dice.roll(2))?];
        match dice.roll(6) {
            0 | 1 => {
                let key = format!("k{}", dice.roll(20));
                store.once.enqueue_each(vec![job().queue(queue); 3]).await?;
                store.once.enqueue(job().queue(queue).dedup(key, Dedup::Forever)).await?;
            }
            2 => {
                work(store, mixed).await?;
            }
            3 => {
                let filter = Filter { queue: Some(queue.to_owned()), ..Filter::default() };
                store.once.cancel(filter).await?;
            }
            4 => {
                store.once.discard(Filter::state(State::Dead)).await?;
            }
            _ => {
                store.once.keep_house(Duration::from_hours(24)).await?;
            }
        }
        store.once.set_clock(store.clock().after(Duration::from_mins(dice.roll(300))));
    }
    store.once.keep_house(Duration::from_hours(24)).await?;
    compare(store).await?;
    store.once.enqueue(job()).await?;
    compare(store).await
}

async fn compare(store: &Store) -> Verdict {
    for QueueView { name, figures, .. } in store.once.queues().await? {
        let kept = [
            figures.pending,
            figures.running,
            figures.done,
            figures.dead,
            figures.in_doubt,
            figures.cancelled,
        ];
        for (state, figure) in State::ALL.into_iter().zip(kept) {
            let counted = store.count("job_all", &format!("queue = '{name}' AND state = '{state}'")).await?;
            assert_eq!(i64::try_from(figure)?, counted, "{name} {state}");
        }
    }
    Ok(())
}

/// An effect whose answers and looks are an outage for as long as the peer is down.
async fn post(ctx: onceward::Context<Arc<Peer>>) -> Outcome {
    let peer = ctx.app().clone();
    let outage = || Cause::new("http_503", "down").status(503).outage();
    let class = if peer.blind { Class::Blind } else { Class::LookUp { lag: Duration::from_secs(1) } };
    let receipt = ctx
        .effect("post", ctx.job().lease.job)
        .class(class)
        .timeout(Duration::from_secs(1))
        .closes()
        .verify(async |_| {
            peer.asked.fetch_add(1, Ordering::SeqCst);
            if peer.down.load(Ordering::SeqCst) == 1 { Seen::Failed(Failure::transient(outage())) } else { Seen::Absent }
        })
        .send(async |intent| {
            peer.asked.fetch_add(1, Ordering::SeqCst);
            if peer.down.load(Ordering::SeqCst) == 1 {
                return Err(SendError::Unknown(outage()));
            }
            Ok(Receipt::id(intent.key))
        })
        .await?;
    Ok(receipt.into())
}

#[derive(Default)]
struct Peer {
    blind: bool,
    down: AtomicU32,
    asked: AtomicU32,
}

/// A hundred jobs, and a peer that is down for eight hours; gives how often it was asked meanwhile.
async fn night(store: &Store, peer: &Arc<Peer>) -> Tried<u32> {
    let t0: onceward::Time = "2026-12-01T20:00:00Z".parse()?;
    store.once.set_clock(t0);
    let settings = QueueSettings { circuit: Some(CircuitPolicy::default()), concurrency: Some(1), rate: None };
    store.once.define_queue("mail", settings).await?;
    store.once.enqueue_each(vec![NewJob::untyped("mail", "post", "{}"); 100]).await?;
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, peer.clone(), post).queue("mail", 1).build()?;
    peer.down.store(1, Ordering::SeqCst);
    for minutes in 0..480 {
        store.once.set_clock(t0.after(Duration::from_mins(minutes)));
        worker.run_until_idle().await?;
    }
    let asked = peer.asked.load(Ordering::SeqCst);
    peer.down.store(0, Ordering::SeqCst);
    for minutes in 480..560 {
        store.once.set_clock(t0.after(Duration::from_mins(minutes)));
        worker.run_until_idle().await?;
    }
    Ok(asked)
}

pub(crate) async fn a_night_without_the_peer_spends_nothing_and_needs_nobody(store: &Store) -> Verdict {
    let peer = Arc::new(Peer::default());
    let asked = night(store, &peer).await?;
    // Three that open the circuit; then one probe for each pause: 30 s doubling to 15 min, for eight hours.
    assert!((3..50).contains(&asked), "asked {asked} times");
    assert_eq!(store.count("job_all", "state = 'done'").await?, 100);
    assert_eq!(store.count("job_all", "tries > 0").await?, 0, "no try was spent");
    Ok(())
}

pub(crate) async fn a_night_without_a_blind_peer_parks_only_what_opened_the_circuit(store: &Store) -> Verdict {
    let peer = Arc::new(Peer { blind: true, ..Peer::default() });
    let asked = night(store, &peer).await?;
    let parked = store.count("job", "state = 'in_doubt' AND check_at IS NULL").await?;
    // Each probe is a send whose answer is lost: it is parked too, and nothing else is.
    assert_eq!(parked, i64::from(asked));
    assert_eq!(store.count("job_all", "state = 'done'").await?, 100 - parked);
    Ok(())
}

pub(crate) async fn a_backlog_is_what_is_due_up_to_a_limit(store: &Store) -> Verdict {
    let jobs = |queue: &str, count: usize| vec![NewJob::untyped(queue, "welcome", "{}"); count];
    store.once.enqueue_each([jobs("mail", 5), jobs("feed", 2), jobs("other", 9)].concat()).await?;
    let later = jobs("mail", 3).into_iter().map(|job| job.run_in(Duration::from_hours(1)));
    store.once.enqueue_each(later.chain(jobs("mail", 3).into_iter().map(|job| job.hold("approval"))).collect()).await?;
    assert_eq!(store.once.backlog(&["mail"], 100).await?, 5);
    assert_eq!(store.once.backlog(&["mail", "feed", "nothing"], 100).await?, 7);
    assert_eq!(store.once.backlog(&["mail", "feed"], 4).await?, 6);
    Ok(())
}
