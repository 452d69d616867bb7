//! What alerts watch, and what is none.

use std::sync::Arc;
use std::time::Duration;

use onceward::{AlertRule, JobTarget, Outbox, Relay, Relayed, Topic};

use super::alerts::{PERIOD, job, later, nine, ops, silent, told, work};
use super::outbox::{outbox, row};
use crate::harness::{Store, Verdict};

pub(crate) async fn a_rule_sees_its_topics_and_its_queues(store: &Store) -> Verdict {
    nine(store)?;
    let only = AlertRule { only: Some(vec!["news".to_owned()]), ..ops() };
    let doubts = AlertRule { on: vec![Topic::InDoubt], ..AlertRule::new("doubts", "ops") };
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    assert!(store.once.alert(&[only.clone(), doubts.clone()]).await?.is_empty());
    store.once.enqueue(job("http_422").queue("news")).await?;
    store.once.enqueue(job("doubt")).await?;
    work(store).await?;
    let alerted = store.once.alert(&[only.clone(), doubts.clone()]).await?;
    let titles: Vec<&str> = alerted.iter().map(|it| it.message.title.as_str()).collect();
    assert_eq!(titles, ["1 job of news is dead", "1 job of mail may have been sent, only a person can tell"]);
    // What a rule no longer watches is not called over.
    work(store).await?;
    later(store, PERIOD);
    let changed = AlertRule { on: vec![Topic::Circuit], ..only };
    assert!(store.once.alert(&[changed]).await?.is_empty());
    Ok(())
}

pub(crate) async fn a_backlog_counts_no_pause_and_no_outage(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue_each(vec![job("done"); 3]).await?;
    later(store, PERIOD);
    silent(store, &ops()).await?;
    later(store, Duration::from_secs(1));
    let mut alerted = store.once.alert(&[ops()]).await?;
    let message = alerted.pop().ok_or("no backlog")?.message;
    assert_eq!(message.title, "3 jobs of mail are overdue");
    assert!(message.text.contains("the oldest since 2026-12-01 09:00 UTC (10m ago)"), "{}", message.text);
    work(store).await?;
    later(store, PERIOD);
    assert_eq!(told(store, &ops()).await?.title, "Resolved: mail has caught up");
    // Paused for a day, and let go: its jobs are late, but nobody's backlog yet.
    store.once.pause_queue("mail", "moving house").await?;
    store.once.enqueue(job("done")).await?;
    later(store, Duration::from_hours(24));
    silent(store, &ops()).await?;
    store.once.resume_queue("mail").await?;
    later(store, PERIOD);
    silent(store, &ops()).await?;
    later(store, Duration::from_secs(1));
    assert_eq!(store.once.alert(&[ops()]).await?.len(), 1, "nobody works on it since");
    // Held jobs wait for a person, not for a worker.
    store.once.enqueue(job("done").queue("news").hold("approval")).await?;
    later(store, Duration::from_hours(1));
    let standing = store.once.alerts(&[ops()]).await?.remove(0);
    assert_eq!(standing.open, ["1 job of mail is overdue"]);
    Ok(())
}

pub(crate) async fn a_job_that_crashes_again_and_workers_that_end_young_are_told(store: &Store) -> Verdict {
    nine(store)?;
    let id = store.once.enqueue(job("done")).await?.id();
    let yes = if store.is_sqlite() { "1" } else { "true" };
    store.execute(&format!("UPDATE @job SET lone = {yes}, crashes = 0 WHERE id = {id}")).await?;
    silent(store, &ops()).await?;
    store.execute(&format!("UPDATE @job SET crashes = 1 WHERE id = {id}")).await?;
    assert_eq!(store.once.alert(&[ops()]).await?[0].message.title, format!("job {id} of mail crashes its worker"));
    // It dies of it: that is not the end of it.
    store.execute(&format!("UPDATE @job SET state = 'dead', error_code = 'crashed' WHERE id = {id}")).await?;
    work(store).await?;
    later(store, PERIOD);
    assert_eq!(told(store, &ops()).await?.title, "1 job of mail is dead");
    store.once.discard(id).await?;
    later(store, PERIOD);
    let message = told(store, &ops()).await?;
    assert!(message.text.contains("Resolved: job 1 of mail does not crash its worker any more"), "{message:?}");
    // Two ended by a stroke of bad luck, the third makes it a loop; one that had worked for long is none.
    let seen = store.clock().before(Duration::from_mins(1));
    for (boot, age) in [("a", 5), ("b", 5), ("old", 3600)] {
        ended(store, boot, age, seen).await?;
    }
    later(store, PERIOD);
    silent(store, &ops()).await?;
    ended(store, "c", 5, seen).await?;
    assert_eq!(told(store, &ops()).await?.title, "3 workers stopped without a word soon after their start");
    Ok(())
}

async fn ended(store: &Store, boot: &str, age: u64, seen: onceward::Time) -> Verdict {
    let (from, to) = (store.instant(seen.before(Duration::from_secs(age))), store.instant(seen));
    let row = format!("INSERT INTO @worker (boot, queues, started_at, seen_at) VALUES ('{boot}', '[\"mail\"]', {from}, {to})");
    store.execute(&row).await.map(drop)
}

pub(crate) async fn what_was_missed_is_told(store: &Store) -> Verdict {
    nine(store)?;
    let id = store.once.enqueue(job("done")).await?.id();
    store.once.hold(id, "missed").await?;
    let at = store.instant(store.clock());
    let event = format!(
        "INSERT INTO @event (at, queue, what, detail) VALUES ({at}, 'news', 'missed', 'schedule digest: 3 left out')"
    );
    store.execute(&event).await?;
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "1 job of mail missed the time while nobody was running, and 1 more");
    assert!(message.text.contains("schedule digest: 3 left out"), "{}", message.text);
    later(store, PERIOD);
    silent(store, &ops()).await?;
    store.once.release(id, None).await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.title, "Resolved: no job of mail is held as missed any more");
    later(store, Duration::from_hours(25));
    silent(store, &ops()).await
}

/// As whoever runs the relay does, after some time.
async fn noted(store: &Store, outbox: &Outbox, wait: Duration) -> Verdict {
    later(store, wait);
    outbox.set_clock(store.clock());
    Ok(store.once.note_relay("signup", outbox).await?)
}

pub(crate) async fn an_outbox_that_lags_or_refuses_is_told(store: &Store) -> Verdict {
    nine(store)?;
    let outbox = outbox(store).await?;
    noted(store, &outbox, Duration::ZERO).await?;
    silent(store, &ops()).await?;
    outbox.enqueue(row("\"done\"")).await?;
    let now = store.instant(store.clock());
    store
        .execute(&format!(
            "INSERT INTO @outbox (queue, kind, payload, created_at) VALUES ('mail', 'welcome', '{{', {now})"
        ))
        .await?;
    noted(store, &outbox, Duration::from_mins(1)).await?;
    silent(store, &ops()).await?;
    noted(store, &outbox, Duration::from_secs(1)).await?;
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "2 rows of outbox signup are not handed over");
    assert!(message.text.contains("onceward outbox status signup"), "{}", message.text);
    // Handed over, but for one that no queue takes.
    let relay = Relay::new(outbox.clone(), Arc::new(JobTarget::new(store.once.clone(), "signup")));
    assert_eq!(relay.run_until_idle().await?, Relayed { sent: 1, refused: 1, waiting: 0 });
    noted(store, &outbox, PERIOD).await?;
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "1 row of outbox signup is refused, and 1 more");
    for part in ["payload_not_json", "onceward outbox relay signup --retry ID", "Resolved: outbox signup has caught up"] {
        assert!(message.text.contains(part), "{part}: {}", message.text);
    }
    noted(store, &outbox, PERIOD).await?;
    silent(store, &ops()).await?;
    let refused = outbox.refused(1).await?.iter().map(|row| row.id).collect();
    outbox.skip(refused).await?;
    noted(store, &outbox, PERIOD).await?;
    assert_eq!(told(store, &ops()).await?.title, "Resolved: no row of outbox signup is refused any more");
    // An application's database that cannot be read is lag as well, and a relay that a person calls gone is none.
    store.once.note_relay_away("signup", "nobody listens").await?;
    silent(store, &ops()).await?;
    later(store, PERIOD);
    assert_eq!(told(store, &ops()).await?.title, "outbox signup cannot be read");
    assert!(store.once.forget_relay("signup").await? && !store.once.forget_relay("signup").await?);
    later(store, PERIOD);
    assert!(told(store, &ops()).await?.title.starts_with("Resolved: outbox signup has caught up"));
    Ok(())
}
