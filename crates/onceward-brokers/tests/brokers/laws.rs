//! What holds on every broker.

use std::time::Duration;

use onceward::{Job, JobView, NewRow, ReviveOptions, State, Time};
use onceward_brokers::{BACKLOG_FULL, Intake, Rules, Taken};
use tokio::task::JoinHandle;

use crate::engine::{Engine, VISIBILITY};
use crate::proxy::Proxy;
use crate::support::{Record, Rows, Verdict, jobs, pass, ran, rules, take, until};
use crate::unsteady::{Meter, Unsteady};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(100);

pub(crate) async fn a_row_goes_through_the_broker_and_runs_once<E: Engine>() -> Verdict {
    let (engine, rows, store) = (E::start().await?, Rows::new().await?, onceward::testing::store().await?);
    let count = E::COUNT / 5;
    for n in 0..count {
        rows.write(Record { n }).await?;
    }
    assert_eq!(rows.relay_all(engine.target().await?).await?, count);
    // The broker lost nothing, but somebody replays all the same.
    rows.outbox.replay(Time::now().before(Duration::from_hours(1))).await?;
    assert_eq!(rows.relay_all(engine.target().await?).await?, count);
    let taken = take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(taken.jobs, count, "{taken:?}");
    assert_eq!(ran(&store).await?, (0..count).collect::<Vec<_>>());
    // An acknowledgement may be lost at any time; what comes again makes no job.
    until("all are acknowledged", LONG, async || {
        let again = take(&store, engine.source(engine.address()).await?, rules()).await;
        assert_eq!(again.jobs, 0, "{again:?}");
        Ok(engine.left().await? == 0)
    })
    .await
}

pub(crate) async fn what_a_row_says_is_said_of_its_job<E: Engine>() -> Verdict {
    let (engine, rows, store) = (E::start().await?, Rows::new().await?, onceward::testing::store().await?);
    let at: Time = "2031-01-02T03:04:05.5Z".parse()?;
    let payload = r#"{"b": 1.0,  "a":"큐 \" é"}"#;
    let row = NewRow::untyped("mail", "email.welcome", payload).version(7).run_at(at);
    rows.write(row.dedup("welcome-큐", None).ordered("user 7/é").header("tenant", "blue")).await?;
    let again = NewRow::untyped("mail", "email.welcome", payload).dedup("welcome-큐", None);
    rows.write(again).await?;
    assert_eq!(rows.relay(engine.target().await?).await?.sent, 2);
    let taken = take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(taken, Taken { jobs: 1, repeats: 1, unreadable: 0 });
    let jobs = jobs(&store, State::Pending).await?;
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    let JobView { queue, kind, version, run_at, payload: kept, .. } = job;
    assert_eq!((queue.as_str(), kind.as_str(), *version, *run_at), ("mail", "email.welcome", 7, at));
    assert_eq!(kept, payload);
    Ok(())
}

pub(crate) async fn a_message_of_others_has_queue_and_kind_of_its_source<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    engine.publish(br#"{"n": 1}"#, &[]).await?;
    engine.publish(br#"{"n": 2}"#, &[("onceward-kind", "other"), ("tenant", "blue")]).await?;
    take(&store, engine.source(engine.address()).await?, rules()).await;
    let kinds: Vec<_> =
        jobs(&store, State::Pending).await?.into_iter().map(|job| (job.queue, job.kind)).collect();
    let said = |queue: &str, kind: &str| (queue.to_owned(), kind.to_owned());
    assert_eq!(kinds, [said("records", "record"), said("records", "other")]);
    Ok(())
}

pub(crate) async fn what_cannot_be_read_is_a_dead_job_and_comes_no_more<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    store.enqueue(Record { n: 0 }.with().dedup("taken", onceward::Dedup::Forever)).await?;
    let long = format!("\"{}\"", "long ".repeat(100_000));
    engine.publish(b"{\"n\": 1", &[]).await?;
    engine.publish(br#"{"n": 2}"#, &[("onceward-run-at", "tomorrow")]).await?;
    engine.publish(br#"{"n": 3}"#, &[("onceward-queue", "no queue")]).await?;
    engine.publish(br#"{"n": 4}"#, &[("onceward-dedup-key", "taken")]).await?;
    engine.publish(long.as_bytes(), &[]).await?;
    engine.publish(br#"{"n": 5}"#, &[]).await?;
    let taken = take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(taken, Taken { jobs: 1, repeats: 0, unreadable: 5 });
    assert_eq!(engine.left().await?, 0, "it would come for ever");
    let dead = jobs(&store, State::Dead).await?;
    let codes: Vec<_> = dead.iter().map(|job| job.error.as_ref().unwrap().code.as_str()).collect();
    assert_eq!(
        codes.iter().filter(|code| **code == "message_unreadable").count(),
        codes.len() - 1,
        "{codes:?}"
    );
    assert!(codes.contains(&"dedup_conflict"), "{codes:?}");
    let whole: String = dead.iter().map(|job| piece(&job.payload)).collect();
    for part in [r#"{\"n\": 1"#, "tomorrow", "no queue", r#"{\"n\": 4}"#] {
        assert!(whole.contains(part), "{part} is lost");
    }
    assert_eq!(whole.matches("long ").count(), 100_000, "in parts, and whole");
    // A person corrects one and lets it go.
    let first = dead.iter().find(|job| job.payload.contains(r#"{\"n\": 1"#)).unwrap();
    let payload = ReviveOptions { set_payload: Some(r#"{"n": 1}"#.to_owned()), ..ReviveOptions::default() };
    assert_eq!(store.revive(vec![first.id], &payload).await?.revived, [first.id]);
    assert_eq!(ran(&store).await?, [0, 1, 5]);
    Ok(())
}

pub(crate) async fn another_message_under_a_used_id_is_kept_as_a_dead_job<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    let known = [("onceward-message-id", "m-1")];
    // As an application may send it, and as a broker may bring it again.
    for body in [br#"{"n": 1}"#.as_slice(), br#"{"n": 2}"#, b"{", br#"{"n": 1}"#, br#"{"n": 2}"#, b"{"] {
        engine.publish(body, &known).await?;
    }
    let taken = take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(taken, Taken { jobs: 1, repeats: 1, unreadable: 4 });
    assert_eq!(engine.left().await?, 0, "it would come for ever");
    assert_eq!(ran(&store).await?, [1]);
    let dead = jobs(&store, State::Dead).await?;
    let mut codes: Vec<_> = dead.iter().map(|job| job.error.as_ref().unwrap().code.as_str()).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["dedup_conflict", "message_unreadable"]);
    assert!(dead.iter().any(|job| job.payload.contains(r#"{\"n\": 2}"#)), "{dead:?}");
    Ok(())
}

pub(crate) async fn rows_of_two_outboxes_with_one_id_both_arrive<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    for n in [1, 2] {
        let rows = Rows::new().await?;
        rows.write(NewRow::from(Record { n }).message_id("order-7")).await?;
        assert_eq!(rows.relay(engine.target().await?).await?.sent, 1);
    }
    let taken = take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(taken, Taken { jobs: 1, repeats: 0, unreadable: 1 });
    Ok(())
}

/// What a part of a large message carries of it; all of what is no part.
fn piece(payload: &str) -> String {
    let document: serde_json::Value = serde_json::from_str(payload).unwrap_or_default();
    document["message_text"].as_str().unwrap_or(payload).to_owned()
}

pub(crate) async fn what_is_rejected_is_left_to_the_broker<E: Engine>() -> Verdict {
    let (engine, store) = (E::start_strict().await?, onceward::testing::store().await?);
    engine.publish(b"{", &[]).await?;
    engine.publish(br#"{"n": 1}"#, &[]).await?;
    let rules = Rules { reject: true, ..rules() };
    let taken = take(&store, engine.source(engine.address()).await?, rules).await;
    assert_eq!((taken.jobs, taken.unreadable > 0), (1, true), "{taken:?}");
    assert!(jobs(&store, State::Dead).await?.is_empty());
    until("it comes no more", LONG, async || Ok(engine.left().await? == 0)).await
}

pub(crate) async fn a_message_that_is_too_old_to_be_known_is_held<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    let day = |days: u64| Time::now().before(Duration::from_hours(24 * days)).to_string();
    engine
        .publish(br#"{"n": 1}"#, &[("onceward-message-id", "old"), ("onceward-created-at", &day(9))])
        .await?;
    engine
        .publish(br#"{"n": 2}"#, &[("onceward-message-id", "new"), ("onceward-created-at", &day(7))])
        .await?;
    take(&store, engine.source(engine.address()).await?, rules()).await;
    assert_eq!(ran(&store).await?, [2]);
    let held = jobs(&store, State::Pending).await?;
    assert_eq!(
        held.iter().map(|job| job.held_reason.as_deref()).collect::<Vec<_>>(),
        [Some("message_too_old")]
    );
    Ok(())
}

pub(crate) async fn a_key_is_handed_over_in_order<E: Engine>() -> Verdict {
    let (engine, rows) = (E::start().await?, Rows::new().await?);
    for n in 0..60_u64 {
        let row = NewRow::from(Record { n });
        rows.write(if n % 3 == 0 { row } else { row.ordered(format!("key-{}", n % 3)) }).await?;
    }
    assert_eq!(rows.relay(engine.target().await?).await?.sent, 60);
    let numbers: Vec<u64> = numbers(&engine.bodies().await?)?;
    for key in [1, 2] {
        let of_key: Vec<u64> = numbers.iter().copied().filter(|n| n % 3 == key).collect();
        assert_eq!(of_key, (0..60).filter(|n| n % 3 == key).collect::<Vec<_>>());
    }
    Ok(())
}

fn numbers(bodies: &[String]) -> Verdict<Vec<u64>> {
    bodies.iter().map(|body| Ok(serde_json::from_str::<Record>(body)?.n)).collect()
}

pub(crate) async fn a_full_queue_stops_its_source<E: Engine>() -> Verdict {
    let (engine, store) = (E::start().await?, onceward::testing::store().await?);
    for n in 0..40_u64 {
        engine.publish(format!(r#"{{"n": {n}}}"#).as_bytes(), &[]).await?;
    }
    // What waits for its time is no backlog.
    store.enqueue(Record { n: 99 }.with().run_in(Duration::from_hours(1))).await?;
    let rules = Rules { backlog: 25, batch: 10, ..rules() };
    let source = engine.source(engine.address()).await?;
    let (taken, ended) = Intake::new((*store).clone(), source, rules.clone()).take_all().await;
    assert_eq!(taken.jobs, 25, "{taken:?}");
    assert_eq!(ended.ok_or("more wait, and that is said")?.code, BACKLOG_FULL);
    assert_eq!(ran(&store).await?.len(), 25);
    until("the rest is visible", LONG, async || {
        take(&store, engine.source(engine.address()).await?, rules.clone()).await;
        Ok(engine.left().await? == 0)
    })
    .await?;
    assert_eq!(ran(&store).await?.len(), 15);
    Ok(())
}

pub(crate) async fn a_message_is_ours_while_it_cannot_be_written<E: Engine>() -> Verdict {
    use sqlx::Connection;
    let (engine, folder) = (E::start().await?, tempfile::tempdir()?);
    let url = format!("sqlite://{}/queue.db", folder.path().display());
    let once = onceward::Onceward::open(&url).await?;
    for n in 0..20_u64 {
        engine.publish(format!(r#"{{"n": {n}}}"#).as_bytes(), &[]).await?;
    }
    let mut conn = sqlx::SqliteConnection::connect(&url).await?;
    let lock = conn.begin_with("BEGIN IMMEDIATE").await?;
    let meter = Meter::default();
    let first = consumer(&engine, engine.address(), &once, &meter, 1, 0).await?;
    let second = consumer(&engine, engine.address(), &once, &meter, 2, 0).await?;
    pass(VISIBILITY * 2 + VISIBILITY / 2).await;
    drop(lock);
    until("all are jobs", LONG, async || Ok(once.backlog(&[Record::QUEUE], 100).await? == 20)).await?;
    first.abort();
    second.abort();
    assert_eq!(meter.redelivered(), 0);
    Ok(())
}

/// One process that takes messages.
pub(crate) async fn consumer<E: Engine>(
    engine: &E,
    address: std::net::SocketAddr,
    once: &onceward::Onceward,
    meter: &Meter,
    seed: u64,
    forgets: u64,
) -> Verdict<JoinHandle<Taken>> {
    let source = Unsteady::new(engine.source(address).await?, meter, seed * 0x9E37_79B9, forgets);
    let rules = Rules { batch: 50, backlog: usize::MAX, ..rules() };
    let intake = Intake::new(once.clone(), source, rules);
    Ok(tokio::spawn(async move { intake.run_until(std::future::pending()).await }))
}

/// A tenth of the messages is forgotten before or after it was kept, connections are cut, and consumers are killed.
pub(crate) async fn no_message_runs_twice_and_none_is_lost<E: Engine>() -> Verdict {
    let count: u64 = if std::env::var_os("ONCEWARD_LONG").is_some() { 10_000 } else { E::COUNT };
    let (engine, rows, store) = (E::start().await?, Rows::new().await?, onceward::testing::store().await?);
    let new = (0..count).map(|n| NewRow::from(Record { n }));
    for row in new {
        rows.write(row).await?;
    }
    assert_eq!(rows.relay_all(engine.target().await?).await?, count);
    let (proxy, meter) = (Proxy::start(engine.address()).await?, Meter::default());
    let mut consumers = Vec::new();
    for seed in 1..=3 {
        consumers.push(consumer(&engine, proxy.address, &store, &meter, seed, 6).await?);
    }
    let (mut seed, mut cuts, mut kills) = (4, 0, 0);
    until("all came", LONG * 15, async || {
        pass(E::TROUBLE).await;
        if seed % 3 == 0 {
            proxy.cut();
            cuts += 1;
        } else {
            let at = usize::try_from(seed)? % consumers.len();
            consumers[at].abort();
            consumers[at] = consumer(&engine, proxy.address, &store, &meter, seed, 6).await?;
            kills += 1;
        }
        seed += 1;
        Ok(store.backlog(&[Record::QUEUE], 10_000).await? >= count)
    })
    .await?;
    consumers.iter().for_each(JoinHandle::abort);
    // What was forgotten comes again, to one that forgets nothing.
    until("all are acknowledged", LONG, async || {
        let source = Unsteady::new(engine.source(engine.address()).await?, &meter, 1, 0);
        take(&store, source, Rules { backlog: usize::MAX, ..rules() }).await;
        Ok(engine.left().await? == 0)
    })
    .await?;
    let ran = ran(&store).await?;
    println!(
        "{count} messages, {} redelivered, {cuts} cuts, {kills} kills, {} ran",
        meter.redelivered(),
        ran.len()
    );
    assert_eq!(ran, (0..count).collect::<Vec<_>>());
    assert!(meter.redelivered() as u64 * 10 >= count, "too few came again for this to show anything");
    Ok(())
}
