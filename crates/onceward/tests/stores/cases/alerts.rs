//! Alerts: what needs a person is told once, by one message, and never about the message itself.

use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::{
    AlertMessage, AlertRule, Alerted, Cause, Context, Done, Failure, Filter, Job, NewJob, Outcome, QueueSettings,
    ReviveOptions, State, Topic, Worker,
};

use crate::harness::{Store, Verdict};

pub(crate) type Tried<T> = Result<T, Box<dyn std::error::Error>>;

pub(crate) fn job(what: &str) -> NewJob {
    NewJob::untyped("mail", "welcome", format!("{what:?}"))
}

/// Watches all but the disk, which is the machine's.
pub(crate) fn ops() -> AlertRule {
    let on = Topic::ALL.into_iter().filter(|topic| *topic != Topic::Disk).collect();
    AlertRule { on, ..AlertRule::new("ops", "ops") }
}

/// The payload says how it ends.
async fn welcome(ctx: Context<()>) -> Outcome {
    match ctx.job().payload.trim_matches('"') {
        "done" => Ok(Done::Nothing),
        "down" => Err(Failure::transient(Cause::new("http_503", "down").outage())),
        "auth" => Err(Failure::AuthNeeded { cause: Cause::new("token_revoked", "the token was revoked") }),
        "doubt" => Err(Failure::InDoubt { cause: Cause::new("timeout", "no answer") }),
        code => Err(Failure::permanent(Cause::new(code.to_owned(), format!("it says {code}")))),
    }
}

/// Runs what is due, alerts included, which are delivered.
pub(crate) async fn work(store: &Store) -> Verdict {
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, (), welcome)
        .register_fn(AlertMessage::KIND, 1, (), async |_| Ok(Done::Nothing))
        .queue("mail", 1)
        .queue("news", 1)
        .queue("ops", 1)
        .build()?;
    worker.run_until_idle().await?;
    Ok(())
}

pub(crate) fn nine(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    Ok(())
}

pub(crate) fn later(store: &Store, wait: Duration) {
    store.once.set_clock(store.clock().after(wait));
}

/// The only message of the only rule, delivered at once.
pub(crate) async fn told(store: &Store, rule: &AlertRule) -> Tried<AlertMessage> {
    let mut alerted = store.once.alert(std::slice::from_ref(rule)).await?;
    let one = alerted.pop().ok_or("nothing was told")?;
    assert!(alerted.is_empty());
    work(store).await?;
    assert_eq!(store.once.job(one.job).await?.state, State::Done);
    Ok(one.message)
}

pub(crate) async fn silent(store: &Store, rule: &AlertRule) -> Verdict {
    let alerted = store.once.alert(std::slice::from_ref(rule)).await?;
    assert!(alerted.is_empty(), "{alerted:?}");
    Ok(())
}

pub(crate) const PERIOD: Duration = Duration::from_mins(10);

pub(crate) async fn one_message_tells_of_all_that_died(store: &Store) -> Verdict {
    nine(store)?;
    silent(store, &ops()).await?;
    store.once.enqueue_each(vec![job("http_422"); 10]).await?;
    store.once.enqueue_each(vec![job("text_too_long"); 2]).await?;
    work(store).await?;
    later(store, Duration::from_mins(3));
    let [Alerted { rule, message, job, .. }] = &store.once.alert(&[ops()]).await?[..] else {
        return Err("not one message".into());
    };
    assert_eq!((rule.as_str(), message.title.as_str()), ("ops", "12 jobs of mail are dead"));
    for part in [
        "2026-12-01 09:00 UTC (3m ago)",
        "http_422 ×10, text_too_long ×2",
        "job 10 says: it says http_422",
        "onceward dead groups --queue mail",
        "onceward dead revive --queue mail",
        "(rule ops, message 1, 2026-12-01 09:03 UTC)",
    ] {
        assert!(message.text.contains(part), "{part}: {}", message.text);
    }
    let carrier = store.once.job(*job).await?;
    assert_eq!((carrier.queue.as_str(), carrier.kind.as_str()), ("ops", "alert.message"));
    assert_eq!(serde_json::from_str::<AlertMessage>(&carrier.payload)?, *message);
    Ok(())
}

pub(crate) async fn of_many_processes_one_tells(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    for round in 1..=3 {
        let mut processes = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let once = store.another().await?;
            once.set_clock(store.clock());
            processes.spawn(async move { once.alert(&[ops()]).await });
        }
        let mut alerted = 0;
        while let Some(done) = processes.join_next().await {
            alerted += done??.len();
        }
        assert_eq!((alerted, store.count("job_all", "kind = 'alert.message'").await?), (1, round));
        store.once.enqueue(job("http_422")).await?;
        work(store).await?;
        later(store, PERIOD);
    }
    Ok(())
}

pub(crate) async fn a_rule_speaks_once_in_its_period(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.title, "1 job of mail is dead");
    later(store, PERIOD);
    silent(store, &ops()).await?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.title, "2 jobs of mail are dead", "the period was over");
    later(store, Duration::from_mins(9));
    store.once.enqueue(job("gone")).await?;
    work(store).await?;
    silent(store, &ops()).await?;
    later(store, Duration::from_mins(1));
    assert_eq!(told(store, &ops()).await?.number, 3);
    Ok(())
}

pub(crate) async fn nothing_more_is_told_while_a_message_is_on_its_way(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    store.once.define_queue("ops", QueueSettings::default()).await?;
    store.once.pause_queue("ops", "no phone").await?;
    assert_eq!(store.once.alert(&[ops()]).await?.len(), 1);
    for _ in 0..48 {
        later(store, PERIOD);
        store.once.enqueue(job("http_422")).await?;
        work(store).await?;
        silent(store, &ops()).await?;
    }
    let standing = store.once.alerts(&[ops()]).await?.remove(0);
    assert_eq!((standing.on_its_way, standing.messages, standing.news), (true, 1, 1));
    store.once.resume_queue("ops").await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.title, "49 jobs of mail are dead", "what came meanwhile is one message");
    Ok(())
}

pub(crate) async fn what_is_over_is_told_as_resolved(store: &Store) -> Verdict {
    nine(store)?;
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    let settings = QueueSettings { circuit: Some(policy), ..QueueSettings::default() };
    store.once.define_queue("news", settings).await?;
    store.once.enqueue(job("http_422")).await?;
    let doubt = store.once.enqueue(job("doubt")).await?.id();
    let down = store.once.enqueue(job("down").queue("news")).await?.id();
    work(store).await?;
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "1 job of mail may have been sent, only a person can tell, and 2 more");
    let topics: Vec<(Topic, bool)> = message.notices.iter().map(|it| (it.topic, it.resolved)).collect();
    assert_eq!(topics, [(Topic::InDoubt, false), (Topic::Dead, false), (Topic::Circuit, false)]);
    assert!(message.text.contains("news does not answer, its jobs wait\nsince 2026-12-01 09:00 UTC"), "{message:?}");
    store.once.resolve(doubt, onceward::Resolution::Happened { url: None }).await?;
    store.once.discard(Filter::state(State::Dead)).await?;
    store.once.cancel(down).await?;
    store.once.enqueue(job("done").queue("news")).await?;
    later(store, PERIOD);
    work(store).await?;
    let message = told(store, &ops()).await?;
    assert!(message.notices.iter().all(|it| it.resolved), "{message:?}");
    for part in [
        "Resolved: no job of mail is in doubt any more",
        "Resolved: no job of mail is dead any more",
        "Resolved: news answers again, it did not since 2026-12-01 09:00 UTC",
    ] {
        assert!(message.text.contains(part), "{part}: {}", message.text);
    }
    later(store, PERIOD);
    silent(store, &ops()).await
}

pub(crate) async fn a_revoked_token_is_one_alert_and_resuming_drains_what_waits(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue_each(vec![job("auth"); 1]).await?;
    store.once.enqueue_each(vec![job("done"); 20]).await?;
    work(store).await?;
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "mail does not accept our credentials, its jobs wait");
    assert!(message.text.contains("the token was revoked\n"), "{}", message.text);
    assert!(message.text.contains("onceward queues resume mail"), "{}", message.text);
    for _ in 0..12 {
        later(store, PERIOD);
        work(store).await?;
        silent(store, &ops()).await?;
    }
    assert_eq!(store.count("job", "queue = 'mail' AND state = 'pending'").await?, 21);
    store.execute("UPDATE @job SET payload = '\"done\"' WHERE queue = 'mail'").await?;
    store.once.resume_queue("mail").await?;
    work(store).await?;
    assert_eq!(store.count("job_all", "queue = 'mail' AND state = 'done'").await?, 21);
    let message = told(store, &ops()).await?;
    assert_eq!(message.title, "Resolved: mail goes on, it waited since 2026-12-01 09:00 UTC");
    Ok(())
}

pub(crate) async fn an_alert_is_never_about_alerts(store: &Store) -> Verdict {
    nine(store)?;
    let (ops, mail) = (ops(), AlertRule::new("mail", "mail"));
    let rules = [ops.clone(), mail];
    let policy = CircuitPolicy { failures: 1, ..CircuitPolicy::default() };
    let settings = QueueSettings { circuit: Some(policy), ..QueueSettings::default() };
    store.once.define_queue("ops", settings).await?;
    // Messages that die, that nobody can tell of, that wait, that crash, that were missed.
    for state in ["dead", "in_doubt", "pending", "running", "held"] {
        let id = store.once.test_alert(&ops).await?;
        let changed = match state {
            "running" => format!("UPDATE @job SET lone = {}, crashes = 2 WHERE id = {id}", if store.is_sqlite() { "1" } else { "true" }),
            "held" => format!("UPDATE @job SET held_reason = 'missed' WHERE id = {id}"),
            _ => format!("UPDATE @job SET state = '{state}' WHERE id = {id}"),
        };
        store.execute(&changed).await?;
    }
    later(store, Duration::from_hours(3));
    assert!(store.once.alert(&rules).await?.is_empty());
    // An outage of its own way out: the other rule tells of it, it does not.
    let circuit = r#"{"state":{"open":{"until":"2026-12-01T13:00:00Z","pause":"30s","since":"2026-12-01T12:00:00Z"}}}"#;
    store.execute(&format!("UPDATE @queue SET circuit = '{circuit}' WHERE name = 'ops'")).await?;
    let alerted = store.once.alert(&rules).await?;
    let [Alerted { rule, message, .. }] = &alerted[..] else { return Err(format!("{alerted:?}").into()) };
    assert_eq!((rule.as_str(), message.title.as_str()), ("mail", "ops does not answer, its jobs wait"));
    Ok(())
}

pub(crate) async fn a_test_changes_nothing_of_what_was_told(store: &Store) -> Verdict {
    nine(store)?;
    let id = store.once.test_alert(&ops()).await?;
    let message: AlertMessage = serde_json::from_str(&store.once.job(id).await?.payload)?;
    assert_eq!((message.number, message.title.as_str()), (0, "A test of alert ops"));
    let standing = store.once.alerts(&[ops()]).await?.remove(0);
    assert_eq!((standing.messages, standing.told_at, standing.on_its_way), (0, None, false));
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.number, 1);
    Ok(())
}

pub(crate) async fn a_message_that_died_stands_among_the_dead_and_the_rule_goes_on(store: &Store) -> Verdict {
    nine(store)?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    let message = store.once.alert(&[ops()]).await?.remove(0).job;
    store.execute(&format!("UPDATE @job SET state = 'dead' WHERE id = {message}")).await?;
    later(store, PERIOD);
    silent(store, &ops()).await?;
    store.once.enqueue(job("http_422")).await?;
    work(store).await?;
    assert_eq!(told(store, &ops()).await?.title, "2 jobs of mail are dead");
    store.once.revive(message, &ReviveOptions::default()).await?;
    work(store).await?;
    assert_eq!(store.once.job(message).await?.state, State::Done);
    Ok(())
}

pub(crate) async fn a_worker_tells_by_itself(store: &Store) -> Verdict {
    let builder = || {
        Worker::builder(&store.once)
            .register_fn("welcome", 1, (), welcome)
            .register_fn(AlertMessage::KIND, 1, (), async |_| Ok(Done::Nothing))
            .queue("mail", 1)
            .queue("ops", 1)
            .alerts(vec![ops()])
    };
    store.once.enqueue(job("http_422")).await?;
    // Until idle: before it ends.
    assert_eq!(builder().build()?.run_until_idle().await?.done, 1);
    store.execute("UPDATE @alert SET number = 0, told = '[]', job_id = NULL").await?;
    let past = store.instant(onceward::Time::now().before(Duration::from_hours(1)));
    store.execute(&format!("UPDATE @alert SET told_at = {past}")).await?;
    // Until it is stopped: some seconds after it noticed.
    let delivered = async {
        let sent = "queue = 'ops' AND state = 'done'";
        while !matches!(store.count("job_all", sent).await, Ok(2)) {
            tokio::time::sleep(Duration::from_millis(200)).await; // sleeps: it gathers for ten seconds of real time
        }
    };
    tokio::time::timeout(Duration::from_mins(1), Box::pin(builder().build()?.run_until(delivered))).await??;
    let twice = builder().alerts(vec![ops(), ops()]).build().err().ok_or("two of one name")?;
    assert_eq!(twice.code(), "alert_twice");
    Ok(())
}
