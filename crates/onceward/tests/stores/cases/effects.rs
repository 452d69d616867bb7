//! An effect is sent once, or its doubt is found out.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::{
    Cancelled, Cause, Class, Context, Done, Failure, Fallback, NewJob, Outcome, Receipt, ReviveOptions, Seen, SendError,
    State as JobState, Time, Worker,
};

use crate::harness::{Store, Verdict};

/// A platform in memory: what arrived, and what it says next.
#[derive(Clone, Default)]
struct Platform(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    arrived: Vec<(String, String)>,
    answers: Vec<Answer>,
    looks: Vec<Seen>,
    class: Option<Class>,
    resend: bool,
}

#[derive(Clone, Copy)]
enum Answer {
    Accept,
    AcceptThenReset,
    Refuse,
    NotSent,
}

impl Platform {
    fn new(class: Class, answers: &[Answer], looks: &[Seen]) -> Self {
        let state = State {
            answers: answers.iter().rev().copied().collect(),
            looks: looks.iter().rev().cloned().collect(),
            class: Some(class),
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    fn arrived(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap().arrived.clone()
    }

    fn send(&self, key: &str, body: &str) -> Result<Receipt, SendError> {
        let mut state = self.0.lock().unwrap();
        let answer = state.answers.pop().unwrap_or(Answer::Accept);
        if !matches!(answer, Answer::NotSent) {
            state.arrived.push((key.to_owned(), body.to_owned()));
        }
        match answer {
            Answer::Accept => Ok(Receipt::id(format!("id-{key}")).at("https://example.org/1")),
            Answer::AcceptThenReset => Err(std::io::Error::other("connection reset").into()),
            Answer::Refuse => {
                Err(SendError::Refused(Failure::permanent(Cause::new("http_422", "too long").status(422))))
            }
            Answer::NotSent => Err(SendError::NotSent(Cause::new("dns", "no such host"))),
        }
    }

    fn look(&self) -> Seen {
        self.0.lock().unwrap().looks.pop().unwrap_or(Seen::CannotTell)
    }
}

async fn handler(ctx: Context<Platform>) -> Outcome {
    let platform = ctx.app().clone();
    let (class, resend) = {
        let state = platform.0.lock().unwrap();
        (state.class.unwrap_or(Class::Blind), state.resend)
    };
    // A request that would differ on every try, were it not frozen.
    let request = format!("attempt {}", ctx.job().attempt);
    let effect = ctx.effect("post", request).class(class).timeout(Duration::from_secs(10)).closes();
    let effect = if resend { effect.resend() } else { effect };
    let receipt = effect
        .verify(async |_| platform.look())
        .send(async |intent| platform.send(&intent.key, &intent.request))
        .await?;
    Ok(receipt.into())
}

async fn run(store: &Store, platform: &Platform) -> Result<onceward::Report, Box<dyn std::error::Error>> {
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, platform.clone(), handler)
        .queue("blog", 5)
        .build()?;
    Ok(worker.run_until_idle().await?)
}

async fn start(store: &Store) -> Result<Time, Box<dyn std::error::Error>> {
    let t0 = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    Ok(t0)
}

const LOOK_UP: Class = Class::LookUp { lag: Duration::from_secs(20) };
const KEYED: Class = Class::Keyed { window: Duration::from_hours(1), fallback: Fallback::Blind };

pub(crate) async fn an_accepted_effect_has_its_receipt_in_the_ledger(store: &Store) -> Verdict {
    start(store).await?;
    let platform = Platform::new(Class::Blind, &[], &[]);
    assert_eq!(run(store, &platform).await?.done, 1);
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(
        store
            .count("effect", "state = 'accepted' AND sends = 1 AND remote_url = 'https://example.org/1'")
            .await?,
        1
    );
    assert_eq!(store.count("job_all", "state = 'done' AND open = 0").await?, 1);
    Ok(())
}

pub(crate) async fn a_lost_answer_on_a_blind_channel_is_parked(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(Class::Blind, &[Answer::AcceptThenReset], &[]);
    assert_eq!(run(store, &platform).await?.in_doubt, 1);
    store.once.set_clock(t0.after(Duration::from_hours(48)));
    run(store, &platform).await?;
    assert_eq!(platform.arrived().len(), 1, "never sent again by itself");
    assert_eq!(store.count("job", "state = 'in_doubt' AND check_at IS NULL AND open = 1").await?, 1);
    Ok(())
}

pub(crate) async fn a_lost_answer_on_a_keyed_channel_is_repeated_byte_for_byte(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(KEYED, &[Answer::AcceptThenReset], &[]);
    assert_eq!(run(store, &platform).await?.in_doubt, 1);
    store.once.set_clock(t0.after(Duration::from_mins(5)));
    assert_eq!(run(store, &platform).await?.done, 1);
    let arrived = platform.arrived();
    assert_eq!(arrived.len(), 2);
    assert_eq!(arrived[0], arrived[1], "same key, same bytes");
    Ok(())
}

pub(crate) async fn a_key_is_not_trusted_beyond_its_window(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(KEYED, &[Answer::AcceptThenReset], &[]);
    run(store, &platform).await?;
    store.once.set_clock(t0.after(Duration::from_mins(58)));
    run(store, &platform).await?;
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(store.count("job", "state = 'in_doubt'").await?, 1);
    Ok(())
}

pub(crate) async fn a_repeated_key_without_an_answer_is_looked_for_at_once(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let class = Class::Keyed { window: Duration::from_hours(1), fallback: Fallback::LookUp { lag: Duration::ZERO } };
    let answers = [Answer::AcceptThenReset; 3];
    let looks = [Seen::Absent, Seen::AnyOf(vec![Receipt::id("found")])];
    let platform = Platform::new(class, &answers, &looks);
    // The first send is not looked for; nothing is seen after the second; the third is found.
    for (at, done) in [(0, 0), (2, 0), (10, 1)] {
        store.once.set_clock(t0.after(Duration::from_mins(at)));
        assert_eq!(run(store, &platform).await?.done, done, "{at}");
    }
    assert_eq!(platform.arrived().len(), 3);
    assert_eq!(store.count("effect", "state = 'accepted' AND remote_id = 'found'").await?, 1);
    Ok(())
}

pub(crate) async fn a_doubt_that_is_found_is_done_without_sending(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let found = Seen::Found(Receipt::id("remote-7").at("https://example.org/7"));
    let platform = Platform::new(LOOK_UP, &[Answer::AcceptThenReset], &[found]);
    run(store, &platform).await?;
    store.once.set_clock(t0.after(Duration::from_mins(5)));
    assert_eq!(run(store, &platform).await?.done, 1);
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(store.count("effect", "state = 'accepted' AND remote_id = 'remote-7'").await?, 1);
    Ok(())
}

pub(crate) async fn nothing_is_looked_up_within_the_quiet_period(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(LOOK_UP, &[Answer::AcceptThenReset], &[Seen::Absent, Seen::Absent]);
    run(store, &platform).await?;
    // lease 60 s + lag 20 s
    store.once.set_clock(t0.after(Duration::from_secs(79)));
    run(store, &platform).await?;
    assert_eq!(store.count("effect", "looks = 0").await?, 1);
    store.once.set_clock(t0.after(Duration::from_secs(80)));
    run(store, &platform).await?;
    assert_eq!(store.count("effect", "looks = 1 AND absent = 1").await?, 1);
    assert_eq!(platform.arrived().len(), 1, "one absence is not believed");
    store.once.set_clock(t0.after(Duration::from_secs(110)));
    assert_eq!(run(store, &platform).await?.done, 1);
    assert_eq!(platform.arrived().len(), 2, "absent twice: sent again");
    Ok(())
}

pub(crate) async fn a_look_that_cannot_tell_ends_with_a_person(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(LOOK_UP, &[Answer::AcceptThenReset], &[]);
    for hours in 0..12 {
        store.once.set_clock(t0.after(Duration::from_hours(hours * 24)));
        run(store, &platform).await?;
    }
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(store.count("job", "state = 'in_doubt' AND check_at IS NULL").await?, 1);
    Ok(())
}

pub(crate) async fn a_blind_doubt_is_resent_once_if_its_owner_wants_that(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(Class::Blind, &[Answer::AcceptThenReset, Answer::AcceptThenReset], &[]);
    platform.0.lock().unwrap().resend = true;
    run(store, &platform).await?;
    assert_eq!(platform.arrived().len(), 1, "not before the quiet period is over");
    for minutes in [5, 60, 600] {
        store.once.set_clock(t0.after(Duration::from_mins(minutes)));
        run(store, &platform).await?;
    }
    assert_eq!(platform.arrived().len(), 2);
    assert_eq!(store.count("job", "state = 'in_doubt' AND check_at IS NULL").await?, 1);
    Ok(())
}

pub(crate) async fn what_was_certainly_not_sent_is_tried_again(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(Class::Blind, &[Answer::NotSent], &[]);
    assert_eq!(run(store, &platform).await?.again, 1);
    store.once.set_clock(t0.after(Duration::from_mins(5)));
    assert_eq!(run(store, &platform).await?.done, 1);
    assert_eq!(platform.arrived().len(), 1);
    Ok(())
}

pub(crate) async fn a_refusal_is_an_answer_and_no_doubt(store: &Store) -> Verdict {
    start(store).await?;
    let platform = Platform::new(Class::Blind, &[Answer::Refuse], &[]);
    assert_eq!(run(store, &platform).await?.dead, 1);
    assert_eq!(store.count("effect", "state = 'refused'").await?, 1);
    assert_eq!(store.count("job", "state = 'dead' AND error_code = 'http_422' AND open = 0").await?, 1);
    Ok(())
}

pub(crate) async fn done_with_an_open_effect_is_in_doubt(store: &Store) -> Verdict {
    start(store).await?;
    let lies = |ctx: Context<Platform>| async move {
        drop(
            ctx.effect("post", "x".to_owned())
                .send(async |_| Err(SendError::Unknown(Cause::new("reset", "reset"))))
                .await,
        );
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, Platform::default(), lies)
        .queue("blog", 1)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.in_doubt, 1);
    assert_eq!(store.count("job", "state = 'in_doubt' AND open = 1").await?, 1);
    Ok(())
}

pub(crate) async fn a_step_that_was_accepted_is_not_sent_again(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::default();
    let thread = |ctx: Context<Platform>| async move {
        let platform = ctx.app().clone();
        for part in 0..3 {
            let step = format!("part:{part}");
            ctx.effect(&step, part).send(async |intent| platform.send(&intent.key, &step)).await?;
            if part == 1 && ctx.job().attempt == 1 {
                return Err(Failure::transient(Cause::new("flaky", "between two parts")));
            }
        }
        Ok(Done::Nothing)
    };
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, platform.clone(), thread)
        .queue("blog", 1)
        .build()?;
    worker.run_until_idle().await?;
    store.once.set_clock(t0.after(Duration::from_mins(5)));
    assert_eq!(worker.run_until_idle().await?.done, 1);
    let steps: Vec<String> = platform.arrived().into_iter().map(|(_, step)| step).collect();
    assert_eq!(steps, ["part:0", "part:1", "part:2"]);
    Ok(())
}

pub(crate) async fn no_effect_is_sent_when_the_lease_has_no_room_for_it(store: &Store) -> Verdict {
    start(store).await?;
    let platform = Platform::default();
    let slow = |ctx: Context<Platform>| async move {
        let platform = ctx.app().clone();
        let effect = ctx.effect("post", "x".to_owned()).timeout(Duration::from_mins(2));
        Ok(effect.send(async |intent| platform.send(&intent.key, "x")).await?.into())
    };
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, platform.clone(), slow)
        .queue("blog", 1)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.again, 1);
    assert!(platform.arrived().is_empty());
    assert_eq!(store.count("job", "state = 'pending' AND open = 0").await?, 1);
    Ok(())
}

pub(crate) async fn an_edited_request_has_a_key_of_its_own(store: &Store) -> Verdict {
    let platform = Platform::new(KEYED, &[Answer::Refuse], &[]);
    let own = |ctx: Context<Platform>| async move {
        let platform = ctx.app().clone();
        let effect = ctx.effect("post", ctx.job().payload.clone()).class(KEYED).key("own");
        Ok(effect.send(async |intent| platform.send(&intent.key, &intent.request)).await?.into())
    };
    let made = |ctx: Context<Platform>| async move {
        let platform = ctx.app().clone();
        let effect = ctx.effect("post", ctx.job().payload.clone()).class(KEYED);
        Ok(effect.send(async |intent| platform.send(&intent.key, &intent.request)).await?.into())
    };
    let worker = Worker::builder(&store.once)
        .register_fn("own", 1, platform.clone(), own)
        .register_fn("made", 1, platform.clone(), made)
        .queue("blog", 1)
        .build()?;
    for (kind, key) in [("own", Some("own")), ("made", None)] {
        platform.0.lock().unwrap().answers = vec![Answer::Accept, Answer::Refuse];
        let id = store.once.enqueue(NewJob::untyped("blog", kind, "1")).await?.id();
        assert_eq!(worker.run_until_idle().await?.dead, 1);
        let edited = ReviveOptions { set_payload: Some("2".to_owned()), ..ReviveOptions::default() };
        store.once.revive(id, &edited).await?;
        assert_eq!(worker.run_until_idle().await?.done, 1);
        let arrived = std::mem::take(&mut platform.0.lock().unwrap().arrived);
        let [(first, one), (second, two)] = arrived.as_slice() else { return Err("not sent twice".into()) };
        assert_eq!((one.as_str(), two.as_str()), ("1", "2"));
        assert_eq!(second, &format!("{first}-2"), "a platform that knows the first key would refuse again");
        assert!(key.is_none_or(|key| key == first));
    }
    Ok(())
}

pub(crate) async fn a_repeated_doubt_waits_longer_each_time(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(KEYED, &[Answer::AcceptThenReset; 5], &[]);
    let (mut at, mut waits) = (t0, Vec::new());
    for _ in 0..5 {
        store.once.set_clock(at);
        assert_eq!(run(store, &platform).await?.in_doubt, 1);
        let check = store.once.effects(1).await?[0].check_at.ok_or("nobody looks again")?;
        assert_eq!(store.once.job(1).await?.check_at, Some(check));
        waits.push(check.since(at).as_secs());
        at = check;
    }
    assert_eq!(waits, [10, 20, 40, 80, 160]);
    store.once.set_clock(at);
    assert_eq!(run(store, &platform).await?.done, 1);
    Ok(())
}

pub(crate) async fn an_absence_is_believed_of_the_send_that_was_looked_for(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let found = Seen::Found(Receipt::id("remote-7"));
    let lost = [Answer::AcceptThenReset; 2];
    let platform = Platform::new(LOOK_UP, &lost, &[Seen::Absent, Seen::Absent, found]);
    for seconds in [0, 80, 110] {
        store.once.set_clock(t0.after(Duration::from_secs(seconds)));
        run(store, &platform).await?;
    }
    assert_eq!(platform.arrived().len(), 2, "absent twice: sent again, and lost again");
    store.once.set_clock(t0.after(Duration::from_secs(190)));
    assert_eq!(run(store, &platform).await?.done, 1);
    assert_eq!(platform.arrived().len(), 2, "the second send is looked for like the first");
    Ok(())
}

pub(crate) async fn a_cancelled_doubt_that_did_not_happen_is_cancelled(store: &Store) -> Verdict {
    let t0 = start(store).await?;
    let platform = Platform::new(LOOK_UP, &[Answer::AcceptThenReset], &[Seen::Absent, Seen::Absent]);
    // One try: a job that someone cancelled is not dead for want of tries.
    let policy = RetryPolicy { max_attempts: 1, ..RetryPolicy::GENERIC };
    let worker = Worker::builder(&store.once)
        .register_fn("post", 1, platform.clone(), handler)
        .queue_with("blog", 5, policy)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.in_doubt, 1);
    assert_eq!(store.once.cancel(1).await?, [(1, Cancelled::Stopping)]);
    store.once.set_clock(t0.after(Duration::from_secs(80)));
    assert_eq!(worker.run_until_idle().await?.in_doubt, 1, "one absence is not believed");
    store.once.set_clock(t0.after(Duration::from_secs(110)));
    assert_eq!(worker.run_until_idle().await?.cancelled, 1);
    assert_eq!(platform.arrived().len(), 1);
    assert_eq!(store.once.job(1).await?.state, JobState::Cancelled);
    assert_eq!(store.count("effect", "state = 'prepared' AND sends = 1").await?, 1);
    Ok(())
}
