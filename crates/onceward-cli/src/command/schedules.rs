//! `onceward schedules`.

use onceward::schedule::next_after;
use onceward::time::zone;
use onceward::{JobId, Page, Schedule, ScheduleView, Time};
use serde::Serialize;

use super::Run;
use super::queues::{Order, all_known};
use crate::args::{SchedulesVerb, Which};
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown, plain, relative};
use crate::stop::Stop;
use crate::store::Store;

const NONE: &str = "no schedule yet; add one to onceward.toml, such as:\n\n  [[schedules]]\n  name = \"digest\"\n  \
                    cron = \"0 9 * * 1-5\"\n  timezone = \"Europe/Paris\"\n  queue = \"mail\"\n  kind = \"digest\"";

pub(crate) async fn run(run: &Run, verb: &SchedulesVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| match verb {
        SchedulesVerb::List => list(run, store).await,
        SchedulesVerb::RunNow { names } => run_now(run, store, names).await,
        SchedulesVerb::Pause(which) => order(run, store, which, Order::Pause).await,
        SchedulesVerb::Resume(which) => order(run, store, which, Order::Resume).await,
        SchedulesVerb::Remove { names } => remove(run, store, names).await,
    })
    .await
}

/// A schedule as it stands, or as it will when a worker has started.
#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    schedule: Schedule,
    paused_at: Option<Time>,
    next_fire_at: Option<Time>,
    last_fire_at: Option<Time>,
    /// The configuration that registered it last, if one did.
    owner: Option<String>,
    /// This configuration has it.
    configured: bool,
    /// The store has it as the configuration does.
    registered: bool,
}

/// What is configured, and what your programs registered. A look changes nothing.
async fn list(run: &Run, store: &Store) -> Result<Exit, Stop> {
    let (now, mut configured) = (Time::now(), store.configured_schedules());
    let mut items = Vec::new();
    for view in store.once.schedules().await? {
        let at = configured.iter().position(|it| it.name == view.schedule.name);
        items.push(match at {
            Some(at) => Listed { configured: true, ..listed(configured.remove(at), Some(&view), now) },
            None => listed(view.schedule.clone(), Some(&view), now),
        });
    }
    let new = |schedule| Listed { configured: true, ..listed(schedule, None, now) };
    items.extend(configured.into_iter().map(new));
    items.sort_by(|a, b| a.schedule.name.cmp(&b.schedule.name));
    let page = Page { items, next: None };
    run.output.answer(&page, || match page.items.as_slice() {
        [] => NONE.to_owned(),
        schedules => table(schedules, now).show(&run.output),
    })?;
    Ok(Exit::Fine)
}

fn listed(schedule: Schedule, view: Option<&ScheduleView>, now: Time) -> Listed {
    let registered = view.is_some_and(|view| view.schedule == schedule);
    let next_fire_at = match view {
        Some(view) if registered => view.next_fire_at,
        _ => next(&schedule, now),
    };
    Listed {
        paused_at: view.and_then(|view| view.paused_at),
        last_fire_at: view.and_then(|view| view.last_fire_at),
        next_fire_at,
        owner: view.and_then(|view| view.owner.clone()),
        configured: false,
        registered,
        schedule,
    }
}

/// Both were read before: by the configuration, or when it was registered.
fn next(schedule: &Schedule, now: Time) -> Option<Time> {
    next_after(&schedule.cron.parse().ok()?, &zone(&schedule.timezone).ok()?, now)
}

fn table(schedules: &[Listed], now: Time) -> Grid {
    let mut grid = Grid::new(["schedule", "cron", "time zone", "queue", "kind", "last", "next"]);
    for it in schedules {
        let Listed { schedule, paused_at, next_fire_at, last_fire_at, .. } = it;
        let paused =
            paused_at.map(|since| format!("{} paused {}", Shown::Paused.shape(), relative(since, now)));
        let next = next_fire_at.map(|at| format!("{}{}", relative(at, now), whose(it)));
        grid.row([
            Cell::Whole(schedule.name.clone()),
            Cell::Whole(schedule.cron.clone()),
            Cell::Whole(schedule.timezone.clone()),
            Cell::Whole(schedule.queue.clone()),
            Cell::Whole(schedule.kind.clone()),
            Cell::maybe(last_fire_at.map(|at| relative(at, now))),
            Cell::maybe(paused.or(next)),
        ]);
    }
    grid
}

/// What else there is to know of a schedule that is not this configuration's, or is not registered as it has it.
fn whose(it: &Listed) -> String {
    match &it.owner {
        _ if !it.registered => ", once `onceward work` has started".to_owned(),
        Some(owner) if !it.configured => format!(", as {owner} has it"),
        _ => String::new(),
    }
}

/// Those that are there. If one that is asked for is configured and not there yet, all are registered, as `work` does.
async fn present(run: &Run, store: &Store, names: &[String]) -> Result<Vec<ScheduleView>, Stop> {
    let there = store.once.schedules().await?;
    let is_there = |name: &str| there.iter().any(|it| it.schedule.name == name);
    let asked = |name: &String| names.is_empty() || names.contains(name);
    let is_new = |it: &Schedule| asked(&it.name) && !is_there(&it.name);
    let there = if store.configured_schedules().iter().any(is_new) {
        store.put_schedules(run).await?;
        store.once.schedules().await?
    } else {
        there
    };
    all_there(&there, names)?;
    Ok(there)
}

fn all_there(schedules: &[ScheduleView], names: &[String]) -> Result<(), Stop> {
    let known: Vec<String> = schedules.iter().map(|it| it.schedule.name.clone()).collect();
    all_known("schedule", names, &known)
}

#[derive(Debug, Serialize)]
struct Ran {
    name: String,
    job: JobId,
}

async fn run_now(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    present(run, store, names).await?;
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
async fn order(run: &Run, store: &Store, which: &Which, order: Order) -> Result<Exit, Stop> {
    let mut items = Vec::new();
    for ScheduleView { schedule: Schedule { name, .. }, .. } in present(run, store, &which.names).await? {
        if which.all || which.names.contains(&name) {
            let changed = match order {
                Order::Pause => store.once.pause_schedule(&name).await?,
                Order::Resume => store.once.resume_schedule(&name).await?,
            };
            items.push(Item { name, paused: order == Order::Pause, changed, next_fire_at: None });
        }
    }
    if order == Order::Resume {
        for ScheduleView { schedule, next_fire_at, .. } in store.once.schedules().await? {
            if let Some(item) = items.iter_mut().find(|item| item.name == schedule.name) {
                item.next_fire_at = next_fire_at;
            }
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

/// Removes what another configuration left behind. What this one has would be back with the next worker.
async fn remove(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    let configured = store.configured_schedules();
    if let Some(it) = configured.iter().find(|it| names.contains(&it.name)) {
        let text = format!("{} is in {}; take it out there", it.name, store.config.file.display());
        return Err(Stop::usage("configured", text));
    }
    let there = store.once.schedules().await?;
    all_there(&there, names)?;
    let mut page = Page { items: Vec::new(), next: None };
    for ScheduleView { schedule: Schedule { name, .. }, owner, .. } in there {
        if names.contains(&name) {
            store.once.remove_schedule(&name).await?;
            page.items.push(Removed { name, owner });
        }
    }
    run.output.answer(&page, || page.items.iter().map(Removed::words).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Fine)
}

#[derive(Debug, Serialize)]
struct Removed {
    name: String,
    owner: Option<String>,
}

impl Removed {
    fn words(&self) -> String {
        let owner = self.owner.as_deref().unwrap_or("a program of yours");
        plain(&format!("removed {}, which {owner} had registered; jobs that it made stay", self.name))
    }
}
