//! `onceward sandbox`.

use std::path::PathBuf;

use clap::Args;

const HELP: &str = "\
Examples:
  onceward sandbox                              every platform there is, on a free port
  onceward sandbox --platforms mastodon,slack   only these
  onceward sandbox --faults night.toml          with faults, such as:

    [[fault]]
    platform = \"mastodon\"
    act = \"post\"
    skip = 14
    times = 1
    kind = \"accept_then_reset\"

It prints what to write into onceward.toml, shows on its page what arrived, and runs until Ctrl-C.";

/// Which stand-ins run, where, and what they do wrong.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Sandbox {
    /// Only these platforms
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) platforms: Vec<String>,
    /// A TOML file of faults: what goes wrong, with which requests, how often
    #[arg(long, value_name = "FILE")]
    pub(crate) faults: Option<PathBuf>,
    /// The port on 127.0.0.1; else a free one
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// A file that keeps what was received, so that a later sandbox goes on with it
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
}
