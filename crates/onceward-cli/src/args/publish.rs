//! `onceward publish`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use onceward::time::duration;

const HELP: &str = "\
Examples:
  onceward publish posts/*.md                      to the channels that each file names
  onceward publish launch.md --to mastodon,blog    to these, whatever the file names
  onceward publish launch.md --at \"2026-12-01 09:00\"
  onceward publish posts/*.md --dry-run            shows every text as it would be sent, and when
  onceward publish posts/*.md --sandbox            rehearses it with stand-ins for the platforms

It may be run again at any time, after a crash too: what is done is skipped, what was edited
before it left is updated, and what is unclear is looked up instead of sent twice.";

/// Which contents go where, when, and how carefully.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = HELP)]
pub(crate) struct Publish {
    /// Markdown files with front matter
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Channels or groups, instead of those that the files name
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) to: Vec<String>,
    /// When to send, instead of the file's time: with an offset, or in the zone of [publish]
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Holds the jobs until `onceward contents release ID`
    #[arg(long)]
    pub(crate) hold: bool,
    /// Stops after the jobs are in the queue; a worker sends them
    #[arg(long, conflicts_with = "patience")]
    pub(crate) enqueue_only: bool,
    /// Shows each text with its length, and when it would go out; sends nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Goes on with the other files when some are refused
    #[arg(long)]
    pub(crate) skip_refused: bool,
    /// Sends contents again that died before anything left
    #[arg(long)]
    pub(crate) revive: bool,
    /// Publishes one file once more, on purpose, under a new id
    #[arg(long, value_name = "ID")]
    pub(crate) as_new: Option<String>,
    /// Ends when nothing has moved for this long; the next run, or a worker, goes on
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration::parse)]
    pub(crate) patience: Duration,
    /// Agrees to an unusually large number of new jobs
    #[arg(long)]
    pub(crate) yes: bool,
    /// Rehearses: every channel leads to a stand-in on this machine; no secret is needed, nothing is published
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) sandbox: bool,
    /// A TOML file of faults for the stand-ins: see `onceward sandbox --help`
    #[arg(long, value_name = "FILE", requires = "sandbox")]
    pub(crate) faults: Option<PathBuf>,
}
