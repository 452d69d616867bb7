//! Each command in a file of its own; this one only sends them on their way.

mod alerts;
mod channels;
mod completions;
mod contents;
mod db;
mod dead;
mod doubt;
mod enqueue;
mod init;
mod jobs;
mod outbox;
mod publish;
mod queues;
mod sandbox;
mod schedules;
mod select;
mod status;
mod work;

use std::path::PathBuf;

use crate::args::{Command, Global};
use crate::config::{Config, Env};
use crate::exit::Exit;
use crate::output::Output;
use crate::stop::Stop;

/// What every command may look at.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) global: Global,
    pub(crate) output: Output,
    pub(crate) env: Env,
    /// The folder that the command was typed in.
    pub(crate) here: PathBuf,
}

impl Run {
    /// The configuration that is meant.
    pub(crate) fn config(&self) -> Result<Config, Stop> {
        let has_store = self.global.store.is_some();
        Ok(Config::open(self.global.config.as_deref(), has_store, self.env.clone(), &self.here)?)
    }
}

/// Does what was typed.
pub(crate) async fn run(command: Command, run: &Run) -> Result<Exit, Stop> {
    match command {
        Command::Init { folder } => init::run(run, &folder),
        Command::Work(args) => work::run(run, &args).await,
        Command::Enqueue(args) => enqueue::run(run, &args).await,
        Command::Status { watch } => status::run(run, watch).await,
        Command::Contents(verb) => contents::run(run, &verb).await,
        Command::Jobs(verb) => jobs::run(run, &verb).await,
        Command::Dead(verb) => dead::run(run, &verb).await,
        Command::Doubt(verb) => doubt::run(run, &verb).await,
        Command::Queues(verb) => queues::run(run, &verb).await,
        Command::Schedules(verb) => schedules::run(run, &verb).await,
        Command::Channels(verb) => channels::run(run, &verb).await,
        Command::Outbox(verb) => outbox::run(run, &verb).await,
        Command::Alerts(verb) => alerts::run(run, &verb).await,
        Command::Db(verb) => db::run(run, &verb).await,
        Command::Completions { shell } => completions::run(shell),
        Command::Sandbox(args) => sandbox::run(run, &args).await,
        Command::Publish(args) => publish::run(run, &args).await,
    }
}
