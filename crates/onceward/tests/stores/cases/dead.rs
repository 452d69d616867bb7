//! What died is kept, grouped, revived with a new budget, or discarded; nothing is sent twice by that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onceward::{
    Cause, Context, Dedup, Done, Enqueued, Error, Failure, Filter, JobId, NewJob, Report, Resolution,
    ReviveOptions, Selection, SendError, State, Time, Worker,
};

use super::doubt::{Platform, doubtful};
use crate::harness::{Store, Verdict};

fn job(payload: &str) -> NewJob {
    NewJob::untyped("mail", "welcome", payload)
}

/// Runs all that is due. A payload `["code", "text"]` fails for good with that; any other is done.
async fn run(store: &Store) -> Result<Report, Error> {
    let handler = |ctx: Context<()>| async move {
        match serde_json::from_str::<(String, String)>(&ctx.job().payload) {
            Ok((code, text)) => Err(Failure::permanent(Cause::new(code, text))),
            Err(_) => Ok(Done::Nothing),
        }
    };
    Worker::builder(&store.once)
        .register_fn("welcome", 1, (), handler)
        .queue("mail", 5)
        .build()?
        .run_until_idle()
        .await
}

async fn dead(store: &Store, job: NewJob) -> Result<JobId, Error> {
    let id = store.once.enqueue(job).await?.id();
    run(store).await?;
    assert_eq!(store.once.job(id).await?.state, State::Dead);
    Ok(id)
}

fn start(store: &Store) -> Result<Time, Box<dyn std::error::Error>> {
    let t0 = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    Ok(t0)
}

fn plain() -> ReviveOptions {
    ReviveOptions::default()
}

const FAILS: &str = r#"["http_422","too long"]"#;

pub(crate) async fn a_revive_opens_a_new_budget_and_attempts_go_on(store: &Store) -> Verdict {
    let t0 = start(store)?;
    let id = store.once.enqueue(job("{}")).await?.id();
    let tries = Arc::new(AtomicU32::new(0));
    let handler = |ctx: Context<Arc<AtomicU32>>| async move {
        ctx.app().fetch_add(1, Ordering::SeqCst);
        Err(Failure::transient(Cause::new("http_503", "busy")))
    };
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, tries.clone(), handler)
        .queue("mail", 1)
        .build()?;
    for round in [5, 10] {
        for _ in 0..8 {
            store.once.set_clock(store.clock().after(Duration::from_hours(2)));
            worker.run_until_idle().await?;
        }
        assert_eq!(tries.load(Ordering::SeqCst), round, "five tries in each budget");
        let job = store.once.job(id).await?;
        assert_eq!((job.state, job.tries, job.attempt_count), (State::Dead, 5, round));
        assert_eq!(store.once.revive(id, &plain()).await?.revived, [id]);
        let job = store.once.job(id).await?;
        assert_eq!((job.state, job.tries, job.crashes, job.finished_at), (State::Pending, 0, 0, None));
        assert!(job.run_at > t0 && job.error.is_some(), "its error is kept until the next outcome");
    }
    let numbers: Vec<u32> = store.once.attempts(id).await?.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    Ok(())
}

pub(crate) async fn what_an_edit_held_while_it_was_dead_is_still_held_when_revived(store: &Store) -> Verdict {
    start(store)?;
    let post = |payload| job(payload).dedup("post", Dedup::Forever).update();
    let id = dead(store, post(FAILS)).await?;
    assert_eq!(store.once.enqueue(post("{}").hold("approval")).await?, Enqueued::Updated(id));
    assert_eq!(store.once.revive(id, &plain()).await?.revived, [id]);
    run(store).await?;
    let revived = store.once.job(id).await?;
    assert_eq!((revived.state, revived.held_reason.as_deref()), (State::Pending, Some("approval")));
    Ok(())
}

pub(crate) async fn a_bulk_revive_leaves_what_may_have_happened(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let open = doubtful(store, &platform).await?;
    store.once.resolve(open, Resolution::GiveUp).await?;
    let plainly = dead(store, job(FAILS)).await?;
    let all = store.once.revive(Selection::All, &plain()).await?;
    assert_eq!((all.revived, all.to_verify), (vec![plainly], vec![]));
    assert_eq!(
        all.left.iter().map(|(id, left)| (*id, left.code)).collect::<Vec<_>>(),
        [(open, "effect_open")]
    );
    let two = store.once.revive(vec![open, plainly], &plain()).await?;
    let codes: Vec<_> = two.left.iter().map(|(id, left)| (*id, left.code)).collect();
    assert_eq!(codes, [(open, "effect_open"), (plainly, "not_dead")]);
    assert_eq!(store.once.job(open).await?.state, State::Dead);
    assert_eq!(store.once.effects(open).await?[0].state, "unknown");
    Ok(())
}

pub(crate) async fn alone_it_is_found_out_before_it_is_sent(store: &Store) -> Verdict {
    let platform = Platform::that_looks();
    let id = doubtful(store, &platform).await?;
    store.once.resolve(id, Resolution::GiveUp).await?;
    assert_eq!(store.once.revive(id, &plain()).await?.to_verify, [id]);
    let job = store.once.job(id).await?;
    assert_eq!((job.state, job.check_at, job.open), (State::InDoubt, Some(store.clock()), 1));
    platform.run(store).await?;
    assert_eq!(platform.arrived().len(), 1, "looked for, within the quiet period, and not sent");
    Ok(())
}

pub(crate) async fn alone_and_blind_it_is_parked(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    store.once.resolve(id, Resolution::GiveUp).await?;
    assert_eq!(store.once.revive(id, &plain()).await?.to_verify, [id]);
    let job = store.once.job(id).await?;
    assert_eq!((job.state, job.check_at), (State::InDoubt, None));
    Ok(())
}

pub(crate) async fn sending_again_takes_one_id_and_the_end_of_the_quiet_period(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    store.once.resolve(id, Resolution::GiveUp).await?;
    let repeat = ReviveOptions { may_repeat: true, ..plain() };
    assert_eq!(store.once.revive(Selection::All, &repeat).await.unwrap_err().code(), "one_job_only");
    let early = store.once.revive(id, &repeat).await?;
    assert_eq!(early.left[0].1.code, "quiet_period");
    assert_eq!(store.once.job(id).await?.state, State::Dead);
    store.once.set_clock(store.clock().after(Duration::from_mins(1)));
    assert_eq!(store.once.revive(id, &repeat).await?.revived, [id]);
    assert_eq!(platform.run(store).await?.done, 1);
    assert_eq!(platform.arrived().len(), 2);
    Ok(())
}

pub(crate) async fn a_dry_run_changes_nothing(store: &Store) -> Verdict {
    let (a, b) = (dead(store, job(FAILS)).await?, dead(store, job(FAILS)).await?);
    let before = store.once.job(a).await?;
    let shown = store.once.revive(Selection::All, &ReviveOptions { dry_run: true, ..plain() }).await?;
    assert_eq!(shown.revived, [a, b]);
    assert_eq!(store.once.job(a).await?, before);
    Ok(())
}

pub(crate) async fn a_limit_takes_the_oldest(store: &Store) -> Verdict {
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(dead(store, job(FAILS)).await?);
    }
    store.once.discard(ids[0]).await?;
    let some = ReviveOptions { limit: Some(2), ..plain() };
    let revived =
        store.once.revive(Filter { queue: Some("mail".to_owned()), ..Filter::default() }, &some).await?;
    assert_eq!(revived.revived, ids[1..3]);
    assert_eq!(revived.left.iter().map(|(_, left)| left.code).collect::<Vec<_>>(), ["discarded"]);
    Ok(())
}

pub(crate) async fn another_payload_is_checked_and_sent_instead(store: &Store) -> Verdict {
    let id = dead(store, job(FAILS).dedup("w", Dedup::Forever)).await?;
    let with = |json: &str| ReviveOptions { set_payload: Some(json.to_owned()), ..plain() };
    assert_eq!(store.once.revive(id, &with("{")).await.unwrap_err().code(), "payload_not_json");
    assert_eq!(store.once.revive(Selection::All, &with("{}")).await.unwrap_err().code(), "one_job_only");
    assert_eq!(store.once.revive(id, &with(r#"{"n": 1.0}"#)).await?.revived, [id]);
    assert_eq!(store.once.job(id).await?.payload, r#"{"n": 1.0}"#);
    let again = store.once.enqueue(job(r#"{"n":1.0}"#).dedup("w", Dedup::Forever)).await?;
    assert!(matches!(again, Enqueued::Skipped { changed: false, state: State::Pending, .. }), "{again:?}");
    assert_eq!(run(store).await?.done, 1);
    Ok(())
}

pub(crate) async fn an_edited_payload_is_what_is_sent(store: &Store) -> Verdict {
    let arrived = Arc::new(std::sync::Mutex::new(Vec::new()));
    let handler = |ctx: Context<Arc<std::sync::Mutex<Vec<String>>>>| async move {
        let effect = ctx.effect("post", ctx.job().payload.clone());
        let sent = effect.send(async |intent| {
            if intent.request == "[]" {
                return Err(SendError::NotSent(Cause::new("dns", "no such host")));
            }
            ctx.app().lock().unwrap().push(intent.request.clone());
            Ok(onceward::Receipt::id("r-0"))
        });
        let receipt = sent.await.map_err(|failure| Failure::permanent(failure.cause().clone()))?;
        Ok(receipt.into())
    };
    let worker = Worker::builder(&store.once)
        .register_fn("welcome", 1, arrived.clone(), handler)
        .queue("mail", 1)
        .build()?;
    let id = store.once.enqueue(job("[]")).await?.id();
    worker.run_until_idle().await?;
    assert_eq!(store.once.effects(id).await?[0].state, "prepared", "frozen, and certainly not sent");
    let edited = ReviveOptions { set_payload: Some("[1]".to_owned()), ..plain() };
    assert_eq!(store.once.revive(id, &edited).await?.revived, [id]);
    assert_eq!(worker.run_until_idle().await?.done, 1);
    assert_eq!(*arrived.lock().unwrap(), ["[1]"]);
    Ok(())
}

pub(crate) async fn what_was_accepted_keeps_its_payload(store: &Store) -> Verdict {
    let handler = |ctx: Context<()>| async move {
        ctx.effect("part:0", "x".to_owned()).send(async |_| Ok(onceward::Receipt::id("r-0"))).await?;
        Err(Failure::permanent(Cause::new("http_422", "part 1 is too long")))
    };
    let worker =
        Worker::builder(&store.once).register_fn("welcome", 1, (), handler).queue("mail", 1).build()?;
    let id = store.once.enqueue(job("{}")).await?.id();
    worker.run_until_idle().await?;
    let other = ReviveOptions { set_payload: Some("[]".to_owned()), ..plain() };
    assert_eq!(store.once.revive(id, &other).await?.left[0].1.code, "effect_accepted");
    assert_eq!(store.once.job(id).await?.payload, "{}");
    assert_eq!(store.once.revive(id, &plain()).await?.revived, [id]);
    Ok(())
}

pub(crate) async fn a_revived_job_has_its_key_again_or_stays_dead(store: &Store) -> Verdict {
    let keyed = |payload: &str| job(payload).dedup("w", Dedup::UntilSettled);
    let first = dead(store, keyed(FAILS)).await?;
    store.once.revive(first, &plain()).await?;
    let again = store.once.enqueue(keyed(FAILS)).await?;
    assert!(
        matches!(again, Enqueued::Skipped { existing, .. } if existing == first),
        "one live job per key: {again:?}"
    );
    run(store).await?;
    assert!(matches!(
        store.once.enqueue(keyed("{}").run_in(Duration::from_hours(1))).await?,
        Enqueued::New(_)
    ));
    let refused = store.once.revive(first, &plain()).await?;
    assert_eq!(refused.left[0].1.code, "key_taken");
    assert_eq!(store.once.job(first).await?.state, State::Dead);
    Ok(())
}

pub(crate) async fn a_discard_can_be_undone_for_five_minutes_and_not_after(store: &Store) -> Verdict {
    let t0 = start(store)?;
    let (kept, lost) = (dead(store, job(FAILS)).await?, dead(store, job(FAILS)).await?);
    assert_eq!(store.once.discard(vec![kept, lost]).await?, [(kept, Ok(())), (lost, Ok(()))]);
    assert_eq!(store.once.job(lost).await?.discard_at, Some(t0.after(Duration::from_mins(5))));
    assert!(store.once.dead_groups().await?.is_empty(), "what is discarded is out of sight");
    store.once.set_clock(t0.after(Duration::from_secs(299)));
    run(store).await?;
    let twice = store.once.discard(lost).await?;
    assert!(matches!(&twice[0].1, Err(left) if left.code == "discarded"), "the end is not moved: {twice:?}");
    assert_eq!(store.once.undiscard(kept).await?, [(kept, Ok(()))]);
    store.once.set_clock(t0.after(Duration::from_mins(5)));
    let late = store.once.undiscard(lost).await?;
    assert!(matches!(&late[0].1, Err(left) if left.code == "too_late"), "{late:?}");
    store.once.set_clock(t0.after(Duration::from_mins(20)));
    run(store).await?;
    assert_eq!(store.once.job(lost).await?.state, State::Cancelled);
    assert_eq!(store.once.job(kept).await?.state, State::Dead);
    let gone = store.once.undiscard(lost).await?;
    assert!(matches!(&gone[0].1, Err(left) if left.code == "not_dead"), "{gone:?}");
    Ok(())
}

pub(crate) async fn groups_are_by_code_and_not_by_text(store: &Store) -> Verdict {
    let t0 = start(store)?;
    for (n, failure) in [
        r#"["http_422","a is too long"]"#,
        r#"["http_422","b is too long"]"#,
        r#"["bad_address","a is too long"]"#,
    ]
    .into_iter()
    .enumerate()
    {
        store.once.set_clock(t0.after(Duration::from_secs(n as u64)));
        dead(store, job(failure)).await?;
    }
    let groups = store.once.dead_groups().await?;
    let seen: Vec<_> = groups.iter().map(|g| (g.code.as_deref(), g.count, g.sample.as_deref())).collect();
    assert_eq!(
        seen,
        [(Some("http_422"), 2, Some("b is too long")), (Some("bad_address"), 1, Some("a is too long"))]
    );
    assert_eq!((groups[0].first, groups[0].last), (t0, t0.after(Duration::from_secs(1))));
    assert_eq!((groups[0].queue.as_str(), groups[0].class.as_deref()), ("mail", Some("permanent")));
    Ok(())
}

pub(crate) async fn a_job_that_is_dead_from_the_start_keeps_no_key_that_counts_until_settled(store: &Store) -> Verdict {
    start(store)?;
    let keyed = |key: &str, payload: &str| job(payload).dedup(key, Dedup::UntilSettled);
    let dead = |key: &str| keyed(key, FAILS).dead(Cause::new("message_unreadable", "no JSON"));
    let (first, alone) = (store.once.enqueue(dead("k")).await?.id(), store.once.enqueue(dead("alone")).await?.id());
    let next = store.once.enqueue(keyed("k", "{}")).await?;
    assert!(matches!(next, Enqueued::New(_)), "{next:?}");
    assert_eq!(store.once.revive(first, &plain()).await?.left[0].1.code, "key_taken");
    // Revived, it has its key again.
    assert_eq!(store.once.revive(alone, &plain()).await?.revived, [alone]);
    let again = store.once.enqueue(keyed("alone", FAILS)).await?;
    assert!(matches!(again, Enqueued::Skipped { existing, .. } if existing == alone), "{again:?}");
    Ok(())
}

/// One call is as good as several, and several callers may share one.
pub(crate) async fn what_is_dead_from_the_start_is_settled_also_for_its_own_call(store: &Store) -> Verdict {
    let keyed = |key: &str, payload: &str| job(payload).dedup(key, Dedup::UntilSettled);
    let dead = |key: &str, payload: &str| keyed(key, payload).dead(Cause::new("message_unreadable", "no JSON"));
    let jobs = vec![
        dead("a", "[1]"),
        keyed("a", "[2]"),
        dead("a", "[2]"),
        keyed("a", "[2]"),
        dead("b", "[1]"),
        dead("b", "[2]"),
    ];
    let together: Vec<_> = store.once.enqueue_each(jobs).await?.into_iter().collect::<Result<_, _>>()?;
    let is_new: Vec<bool> = together.iter().map(|it| matches!(it, Enqueued::New(_))).collect();
    assert_eq!(is_new, [true, true, false, false, true, true], "{together:?}");
    assert_eq!((together[2].id(), together[3].id()), (together[1].id(), together[1].id()));
    // The last has the key, as after a call of its own.
    let revived = store.once.revive(vec![together[0].id(), together[5].id()], &plain()).await?;
    assert_eq!((revived.left[0].1.code, revived.revived), ("key_taken", vec![together[5].id()]));
    let again = store.once.enqueue(keyed("b", "[2]")).await?;
    assert!(matches!(again, Enqueued::Skipped { existing, .. } if existing == together[5].id()), "{again:?}");
    Ok(())
}

pub(crate) async fn a_job_that_cannot_run_is_dead_from_the_start_and_revivable(store: &Store) -> Verdict {
    let at = start(store)?;
    let day = Duration::from_hours(24);
    let wrong = || job(FAILS).dead(Cause::new("message_unreadable", "no\0 JSON")).message("m-1", day);
    let answers = store.once.enqueue_each(vec![job("{}"), wrong(), wrong()]).await?;
    let ids: Vec<JobId> = answers.into_iter().map(|it| it.map(|it| it.id())).collect::<Result<_, _>>()?;
    assert_eq!(ids[1], ids[2], "the same message made two");
    let again = store.once.enqueue(wrong()).await?;
    assert!(matches!(again, Enqueued::Skipped { state: State::Dead, .. }), "{again:?}");
    assert_eq!(run(store).await?.done, 1, "the other one alone");
    let view = store.once.job(ids[1]).await?;
    let error = view.error.as_ref().unwrap();
    assert_eq!((view.state, view.finished_at), (State::Dead, Some(at)));
    assert_eq!((error.class.as_str(), error.code.as_str()), ("permanent", "message_unreadable"));
    let groups = store.once.dead_groups().await?;
    assert_eq!(groups.iter().map(|it| (it.code.as_deref(), it.count)).collect::<Vec<_>>(), [(error.code.as_str().into(), 1)]);
    let figures = store.once.status().await?.totals;
    assert_eq!((figures.dead, figures.pending, figures.done), (1, 0, 1));
    let payload = ReviveOptions { set_payload: Some("{}".to_owned()), ..plain() };
    assert_eq!(store.once.revive(ids[1], &payload).await?.revived, [ids[1]]);
    assert_eq!(run(store).await?.done, 1);
    Ok(())
}
