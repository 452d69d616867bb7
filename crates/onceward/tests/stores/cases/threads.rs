//! A job of several steps: frozen together, sent in the queue's pace, each found under its own name.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{
    Cause, Class, Context, Done, NewJob, Outcome, QueueSettings, Receipt, Seen, SendError, Worker,
};

use crate::harness::{Store, Verdict};

/// What arrived, what the next send is to come to, and what a look finds.
#[derive(Clone, Default)]
struct Platform(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// As the steps are to be rendered: each attempt would send something else, were it not frozen.
    rendered: u32,
    arrived: Vec<String>,
    lose: bool,
    seen: Vec<Receipt>,
}

impl Platform {
    fn arrived(&self) -> Vec<String> {
        self.0.lock().unwrap().arrived.clone()
    }
}

const LOOK_UP: Class = Class::LookUp { lag: Duration::from_secs(1) };

/// Three steps; the text of each says in which attempt it was made.
async fn thread(ctx: Context<Platform>) -> Outcome {
    let platform = ctx.app().clone();
    let attempt = {
        let mut state = platform.0.lock().unwrap();
        state.rendered += 1;
        state.rendered
    };
    let mut texts: Vec<String> =
        ctx.steps().await?.iter().map(|step| serde_json::from_str(&step.request)).collect::<Result<_, _>>()?;
    if texts.is_empty() {
        texts = (0..3).map(|part| format!("part {part} of attempt {attempt}")).collect();
    }
    let effect = |at: usize| ctx.effect(&format!("part:{at}"), texts[at].clone()).class(LOOK_UP);
    for at in 0..texts.len() {
        effect(at).freeze().await?;
    }
    let mut sent = 0;
    for at in 0..texts.len() {
        // The claim has room for the first that is sent in this attempt.
        sent += u32::from(ctx.steps().await?[at].state != "accepted");
        if sent > 1 && let Some(wait) = ctx.further().await? {
            return Ok(Done::Snooze(wait));
        }
        effect(at)
            .verify(async |_| Seen::AnyOf(platform.0.lock().unwrap().seen.clone()))
            .send(async |intent| {
                let mut state = platform.0.lock().unwrap();
                state.arrived.push(intent.request.clone());
                if std::mem::take(&mut state.lose) {
                    return Err(SendError::Unknown(Cause::new("cut", "cut")));
                }
                Ok(Receipt::id(intent.request.clone()))
            })
            .await?;
    }
    Ok(Done::Nothing)
}

async fn run(store: &Store, platform: &Platform) -> Result<onceward::Report, Box<dyn std::error::Error>> {
    let worker =
        Worker::builder(&store.once).register_fn("post", 1, platform.clone(), thread).queue("blog", 5).build()?;
    Ok(worker.run_until_idle().await?)
}

pub(crate) async fn later_steps_wait_for_their_share_of_the_rate(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let settings = QueueSettings { rate: Some("1/10m".parse()?), ..QueueSettings::default() };
    store.once.define_queue("blog", settings).await?;
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let platform = Platform::default();
    for (minutes, sent) in [(0, 1), (9, 1), (10, 2), (19, 2), (20, 3)] {
        store.once.set_clock(t0.after(Duration::from_mins(minutes)));
        run(store, &platform).await?;
        assert_eq!(platform.arrived().len(), sent, "after {minutes} minutes");
    }
    let first = platform.arrived().iter().all(|text| text.ends_with("of attempt 1"));
    assert!(first, "all parts are as the first attempt froze them: {:?}", platform.arrived());
    assert_eq!(store.count("job_all", "state = 'done'").await?, 1);
    assert_eq!(store.count("attempt", "outcome = 'failed'").await?, 0);
    Ok(())
}

pub(crate) async fn steps_are_frozen_before_the_first_is_sent(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?;
    let platform = Platform::default();
    platform.0.lock().unwrap().lose = true;
    assert_eq!(run(store, &platform).await?.in_doubt, 1);
    assert_eq!(store.count("effect", "state = 'prepared'").await?, 2, "the later parts are there already");
    platform.0.lock().unwrap().seen = vec![Receipt::id("found")];
    store.once.set_clock(t0.after(Duration::from_hours(1)));
    run(store, &platform).await?;
    let expected = ["part 0 of attempt 1", "part 1 of attempt 1", "part 2 of attempt 1"];
    assert_eq!(platform.arrived(), expected);
    Ok(())
}

pub(crate) async fn two_jobs_that_match_one_post_never_share_it(store: &Store) -> Verdict {
    let t0: onceward::Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let platform = Platform::default();
    for _ in 0..2 {
        store.once.enqueue(NewJob::untyped("blog", "single", "{}")).await?;
    }
    let worker = Worker::builder(&store.once)
        .register_fn("single", 1, platform.clone(), |ctx: Context<Platform>| async move {
            let platform = ctx.app().clone();
            let sent = ctx
                .effect("post", "same text".to_owned())
                .class(LOOK_UP)
                .verify(async |_| Seen::AnyOf(platform.0.lock().unwrap().seen.clone()))
                .send(async |_| {
                    platform.0.lock().unwrap().arrived.push("same text".to_owned());
                    Err(SendError::Unknown(Cause::new("cut", "cut")))
                })
                .await?;
            Ok(Done::Receipt(sent))
        })
        .queue("blog", 2)
        .build()?;
    assert_eq!(worker.run_until_idle().await?.in_doubt, 2);
    // Both look, and see both posts; one of them is seen first by each.
    platform.0.lock().unwrap().seen = vec![Receipt::id("first"), Receipt::id("second")];
    store.once.set_clock(t0.after(Duration::from_hours(1)));
    worker.run_until_idle().await?;
    assert_eq!(store.count("job_all", "state = 'done'").await?, 2);
    assert_eq!(store.count("effect", "remote_id = 'first'").await?, 1);
    assert_eq!(store.count("effect", "remote_id = 'second'").await?, 1);
    assert_eq!(platform.arrived().len(), 2, "none was sent again");
    Ok(())
}
