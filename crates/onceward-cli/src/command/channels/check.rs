//! `onceward channels check`: whether a channel could be sent to, without sending anything.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onceward::Page;
use onceward_publish::channels::webhook::Key;
use secrecy::ExposeSecret;
use serde::Serialize;
use tokio::net::TcpStream;

use crate::command::Run;
use crate::config::{Archive, Channel, Config, Feed, Settings, Webhook};
use crate::exit::Exit;
use crate::output::{Cell, Grid, Shown};
use crate::publishing;
use crate::stop::Stop;

/// A server that does not take a connection within this time is not there.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was found at one channel.
#[derive(Debug, Serialize)]
struct Item {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    ok: bool,
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize)]
struct Problem {
    code: Cow<'static, str>,
    text: String,
}

impl Problem {
    fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code: code.into(), text: text.into() }
    }
}

/// Checks these channels and groups, or all.
pub(in crate::command) async fn check(run: &Run, names: &[String]) -> Result<Exit, Stop> {
    run.with_secrets(async |config, _| checked(run, config, names).await).await
}

async fn checked(run: &Run, config: &Config, names: &[String]) -> Result<Exit, Stop> {
    let wanted = config.resolve(names.iter().map(String::as_str));
    let wanted = wanted.map_err(|unknown| Stop::failed("not_found", unknown.text))?;
    let mut items = Vec::new();
    for channel in config.channels.iter().filter(|channel| names.is_empty() || wanted.contains(&channel.name))
    {
        let problems = problems(channel, config).await;
        let ok = problems.is_empty();
        items.push(Item { name: channel.name.clone(), kind: channel.kind, ok, problems });
    }
    let page = Page { items, next: None };
    run.output.answer(&page, || table(&page.items).show(&run.output))?;
    Ok(if page.items.iter().all(|item| item.ok) { Exit::Fine } else { Exit::Failed })
}

fn table(items: &[Item]) -> Grid {
    let mut grid = Grid::new(["channel", "type", "check"]);
    for item in items {
        let said = match item.problems.as_slice() {
            [] => format!("{} ready", Shown::Done.shape()),
            problems => {
                let texts: Vec<_> = problems.iter().map(|problem| problem.text.as_str()).collect();
                format!("{} {}", Shown::Dead.shape(), texts.join("; "))
            }
        };
        grid.row([Cell::Whole(item.name.clone()), item.kind.into(), Cell::Whole(said)]);
    }
    grid
}

async fn problems(channel: &Channel, config: &Config) -> Vec<Problem> {
    match &channel.settings {
        Settings::Feed(Feed { path, .. }) => writable(path.parent().unwrap_or(path)).into_iter().collect(),
        Settings::Archive(Archive { path, page, .. }) => {
            let page = page.as_deref().and_then(readable);
            writable(path).into_iter().chain(page).collect()
        }
        Settings::Webhook(hook) => webhook(hook, channel, config).await,
        _ => asked(channel, config).await,
    }
}

/// What the platform itself says.
async fn asked(channel: &Channel, config: &Config) -> Vec<Problem> {
    let adapter = match publishing::channel(channel, config) {
        Ok(configured) => configured.adapter,
        Err(stop) => return vec![Problem::new(stop.code, stop.text)],
    };
    let adapter = match adapter {
        Ok(adapter) => adapter,
        Err(lacking) => return vec![Problem::new("secret_missing", lacking)],
    };
    match adapter.check().await {
        Ok(_) => Vec::new(),
        Err(failure) => {
            let cause = failure.cause();
            vec![Problem { code: cause.code.clone(), text: cause.text.clone() }]
        }
    }
}

/// Whether files can be made in a folder, or the folder itself in the nearest one that is there.
fn writable(folder: &Path) -> Option<Problem> {
    let there: PathBuf = folder.ancestors().find(|above| above.exists())?.to_owned();
    if !there.is_dir() {
        return Some(Problem::new("not_a_folder", format!("{} is no folder", there.display())));
    }
    // Made unnamed and gone at once; only the file system can say whether it takes files.
    let made = tempfile::tempfile_in(&there);
    made.err().map(|error| Problem::new("not_writable", format!("{}: {error}", there.display())))
}

fn readable(file: &Path) -> Option<Problem> {
    let opened = std::fs::File::open(file);
    opened.err().map(|error| Problem::new("not_readable", format!("{}: {error}", file.display())))
}

async fn webhook(hook: &Webhook, channel: &Channel, config: &Config) -> Vec<Problem> {
    let secret = match hook.secret.resolve(&config.env, &config.folder) {
        Err(lacking) => Some(Problem::new("secret_missing", format!("secret: {lacking}"))),
        Ok(secret) => Key::parse(secret.expose_secret())
            .err()
            .map(|error| Problem::new("secret_invalid", format!("secret: {error}"))),
    };
    let patience = channel.timeout.min(PATIENCE);
    secret.into_iter().chain(reachable(hook.url.as_str(), patience).await).collect()
}

/// Connects and hangs up: not a byte is sent.
async fn reachable(url: &str, patience: Duration) -> Option<Problem> {
    let url = url::Url::parse(url).ok()?;
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    // An IPv6 literal stands in brackets in a URL, and without them everywhere else.
    let name = host.trim_start_matches('[').trim_end_matches(']');
    match tokio::time::timeout(patience, TcpStream::connect((name, port))).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(Problem::new("unreachable", format!("{host}:{port}: {error}"))),
        Err(_) => {
            Some(Problem::new("unreachable", format!("{host}:{port}: no connection within {patience:?}")))
        }
    }
}
