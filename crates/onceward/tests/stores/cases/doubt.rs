//! A doubt is settled once, by what was found out, and never over a request that may still be under way.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{
    Cause, Class, Context, Dedup, Done, Enqueued, Error, Failure, Filter, JobId, NewJob, Outcome, Report,
    Resolution, ReviveOptions, Seen, Selection, SendError, State, Time, Worker,
};

use crate::harness::{Store, Verdict};

/// A platform in memory that takes a post and loses its first answer.
#[derive(Clone)]
pub(super) struct Platform {
    arrived: Arc<Mutex<Vec<String>>>,
    class: Class,
}

impl Platform {
    /// It can be asked, and never finds anything.
    pub(super) fn that_looks() -> Self {
        Self { arrived: Arc::default(), class: Class::LookUp { lag: Duration::from_secs(20) } }
    }

    /// It can be asked as well, and knows a repeat from a first.
    pub(super) fn that_repeats() -> Self {
        Self { arrived: Arc::default(), class: Class::Deterministic }
    }

    pub(super) fn blind() -> Self {
        Self { arrived: Arc::default(), class: Class::Blind }
    }

    /// The keys that arrived.
    pub(super) fn arrived(&self) -> Vec<String> {
        self.arrived.lock().unwrap().clone()
    }

    fn send(&self, key: &str) -> Result<onceward::Receipt, SendError> {
        let mut arrived = self.arrived.lock().unwrap();
        arrived.push(key.to_owned());
        if arrived.len() == 1 {
            return Err(SendError::Unknown(Cause::new("reset", "the connection broke")));
        }
        Ok(onceward::Receipt::id(key).at("https://example.org/sent"))
    }

    /// Runs all that is due.
    pub(super) async fn run(&self, store: &Store) -> Result<Report, Error> {
        let worker = Worker::builder(&store.once)
            .register_fn("post", 1, self.clone(), post)
            .queue("blog", 5)
            .build()?;
        worker.run_until_idle().await
    }
}

async fn post(ctx: Context<Platform>) -> Outcome {
    let platform = ctx.app().clone();
    let effect = ctx
        .effect("post", "hello".to_owned())
        .class(platform.class)
        .timeout(Duration::from_secs(10))
        .closes();
    let sent = effect.verify(async |_| Seen::Absent).send(async |intent| platform.send(&intent.key));
    Ok(sent.await?.into())
}

/// A job whose effect may have happened, with a key that is held for ever.
pub(super) async fn doubtful(
    store: &Store,
    platform: &Platform,
) -> Result<JobId, Box<dyn std::error::Error>> {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let job = NewJob::untyped("blog", "post", "{}").dedup("the post", Dedup::Forever);
    let id = store.once.enqueue(job).await?.id();
    assert_eq!(platform.run(store).await?.in_doubt, 1);
    Ok(id)
}

fn later(store: &Store, minutes: u64) -> Time {
    let at = store.clock().after(Duration::from_mins(minutes));
    store.once.set_clock(at);
    at
}

fn happened() -> Resolution {
    Resolution::Happened { url: Some("https://example.org/seen".to_owned()) }
}

pub(crate) async fn a_stale_resolve_changes_nothing(store: &Store) -> Verdict {
    let id = doubtful(store, &Platform::blind()).await?;
    assert_eq!(store.once.resolve(id, happened()).await?, State::Done);
    let before = store.once.job(id).await?;
    for stale in [Resolution::GiveUp, Resolution::DidNotHappen, Resolution::Happened { url: None }] {
        let error = store.once.resolve(id, stale).await.unwrap_err();
        assert_eq!(error.code(), "not_in_doubt");
    }
    assert_eq!(store.once.job(id).await?, before);
    assert_eq!(store.once.resolve(999, Resolution::GiveUp).await.unwrap_err().code(), "not_found");
    Ok(())
}

pub(crate) async fn two_people_settle_a_doubt_once(store: &Store) -> Verdict {
    let id = doubtful(store, &Platform::blind()).await?;
    let other = store.another().await?;
    other.set_clock(store.clock());
    let (one, two) = tokio::join!(store.once.resolve(id, happened()), other.resolve(id, Resolution::GiveUp));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    assert_eq!(store.count("counter_delta", "what = 'in_doubt' AND n = -1").await?, 1);
    Ok(())
}

pub(crate) async fn did_not_happen_is_not_taken_in_the_quiet_period(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    let error = store.once.resolve(id, Resolution::DidNotHappen).await.unwrap_err();
    assert_eq!(error.code(), "quiet_period");
    assert!(error.to_string().contains("2026-12-01T09:01:00Z"), "says until when: {error}");
    assert_eq!(store.once.job(id).await?.state, State::InDoubt);
    later(store, 1);
    assert_eq!(store.once.resolve(id, Resolution::DidNotHappen).await?, State::Pending);
    assert_eq!(platform.run(store).await?.done, 1);
    let keys = platform.arrived();
    assert!(keys.len() == 2 && keys[0] == keys[1], "the same key again");
    assert_eq!(store.count("effect", "state = 'accepted' AND sends = 2").await?, 1);
    assert_eq!(store.once.job(id).await?.open, 0);
    Ok(())
}

pub(crate) async fn what_happened_is_done_and_not_sent_again(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    assert_eq!(store.once.resolve(id, happened()).await?, State::Done);
    later(store, 600);
    platform.run(store).await?;
    assert_eq!(platform.arrived().len(), 1);
    let job = store.once.job(id).await?;
    assert_eq!((job.state, job.open, job.url.as_deref()), (State::Done, 0, Some("https://example.org/seen")));
    let effects = store.once.effects(id).await?;
    assert_eq!(effects[0].state, "accepted");
    assert!(effects[0].response.as_ref().is_some_and(|said| said.contains("a person")));
    let again =
        store.once.enqueue(NewJob::untyped("blog", "post", "{}").dedup("the post", Dedup::Forever)).await?;
    let Enqueued::Skipped { state: State::Done, url: Some(url), .. } = again else {
        return Err("key".into());
    };
    assert_eq!(url, "https://example.org/seen");
    if !store.is_sqlite() {
        assert_eq!(store.count("job", "true").await?, 0);
    }
    Ok(())
}

pub(crate) async fn what_happened_in_part_goes_on_from_there(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let platform = Platform::blind();
    let thread = |ctx: Context<Platform>| async move {
        let platform = ctx.app().clone();
        for part in 0..3 {
            ctx.effect(&format!("part:{part}"), part).send(async |intent| platform.send(&intent.key)).await?;
        }
        Ok(Done::Nothing)
    };
    let id = store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?.id();
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, platform.clone(), thread)
        .queue("blog", 1)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.in_doubt, 1);
    assert_eq!(store.once.resolve(id, happened()).await?, State::Pending);
    assert_eq!(worker.run_until_idle().await?.done, 1);
    let keys = platform.arrived();
    assert_eq!(keys.len(), 3, "each part once");
    assert!(keys[0] != keys[1] && keys[1] != keys[2]);
    Ok(())
}

pub(crate) async fn given_up_is_dead_and_still_not_forgotten(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    later(store, 60);
    assert_eq!(store.once.resolve(id, Resolution::GiveUp).await?, State::Dead);
    let job = store.once.job(id).await?;
    assert_eq!(
        (job.open, job.error.map(|error| (error.class, error.code))),
        (1, Some(("permanent".to_owned(), "given_up".to_owned())))
    );
    assert_eq!(store.once.effects(id).await?[0].state, "unknown");
    let bulk = store.once.revive(Selection::All, &ReviveOptions::default()).await?;
    assert_eq!(
        bulk.left.iter().map(|(id, left)| (*id, left.code)).collect::<Vec<_>>(),
        [(id, "effect_open")]
    );
    platform.run(store).await?;
    assert_eq!(platform.arrived().len(), 1);
    Ok(())
}

pub(crate) async fn a_doubt_that_was_cancelled_is_not_sent_again(store: &Store) -> Verdict {
    let platform = Platform::blind();
    let id = doubtful(store, &platform).await?;
    store.once.cancel(id).await?;
    later(store, 60);
    assert_eq!(store.once.resolve(id, Resolution::DidNotHappen).await?, State::Cancelled);
    platform.run(store).await?;
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(store.once.job(id).await?.state, State::Cancelled);
    Ok(())
}

pub(crate) async fn a_handlers_own_doubt_is_settled_by_a_person(store: &Store) -> Verdict {
    let handler =
        |_: Context<()>| async { Err(Failure::InDoubt { cause: Cause::new("who_knows", "no ledger") }) };
    let worker = Worker::builder(&store.once).register_fn("post", 1, (), handler).queue("blog", 1).build()?;
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?.id());
    }
    assert_eq!(worker.run_until_idle().await?.in_doubt, 2);
    let looked = store.once.verify(ids[0]).await?;
    assert!(matches!(&looked[0].1, Err(left) if left.code == "cannot_look"), "no ledger, nobody to ask");
    assert_eq!(store.once.resolve(ids[0], Resolution::Happened { url: None }).await?, State::Done);
    assert_eq!(store.once.resolve(ids[1], Resolution::DidNotHappen).await?, State::Pending);
    let groups = store.once.doubt_groups().await?;
    assert!(groups.is_empty(), "{groups:?}");
    Ok(())
}

pub(crate) async fn a_verify_looks_again_where_something_can(store: &Store) -> Verdict {
    let looks = Platform::that_looks();
    let id = doubtful(store, &looks).await?;
    later(store, 2);
    assert_eq!(store.once.verify(id).await?, [(id, Ok(()))]);
    looks.run(store).await?;
    assert_eq!(store.count("effect", "looks = 1 AND absent = 1").await?, 1);
    assert_eq!(store.once.verify(Filter::state(State::InDoubt)).await?, [(id, Ok(()))]);
    looks.run(store).await?;
    assert_eq!(looks.run(store).await?.done + looks.arrived().len() as u64, 2, "absent twice: sent again");
    let answer = store.once.verify(id).await?;
    assert!(matches!(&answer[0].1, Err(left) if left.code == "not_in_doubt"));
    Ok(())
}

pub(crate) async fn what_nothing_can_look_at_is_left_to_people(store: &Store) -> Verdict {
    let id = doubtful(store, &Platform::blind()).await?;
    let before = store.once.job(id).await?;
    for answers in [store.once.verify(id).await?, store.once.run_now(id).await?] {
        assert!(matches!(&answers[0].1, Err(left) if left.code == "cannot_look"));
    }
    assert_eq!(store.once.job(id).await?, before);
    let groups = store.once.doubt_groups().await?;
    assert_eq!((groups.len(), groups[0].count, groups[0].code.as_deref()), (1, 1, Some("reset")));
    Ok(())
}

pub(crate) async fn a_look_before_its_time_waits_for_it_and_spends_no_other(store: &Store) -> Verdict {
    let platform = Platform::that_looks();
    let id = doubtful(store, &platform).await?;
    assert_eq!(store.once.verify(id).await?, [(id, Ok(()))]);
    platform.run(store).await?;
    let (job, effects) = (store.once.job(id).await?, store.once.effects(id).await?);
    assert!(effects[0].quiet_until > Some(store.clock()), "the request may still be on its way");
    assert_eq!((job.state, job.check_at), (State::InDoubt, effects[0].quiet_until));
    later(store, 2);
    platform.run(store).await?;
    assert_eq!(store.once.effects(id).await?[0].looks, 1, "it is looked for at its time");
    Ok(())
}

/// Without a circuit nothing else spaces the looks at a peer that is down.
pub(crate) async fn a_look_that_fails_is_made_again_like_a_try(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let looks = Arc::new(Mutex::new(0));
    let handler = |ctx: Context<Arc<Mutex<u32>>>| async move {
        let effect = ctx.effect("post", "hello".to_owned()).class(Class::LookUp { lag: Duration::from_secs(1) });
        let looked = effect.verify(async |_| {
            *ctx.app().lock().unwrap() += 1;
            Seen::Failed(Failure::transient(Cause::new("http_503", "down").outage()))
        });
        Ok(looked.send(async |_| Err(SendError::Unknown(Cause::new("reset", "broke")))).await?.into())
    };
    let id = store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?.id();
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, looks.clone(), handler).queue("blog", 1).build()?;
    worker.run_until_idle().await?;
    let began = store.clock();
    for look in 1.. {
        let Some(at) = store.once.job(id).await?.check_at else { break };
        assert!(at > store.clock(), "look {look} would be made at once");
        store.once.set_clock(at);
        worker.run_until_idle().await?;
        assert_eq!(*looks.lock().unwrap(), look);
    }
    assert_eq!(*looks.lock().unwrap(), 12);
    assert!(store.clock().since(began) > Duration::from_hours(1), "an hour without it parks nothing");
    Ok(())
}
