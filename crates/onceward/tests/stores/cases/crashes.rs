//! A process dies at each moment of a send, on each class: what comes of it is seen, and stands in docs/once.md.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{
    Class, Context, Fallback, Filter, JobView, NewJob, Outcome, Receipt, Seen, State as JobState, Time, Worker,
};
use tokio::sync::Notify;

use crate::harness::{Store, Verdict};
use crate::page;

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/once.md");
const LAG: Duration = Duration::from_secs(20);
const WINDOW: Duration = Duration::from_hours(1);
/// A lease, and a margin.
const A_WHILE: Duration = Duration::from_mins(2);
const ROUNDS: usize = 12;

/// When the process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Claimed,
    Frozen,
    Intended,
    Taken,
    Answered,
}

const MOMENTS: [(Moment, &str); 5] = [
    (Moment::Claimed, "claimed, nothing frozen"),
    (Moment::Frozen, "frozen, no intent yet"),
    (Moment::Intended, "intent written, nothing left"),
    (Moment::Taken, "taken by the receiver, no answer yet"),
    (Moment::Answered, "receipt written, not settled"),
];

/// What the receiver offers, and when somebody runs again.
struct Case {
    name: &'static str,
    class: Class,
    resend: bool,
    back_after: Duration,
}

fn cases() -> Vec<Case> {
    let keyed = |fallback| Class::Keyed { window: WINDOW, fallback };
    let case = |name, class| Case { name, class, resend: false, back_after: A_WHILE };
    let late = |name, class| Case { back_after: WINDOW.saturating_mul(2), ..case(name, class) };
    vec![
        case("keyed", keyed(Fallback::Blind)),
        late("keyed, its window over, with a look", keyed(Fallback::LookUp { lag: LAG })),
        late("keyed, its window over", keyed(Fallback::Blind)),
        case("deterministic", Class::Deterministic),
        case("two-phase", Class::TwoPhase),
        case("look-up", Class::LookUp { lag: LAG }),
        case("blind", Class::Blind),
        Case { resend: true, ..case("blind, with `resend`", Class::Blind) },
    ]
}

/// A receiver as its class has it: what arrived, and what is there.
#[derive(Clone)]
struct Receiver(Arc<Mutex<State>>);

struct State {
    class: Class,
    resend: bool,
    /// The clock of the world.
    now: Time,
    /// Where the process dies; `None`: it lives.
    dies: Option<Moment>,
    sends: usize,
    looks: usize,
    /// The key of each thing that is there, and when it came.
    there: Vec<(String, Time)>,
}

impl State {
    /// A request arrives: one that the receiver knows again makes no second thing.
    fn take(&mut self, key: &str) {
        self.sends += 1;
        let (class, now) = (self.class, self.now);
        let knows = |since: Time| match class {
            Class::Deterministic | Class::TwoPhase => true,
            Class::Keyed { window, .. } => now.since(since) < window,
            Class::LookUp { .. } | Class::Blind => false,
        };
        if !self.there.iter().any(|(known, at)| known == key && knows(*at)) {
            self.there.push((key.to_owned(), now));
        }
    }
}

impl Receiver {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }
}

#[derive(Clone)]
struct App {
    receiver: Receiver,
    dead: Arc<Notify>,
}

impl App {
    /// Here the process dies, if it is the moment: it says nothing any more.
    async fn reach(&self, moment: Moment) {
        if self.receiver.with(|it| it.dies == Some(moment)) {
            self.dead.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

async fn handler(ctx: Context<App>) -> Outcome {
    let app = ctx.app().clone();
    app.reach(Moment::Claimed).await;
    let (class, resend) = app.receiver.with(|it| (it.class, it.resend));
    let effect = ctx.effect("post", "hello".to_owned()).class(class).timeout(Duration::from_secs(10));
    let effect = if resend { effect.resend() } else { effect };
    effect.freeze().await?;
    app.reach(Moment::Frozen).await;
    let send = async |intent: onceward::Intent<String>| {
        app.reach(Moment::Intended).await;
        app.receiver.with(|it| it.take(&intent.key));
        app.reach(Moment::Taken).await;
        Ok(Receipt::id(intent.key))
    };
    let look = async |intent: onceward::Intent<String>| {
        app.receiver.with(|it| {
            it.looks += 1;
            let found = it.there.iter().any(|(key, _)| *key == intent.key);
            if found { Seen::Found(Receipt::id(intent.key)) } else { Seen::Absent }
        })
    };
    let looks = matches!(
        class,
        Class::TwoPhase | Class::LookUp { .. } | Class::Keyed { fallback: Fallback::LookUp { .. }, .. }
    );
    let receipt = if looks { effect.verify(look).send(send).await? } else { effect.send(send).await? };
    app.reach(Moment::Answered).await;
    Ok(receipt.into())
}

fn worker(store: &Store, app: &App) -> Tried<Worker> {
    Ok(Worker::builder(&store.once).register_fn("post", 1, app.clone(), handler).queue("blog", 5).build()?)
}

/// One job, one death, and then workers that live, until nothing moves any more. Gives what was seen.
async fn outlived(store: &Store, case: &Case, moment: Moment) -> Tried<String> {
    let nine = store.clock();
    let state = State {
        class: case.class,
        resend: case.resend,
        now: nine,
        dies: Some(moment),
        sends: 0,
        looks: 0,
        there: Vec::new(),
    };
    let app = App { receiver: Receiver(Arc::new(Mutex::new(state))), dead: Arc::default() };
    let id = store.once.enqueue(NewJob::untyped("blog", "post", "{}")).await?.id();
    let first = worker(store, &app)?;
    tokio::select! {
        () = app.dead.notified() => {}
        ended = first.run_until(std::future::pending()) => drop(ended?),
    }
    let left = app.receiver.with(|it| {
        it.dies = None;
        (std::mem::take(&mut it.sends), it.there.len())
    });
    let mut wait = case.back_after;
    for _ in 0..ROUNDS {
        let now = store.clock().after(wait);
        store.once.set_clock(now);
        app.receiver.with(|it| it.now = now);
        store.once.keep_house(Duration::from_hours(90 * 24)).await?;
        worker(store, &app)?.run_until_idle().await?;
        wait = A_WHILE;
    }
    let job = store.once.job(id).await?;
    Ok(app.receiver.with(|it| said(&job, left.1, it)))
}

/// What became of it, in words: `there` things were there when the process died.
fn said(job: &JobView, there: usize, after: &State) -> String {
    let came = match (job.state, after.there.len()) {
        (JobState::Done, count) => format!("**{}**", ["never there", "once", "twice"][count.min(2)]),
        (JobState::InDoubt, 0) if job.check_at.is_none() => "a person is asked; it is not there".to_owned(),
        (JobState::InDoubt, 1) if job.check_at.is_none() => "a person is asked; it is there, once".to_owned(),
        (state, count) => format!("{} with {count} there", state.as_str()),
    };
    let how = match (after.sends, after.looks) {
        (0, 0) => None,
        (0, _) => Some("a look finds it"),
        (1, 0) if there > 0 => Some("sent again"),
        (1, 0) => Some("sent"),
        (1, _) => Some("looks find nothing; sent"),
        _ => Some("sent more than once"),
    };
    how.map_or(came.clone(), |how| format!("{how}: {came}"))
}

pub(crate) async fn what_a_death_at_each_moment_leads_to_is_what_the_page_says(store: &Store) -> Verdict {
    store.once.set_clock("2026-12-01T09:00:00Z".parse()?);
    let cases = cases();
    let mut rows = Vec::new();
    for (moment, name) in MOMENTS {
        for case in &cases {
            let seen = outlived(store, case, moment).await?;
            rows.push((name, case.name, seen));
        }
    }
    let open = store.once.jobs(&Filter::state(JobState::Running), 10, None).await?.items;
    assert_eq!(open, [], "what is not over is known of");
    let twice: Vec<_> = rows.iter().filter(|(.., seen)| seen.contains("twice")).collect();
    assert!(twice.iter().all(|(_, case, _)| case.contains("resend")), "{twice:?}");
    let head: Vec<&str> = std::iter::once("class").chain(MOMENTS.iter().map(|(_, name)| *name)).collect();
    let row = |case: &Case| {
        let cells = rows.iter().filter(|(_, of, _)| *of == case.name).map(|(.., seen)| seen.clone());
        std::iter::once(case.name.to_owned()).chain(cells).collect()
    };
    let table = page::table(&head, &cases.iter().map(row).collect::<Vec<_>>());
    page::holds(Path::new(PAGE), "deaths", &table)
}
