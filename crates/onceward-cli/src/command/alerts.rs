//! `onceward alerts`.

use onceward::time::duration;
use onceward::{AlertRule, AlertStanding, JobId, State, Time};
use onceward_publish::{Publisher, Standing};
use serde_json::{Value, json};

use super::Run;
use crate::alerting;
use crate::args::AlertsVerb;
use crate::config::advice;
use crate::exit::{self, Exit, Totals};
use crate::output::{self, Cell, Grid, Shown, relative};
use crate::publishing;
use crate::stop::Stop;
use crate::store::Store;

const NONE: &str = "no alert is configured; add one to onceward.toml, such as:\n\n  [[alerts]]\n  name = \"ops\"\n  channel = \"hook\"";

pub(crate) async fn run(run: &Run, verb: &AlertsVerb) -> Result<Exit, Stop> {
    run.with_store(async |store| match verb {
        AlertsVerb::List => list(run, store).await,
        AlertsVerb::Test { names } => test(run, store, names).await,
    })
    .await
}

async fn list(run: &Run, store: &Store) -> Result<Exit, Stop> {
    let rules = alerting::rules(&store.config);
    let standings = store.once.alerts(&rules).await?;
    let both: Vec<_> = rules.iter().zip(&standings).collect();
    let items: Vec<Value> = both.iter().map(|(rule, standing)| item(rule, standing)).collect();
    run.output.answer(&output::list(&items, None), || match both.as_slice() {
        [] => NONE.to_owned(),
        both => table(both).show(&run.output),
    })?;
    Ok(Exit::Fine)
}

fn item(rule: &AlertRule, standing: &AlertStanding) -> Value {
    let mut item = json!(standing);
    item["channel"] = json!(rule.queue);
    item["on"] = json!(rule.on);
    item["only"] = json!(rule.only);
    item["backlog"] = json!(duration::format(rule.backlog));
    item["relay_lag"] = json!(duration::format(rule.relay_lag));
    item["every"] = json!(duration::format(rule.every));
    item
}

fn table(rules: &[(&AlertRule, &AlertStanding)]) -> Grid {
    let mut grid = Grid::new(["alert", "channel", "at most every", "messages", "last", "now"]);
    let now = Time::now();
    for (rule, standing) in rules {
        let last = standing.told_at.map(|at| relative(at, now));
        let waits =
            standing.job.filter(|_| standing.on_its_way).map(|job| format!("job {job} is on its way"));
        let said = standing.open.iter().cloned().chain(waits).collect::<Vec<_>>().join("; ");
        grid.row([
            Cell::Whole(rule.name.clone()),
            Cell::Whole(rule.queue.clone()),
            duration::format(rule.every).as_str().into(),
            Cell::Number(u64::try_from(standing.messages).unwrap_or(0)),
            Cell::maybe(last),
            Cell::Text(if said.is_empty() { "nothing to tell".to_owned() } else { said }),
        ]);
    }
    grid
}

async fn test(run: &Run, store: &Store, names: &[String]) -> Result<Exit, Stop> {
    let rules = named(alerting::rules(&store.config), names)?;
    let publisher = publishing::publisher(&store.config, &store.once).await?;
    store.define_queues().await?;
    let mut jobs = Vec::with_capacity(rules.len());
    for rule in &rules {
        jobs.push(store.once.test_alert(rule).await?);
    }
    let stopped = alerting::deliver(run, store, &publisher, &jobs).await?;
    let sent = sent(&publisher, &rules, &jobs).await?;
    let items: Vec<Value> = sent.iter().map(Sent::document).collect();
    run.output.answer(&output::list(&items, None), || match sent.as_slice() {
        [] => NONE.to_owned(),
        sent => results(sent).show(&run.output),
    })?;
    let totals = totals(&sent);
    if let Some(call) = exit::call(&totals) {
        output::call(&call);
    }
    Ok(stopped.unwrap_or_else(|| exit::of(&totals)))
}

/// All names are known before the first message is made.
fn named(rules: Vec<AlertRule>, names: &[String]) -> Result<Vec<AlertRule>, Stop> {
    let known = || rules.iter().map(|rule| rule.name.as_str());
    if let Some(name) = names.iter().find(|name| !known().any(|it| it == *name)) {
        let text = match rules.len() {
            0 => format!("no alert is called `{name}`: none is configured"),
            _ => format!("no alert is called `{name}`; {}", advice(name, known())),
        };
        return Err(Stop::usage("not_found", text));
    }
    Ok(rules.into_iter().filter(|rule| names.is_empty() || names.contains(&rule.name)).collect())
}

/// What became of a test.
struct Sent<'a> {
    rule: &'a AlertRule,
    job: JobId,
    standing: Option<Standing>,
    /// This process has all that the channel needs.
    ready: bool,
}

async fn sent<'a>(
    publisher: &Publisher,
    rules: &'a [AlertRule],
    jobs: &[JobId],
) -> Result<Vec<Sent<'a>>, Stop> {
    let mut standings = publisher.standing(jobs).await?;
    let sent = |(rule, job): (&'a AlertRule, &JobId)| {
        let at = standings.iter().position(|it| it.id == *job);
        let standing = at.map(|at| standings.swap_remove(at));
        Sent { rule, job: *job, standing, ready: publisher.is_ready(&rule.queue) }
    };
    Ok(rules.iter().zip(jobs).map(sent).collect())
}

impl Sent<'_> {
    fn state(&self) -> State {
        self.standing.as_ref().map_or(State::Done, |it| it.state)
    }

    fn url(&self) -> Option<&str> {
        self.standing.as_ref()?.url.as_deref()
    }

    /// Why it did not arrive.
    fn note(&self) -> Option<String> {
        let standing = self.standing.as_ref()?;
        let error = standing.error.as_ref().map(|error| error.text.clone());
        match self.state() {
            State::Done => None,
            State::Pending if !self.ready => {
                Some(format!("this process cannot send there: onceward channels check {}", self.rule.queue))
            }
            State::Pending if error.is_none() => Some("waits: onceward status says for what".to_owned()),
            _ => error,
        }
    }

    fn document(&self) -> Value {
        json!({
            "name": self.rule.name, "channel": self.rule.queue, "id": self.job, "state": self.state(),
            "url": self.url(), "note": self.note(),
        })
    }
}

fn results(sent: &[Sent<'_>]) -> Grid {
    let mut grid = Grid::new(["alert", "channel", "state", "link", "note"]);
    for it in sent {
        grid.row([
            Cell::Whole(it.rule.name.clone()),
            Cell::Whole(it.rule.queue.clone()),
            Shown::of(it.state().as_str()).map_or(Cell::Empty, Cell::State),
            it.url().map_or(Cell::Empty, |url| Cell::Whole(url.to_owned())),
            Cell::maybe(it.note()),
        ]);
    }
    grid
}

fn totals(sent: &[Sent<'_>]) -> Totals {
    let mut totals = Totals::default();
    for it in sent {
        let parked = it.standing.as_ref().is_some_and(|it| it.check_at.is_none());
        *match it.state() {
            State::Dead => &mut totals.dead,
            State::InDoubt if parked => &mut totals.in_doubt,
            State::InDoubt => &mut totals.checking,
            State::Pending | State::Running => &mut totals.pending,
            State::Done | State::Cancelled => &mut totals.done,
        } += 1;
    }
    totals
}
