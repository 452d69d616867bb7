//! `onceward sandbox`: stand-ins that run until they are stopped.

mod snippet;

use std::path::{Path, PathBuf};

use onceward_publish::regular;
use onceward_sandbox::{FaultFile, Options, Sandbox};
use serde_json::{Value, json};

use super::Run;
use crate::args;
use crate::exit::Exit;
use crate::signal::Signals;
use crate::stop::Stop;

/// A file of faults has at most so many bytes.
const LONGEST: u64 = 1024 * 1024;

/// Runs until a signal.
pub(crate) async fn run(run: &Run, args: &args::Sandbox) -> Result<Exit, Stop> {
    let mut signals = Signals::catch()?;
    let sandbox = start(Options {
        port: args.port,
        platforms: (!args.platforms.is_empty()).then(|| args.platforms.clone()),
        faults: faults(args.faults.as_deref(), &run.here)?,
        state: args.state.as_ref().map(|file| run.here.join(file)),
    })
    .await?;
    run.output.answer(&document(&sandbox), || text(&sandbox))?;
    let exit = signals.next().await;
    sandbox.stop().await;
    Ok(exit)
}

/// A sandbox, or why there is none.
pub(super) async fn start(options: Options) -> Result<Sandbox, Stop> {
    Sandbox::start(options).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => Stop::usage("unknown_platform", error.to_string()),
        _ => Stop::failed("sandbox", format!("the sandbox cannot start: {error}")),
    })
}

/// The faults of a file; without one, none.
pub(super) fn faults(file: Option<&Path>, here: &Path) -> Result<FaultFile, Stop> {
    let Some(file) = file.map(|file| here.join(file)) else { return Ok(Options::default().faults) };
    let text = regular::text(&file, LONGEST).map_err(|error| Stop::at(&file, &error))?;
    FaultFile::parse(&text)
        .map_err(|error| Stop::usage("faults_invalid", format!("{}: {error}", file.display())))
}

const FILES: &str =
    "Feeds and archives need no stand-in: they write files on this machine, as they always do.";

/// Where each platform is: its name and its address.
fn places(sandbox: &Sandbox) -> Vec<(&'static str, String)> {
    sandbox.platforms().iter().map(|name| (*name, sandbox.url(name))).collect()
}

fn document(sandbox: &Sandbox) -> Value {
    let platforms: serde_json::Map<_, _> =
        places(sandbox).into_iter().map(|(name, url)| (name.to_owned(), json!(url))).collect();
    json!({
        "page": sandbox.url(""),
        "platforms": platforms,
        "config": snippet::config(&places(sandbox)),
        "env": snippet::env(&places(sandbox)),
    })
}

fn text(sandbox: &Sandbox) -> String {
    let places = places(sandbox);
    let width = places.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = places.iter().map(|(name, url)| format!("  {name:width$}  {url}")).collect();
    format!(
        "Stand-ins run until Ctrl-C. What they receive: {}\n{}\n\nFor onceward.toml:\n\n{}\nFor .env:\n\n{}\n{FILES}",
        sandbox.url(""),
        lines.join("\n"),
        snippet::config(&places),
        snippet::env(&places),
    )
}

/// The name of the file that keeps what a rehearsal sent, beside its store.
pub(super) fn ledger(folder: &Path) -> PathBuf {
    folder.join("onceward.sandbox.jsonl")
}
