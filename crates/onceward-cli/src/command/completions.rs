//! `onceward completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;
use crate::output;
use crate::stop::Stop;

/// Prints the script for a shell.
pub(crate) fn run(shell: Shell) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "onceward", &mut script);
    output::raw(&script)?;
    Ok(Exit::Fine)
}
