//! `onceward channels check`: whether a channel could be sent to, without sending anything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use onceward::{Cause, Failure, Page};
use onceward_http::Client;
use onceward_publish::channel::{Channel as Adapter, Checked};
use onceward_publish::vault::Sessions;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::command::Run;
use crate::config::{Channel, Config};
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown};
use crate::publishing;
use crate::stop::Stop;

/// Who has not answered by then is out of reach. All are asked at once.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was found at one channel.
#[derive(Debug, Serialize)]
struct Item {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    ok: bool,
    /// The account at the other end.
    account: Option<String>,
    /// What was found, when all is well.
    text: Option<String>,
    problems: Vec<Finding>,
    /// What may be meant, and may be a mistake.
    warnings: Vec<Finding>,
}

#[derive(Debug, Clone, Serialize)]
struct Finding {
    code: String,
    text: String,
}

type Found = Result<Checked, Vec<Finding>>;

impl Finding {
    fn new(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self { code: code.into(), text: text.into() }
    }
}

/// Checks these channels and groups, or all.
pub(in crate::command) async fn check(run: &Run, names: &[String]) -> Result<Exit, Stop> {
    run.with_secrets(async |config, _| checked(run, config, names).await).await
}

async fn checked(run: &Run, config: &Config, names: &[String]) -> Result<Exit, Stop> {
    let wanted = config.resolve(names.iter().map(String::as_str));
    let wanted = wanted.map_err(|unknown| Stop::usage("not_found", unknown.text))?;
    let all = config.channels.iter();
    let chosen: Vec<&Channel> =
        all.filter(|channel| names.is_empty() || wanted.contains(&channel.name)).collect();
    let found = ask(&chosen, config).await?;
    let mut items: Vec<Item> =
        chosen.iter().zip(found).map(|(channel, found)| Item::of(channel, found)).collect();
    warn_of_doubles(&mut items);
    let page = Page { items, next: None };
    run.output.answer(&page, || table(&page.items).show(&run.output))?;
    Ok(if page.items.iter().all(|item| item.ok) { Exit::Fine } else { Exit::Failed })
}

/// Asks all at once; the answers are in the order of the channels.
async fn ask(channels: &[&Channel], config: &Config) -> Result<Vec<Found>, Stop> {
    let client = publishing::client(config)?;
    let (mut asked, mut found) = (JoinSet::new(), BTreeMap::new());
    for (at, channel) in channels.iter().enumerate() {
        match ready(channel, config, &client) {
            Ok(adapter) => drop(asked.spawn(async move { (at, one(&*adapter).await) })),
            Err(problems) => drop(found.insert(at, Err(problems))),
        }
    }
    found.extend(asked.join_all().await);
    Ok(found.into_values().collect())
}

/// The channel's adapter, or what the configuration lacks for it.
fn ready(channel: &Channel, config: &Config, client: &Client) -> Result<Arc<dyn Adapter>, Vec<Finding>> {
    let lacking = channel.lacking(config);
    if lacking.is_empty() {
        return publishing::adapter(channel, config, client, &Sessions::in_memory(None))
            .map_err(|stop| vec![Finding::new(stop.code, stop.text)]);
    }
    Err(lacking.iter().map(|(key, why)| Finding::new(why.code, format!("{key}: {why}"))).collect())
}

async fn one(adapter: &dyn Adapter) -> Found {
    let late = || Failure::transient(Cause::new("unreachable", format!("no answer within {PATIENCE:?}")));
    let checked = tokio::time::timeout(PATIENCE, adapter.check()).await.unwrap_or_else(|_| Err(late()));
    checked.map_err(|failure| {
        let cause = failure.cause();
        vec![Finding::new(cause.code.as_ref(), cause.text.as_str())]
    })
}

impl Item {
    fn of(channel: &Channel, found: Found) -> Self {
        let (checked, problems) = match found {
            Ok(checked) => (Some(checked), Vec::new()),
            Err(problems) => (None, problems),
        };
        let (account, text) = checked.map_or((None, None), |it| (it.account, Some(it.text)));
        let (name, kind, ok) = (channel.name.clone(), channel.kind, problems.is_empty());
        Self { name, kind, ok, account, text, problems, warnings: Vec::new() }
    }
}

/// Two channels that lead to one account post everything twice there, and no ledger sees it.
fn warn_of_doubles(items: &mut [Item]) {
    let leads = |item: &Item| Some((item.kind, item.account.clone()?, item.name.clone()));
    let all: Vec<_> = items.iter().filter_map(leads).collect();
    for item in items {
        let Some((kind, account, name)) = leads(item) else { continue };
        let others = all.iter().filter(|it| it.0 == kind && it.1 == account && it.2 != name);
        let others: Vec<&str> = others.map(|it| it.2.as_str()).collect();
        if !others.is_empty() {
            let text = format!("leads to the same account as {}: {account}", others.join(", "));
            item.warnings.push(Finding::new("same_account", text));
        }
    }
}

fn table(items: &[Item]) -> Grid {
    let mut grid = Grid::new(["channel", "type", "check"]);
    for item in items {
        let words = |findings: &[Finding]| {
            findings.iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("; ")
        };
        let mut said = match &item.text {
            Some(text) => format!("{} ready: {text}", Shown::Done.shape()),
            None => format!("{} {}", Shown::Dead.shape(), words(&item.problems)),
        };
        if !item.warnings.is_empty() {
            said = format!("{said}; {} {}", Shown::InDoubt.shape(), words(&item.warnings));
        }
        grid.row([Cell::Whole(item.name.clone()), item.kind.into(), Cell::Whole(said)]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_channels_that_lead_to_one_account_are_told() {
        let item = |name: &str, kind, account: Option<&str>| Item {
            name: name.to_owned(),
            kind,
            ok: true,
            account: account.map(str::to_owned),
            text: None,
            problems: Vec::new(),
            warnings: Vec::new(),
        };
        let (one, other) = (Some("@me@a.example"), Some("@me@b.example"));
        let mut items = vec![
            item("a", "mastodon", one),
            item("b", "mastodon", one),
            item("c", "mastodon", other),
            item("d", "webhook", one),
            item("e", "mastodon", None),
        ];
        warn_of_doubles(&mut items);
        let said: Vec<_> = items.iter().flat_map(|it| &it.warnings).map(|it| it.text.as_str()).collect();
        assert_eq!(
            said,
            [
                "leads to the same account as b: @me@a.example",
                "leads to the same account as a: @me@a.example"
            ]
        );
    }
}
