//! Each command in a file of its own; this one only sends them on their way.

mod channels;
mod completions;
mod init;

use std::path::PathBuf;

use crate::args::{ChannelsVerb, Command, Global};
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
pub(crate) fn run(command: Command, run: &Run) -> Result<Exit, Stop> {
    match command {
        Command::Init { folder } => init::run(run, &folder),
        Command::Channels(ChannelsVerb::List) => channels::list(run),
        Command::Completions { shell } => completions::run(shell),
        _ => Err(Stop::failed("not_built", "this command is not built in this version yet")),
    }
}
