//! `onceward schedules`.

use onceward::{JobId, Page, ScheduleView, Time};
use serde::Serialize;

use super::Run;
use crate::args::{SchedulesVerb, Which};
use crate::config::advice;
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown, plain, relative};
use crate::stop::Stop;
use crate::store::Store;

const NONE: &str = "no schedule yet; add one to onceward.toml, such as:\n\n  [[schedules]]\n  name = \"digest\"\n  \
                    cron = \"0 9 * * 1-5\"\n  timezone = \"Europe/Paris\"\n  queue = \"mail\"\n  kind = \"digest\"";

pub(crate) async fn run(run: &Run, verb: &SchedulesVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| {
        store.define_schedules().await?;
        match verb {
            SchedulesVerb::List => list(run, store).await,
            SchedulesVerb::RunNow { names } => run_now(run, store, names).await,
            SchedulesVerb::Pause(which) => order(run, store, which, true).await,
            SchedulesVerb::Resume(which) => order(run, store, which, false).await,
        }
    })
    .await
}

async fn list(run: &Run, store: &Store) -> Result<Exit, Stop> {
    let page = Page { items: store.once.schedules().await?, next: None };
    run.output.answer(&page, || match page.items.as_slice() {
        [] => NONE.to_owned(),
        schedules => table(schedules, Time::now()).show(&run.output),
    })?;
    Ok(Exit::Fine)
}

fn table(schedules: &[ScheduleView], now: Time) -> Grid {
    let mut grid = Grid::new(["schedule", "cron", "time zone", "queue", "kind", "last", "next"]);
    for ScheduleView { schedule, paused_at, next_fire_at, last_fire_at, .. } in schedules {
        let paused =
            paused_at.map(|since| format!("{} paused {}", Shown::Paused.shape(), relative(since, now)));
        grid.row([
            Cell::Whole(schedule.name.clone()),
            Cell::Whole(schedule.cron.clone()),
            Cell::Whole(schedule.timezone.clone()),
            Cell::Whole(schedule.queue.clone()),
            Cell::Whole(schedule.kind.clone()),
            Cell::maybe(last_fire_at.map(|at| relative(at, now))),
            Cell::maybe(paused.or_else(|| next_fire_at.map(|at| relative(at, now)))),
        ]);
    }
    grid
}

/// All names are known before the first schedule is touched.
fn known(schedules: &[ScheduleView], names: &[String]) -> Result<(), Stop> {
    let known = || schedules.iter().map(|it| it.schedule.name.as_str());
    match names.iter().find(|name| !known().any(|it| it == *name)) {
        None => Ok(()),
        Some(name) if schedules.is_empty() => {
            Err(Stop::usage("not_found", format!("no schedule is called `{name}`: there is none")))
        }
        Some(name) => {
            let advice = advice(name, known());
            Err(Stop::usage("not_found", format!("no schedule is called `{name}`; {advice}")))
        }
    }
}

#[derive(Debug, Serialize)]
struct Ran {
    name: String,
    job: JobId,
}

async fn run_now(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    known(&store.once.schedules().await?, names)?;
    let mut items = Vec::new();
    for name in names {
        items.push(Ran { name: name.clone(), job: store.once.run_schedule_now(name).await? });
    }
    let page = Page { items, next: None };
    let words =
        |it: &Ran| plain(&format!("{}: job {} is due now, once more than its times say", it.name, it.job));
    run.output.answer(&page, || page.items.iter().map(words).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Fine)
}

#[derive(Debug, Serialize)]
struct Item {
    name: String,
    paused: bool,
    changed: bool,
    next_fire_at: Option<Time>,
}

/// Pauses or resumes, and says what it changed.
async fn order(run: &Run, store: &Store, which: &Which, pause: bool) -> Result<Exit, Stop> {
    let before = store.once.schedules().await?;
    known(&before, &which.names)?;
    let mut items = Vec::new();
    for ScheduleView { schedule, .. } in before {
        if which.all || which.names.contains(&schedule.name) {
            let name = schedule.name;
            let changed = if pause {
                store.once.pause_schedule(&name).await?
            } else {
                store.once.resume_schedule(&name).await?
            };
            items.push(Item { name, paused: pause, changed, next_fire_at: None });
        }
    }
    for ScheduleView { schedule, next_fire_at, .. } in store.once.schedules().await? {
        if let Some(item) = items.iter_mut().find(|item| item.name == schedule.name && !pause) {
            item.next_fire_at = next_fire_at;
        }
    }
    let page = Page { items, next: None };
    let now = Time::now();
    run.output.answer(&page, || page.items.iter().map(|it| words(it, now)).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Fine)
}

fn words(item: &Item, now: Time) -> String {
    let next = item.next_fire_at.map_or_else(String::new, |at| format!("; next {}", relative(at, now)));
    let text = match (item.paused, item.changed) {
        (true, true) => format!("paused {}; its times pass until it is resumed", item.name),
        (true, false) => format!("{} was paused already", item.name),
        (false, true) => format!("resumed {}{next}", item.name),
        (false, false) => format!("{} was not paused{next}", item.name),
    };
    plain(&text)
}
