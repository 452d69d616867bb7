//! `onceward queues`, and the pausing of channels, whose queues bear their names.

use onceward::{Page, QueueView, Time};
use serde::Serialize;

use super::Run;
use crate::args::{QueuesVerb, Which};
use crate::config::{Channel, Config, advice};
use crate::exit::Exit;
use crate::line;
use crate::output::{Cell, Grid, Shown, plain, relative};
use crate::stop::Stop;
use crate::store::Store;

/// Why, when a person did it.
const REASON: &str = "paused by hand";
/// How the reason begins when the queue's peer refused our credentials.
const REFUSED: &str = "auth_needed: ";

pub(crate) async fn run(run: &Run, verb: &QueuesVerb) -> Result<Exit, Stop> {
    if matches!(verb, QueuesVerb::List) {
        return run.with_existing(async |store| list(run, store).await).await;
    }
    run.with_store(async |store| match verb {
        QueuesVerb::List => list(run, store).await,
        QueuesVerb::Pause(which) => order(run, store, &names(store, which).await?, Order::Pause).await,
        QueuesVerb::Resume(which) => order(run, store, &names(store, which).await?, Order::Resume).await,
    })
    .await
}

async fn list(run: &Run, store: &Store) -> Result<Exit, Stop> {
    store.define_queues().await?;
    let page = Page { items: store.once.queues().await?, next: None };
    run.output.answer(&page, || match page.items.as_slice() {
        [] => "no queue yet; the first job makes one, or [queues.NAME] in the configuration".to_owned(),
        queues => table(queues, &store.config, Time::now()).show(&run.output),
    })?;
    Ok(Exit::Fine)
}

fn table(queues: &[QueueView], config: &Config, now: Time) -> Grid {
    let mut grid = Grid::new(["queue", "waiting", "sending", "at once", "rate", "state"]);
    for queue in queues {
        grid.row([
            Cell::Whole(queue.name.clone()),
            Cell::Number(queue.figures.pending),
            Cell::Number(queue.figures.running),
            queue.settings.concurrency.map_or(Cell::Empty, |most| Cell::Number(most.into())),
            Cell::maybe(queue.settings.rate.map(|rate| rate.to_string())),
            Cell::maybe(held_back(queue, config, now)),
        ]);
    }
    grid
}

/// What holds a queue back as a whole, if anything does; and the way out, where a person must go it.
pub(super) fn held_back(queue: &QueueView, config: &Config, now: Time) -> Option<String> {
    let shape = Shown::Paused.shape();
    if let Some(pause) = &queue.paused {
        let way =
            if pause.reason.starts_with(REFUSED) { way_out(&queue.name, config) } else { String::new() };
        return Some(format!("{shape} paused {}: {}{way}", relative(pause.since, now), pause.reason));
    }
    let circuit = queue.circuit.filter(|circuit| circuit.state != "closed");
    if let Some(circuit) = circuit {
        let next =
            circuit.until.map_or_else(String::new, |until| format!(", tried again {}", relative(until, now)));
        return Some(format!("{shape} its peer is down{next}"));
    }
    let until = queue.not_before.filter(|until| *until > now)?;
    Some(format!("{shape} its peer asked to wait; goes on {}", relative(until, now)))
}

fn way_out(queue: &str, config: &Config) -> String {
    match line::lines(config).into_iter().find(|line| line.name == queue).and_then(|line| line.channel) {
        None => format!("; renew the credentials, then: onceward queues resume {queue}"),
        Some(channel) if config.channel(&channel).is_some_and(|it| it.stored().next().is_some()) => {
            format!(
                "; renew them: onceward channels login {channel}; then: onceward channels resume {channel}"
            )
        }
        Some(channel) => {
            let keys: Vec<_> = config.channel(&channel).into_iter().flat_map(Channel::secret_keys).collect();
            format!("; renew its {}, then: onceward channels resume {channel}", keys.join(", "))
        }
    }
}

/// What a person asks of queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Pause,
    Resume,
}

/// All names are known before the first queue is touched.
async fn names(store: &Store, which: &Which) -> Result<Vec<String>, Stop> {
    store.define_queues().await?;
    let known: Vec<String> = store.once.queues().await?.into_iter().map(|queue| queue.name).collect();
    if which.all {
        return Ok(known);
    }
    all_known("queue", &which.names, &known)?;
    Ok(which.names.clone())
}

/// Fails on the first name that is not among those of its kind.
pub(super) fn all_known(kind: &str, names: &[String], known: &[String]) -> Result<(), Stop> {
    let Some(name) = names.iter().find(|name| !known.contains(name)) else { return Ok(()) };
    let way = match known {
        [] => "there is none".to_owned(),
        _ => advice(name, known.iter().map(String::as_str)),
    };
    Err(Stop::usage("not_found", format!("no {kind} is called `{name}`; {way}")))
}

/// The queues of channels and groups by name, or of every configured channel.
pub(super) async fn channels(store: &Store, which: &Which) -> Result<Vec<String>, Stop> {
    store.define_queues().await?;
    let found = store.config.resolve(which.names.iter().map(String::as_str));
    let wanted = found.map_err(|unknown| Stop::usage("not_found", unknown.text))?;
    let mut queues = line::lines(&store.config);
    queues.retain(|line| line.channel.as_ref().is_some_and(|it| which.all || wanted.contains(it)));
    Ok(queues.into_iter().map(|line| line.name).collect())
}

#[derive(Debug, Serialize)]
struct Item {
    name: String,
    paused: bool,
    changed: bool,
}

/// Pauses or resumes, and says what it changed.
pub(super) async fn order(run: &Run, store: &Store, names: &[String], order: Order) -> Result<Exit, Stop> {
    let mut items = Vec::new();
    for name in names {
        let changed = match order {
            Order::Pause => store.once.pause_queue(name, REASON).await?,
            Order::Resume => store.once.resume_queue(name).await?,
        };
        items.push(Item { name: name.clone(), paused: order == Order::Pause, changed });
    }
    let page = Page { items, next: None };
    run.output.answer(&page, || page.items.iter().map(words).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Fine)
}

fn words(item: &Item) -> String {
    let text = match (item.paused, item.changed) {
        (true, true) => format!("paused {}; what runs goes on", item.name),
        (true, false) => format!("{} was paused already", item.name),
        (false, true) => format!("resumed {}", item.name),
        (false, false) => format!("{} was not paused", item.name),
    };
    plain(&text)
}
