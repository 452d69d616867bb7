//! `onceward dead`.

use clap::{Args, Subcommand};
use onceward::pace::Rate;

use super::select::{Bulk, Filter, Kin, Page};

/// What to do with jobs that gave up.
#[derive(Debug, Subcommand)]
pub(crate) enum DeadVerb {
    /// Lists dead jobs with their last error
    List {
        #[command(flatten)]
        filter: Filter,
        /// Only discarded ones, whose `undiscard` is still possible
        #[arg(long)]
        discarded: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Groups dead jobs by what went wrong
    Groups(Kin),
    /// Shows one dead job's whole life
    Show {
        /// The job's id
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Gives dead jobs new tries
    Revive(Revive),
    /// Gives dead jobs up; for five minutes `undiscard` takes it back
    Discard(Bulk),
    /// Takes a discard back
    Undiscard(Bulk),
}

const HELP: &str = "\
Examples:
  onceward dead groups                                what went wrong, by cause
  onceward dead revive --error http_422 --dry-run     how many
  onceward dead revive --error http_422 --canary 5    five first; the rest if they are done
  onceward dead revive 42 --set-payload '{\"to\":\"b@example.org\"}'

A job whose effect may have happened is never revived together with others.";

/// Which jobs get new tries, and how fast.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Revive {
    #[command(flatten)]
    pub(crate) bulk: Bulk,
    /// At most this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// How fast, such as 5/s
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<Rate>,
    /// The first N, and the rest only if these do not fail again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) canary: Option<u32>,
    /// A new payload, for one job
    #[arg(long, value_name = "JSON")]
    pub(crate) set_payload: Option<String>,
    /// Sends one job again although it may have happened
    #[arg(long)]
    pub(crate) may_repeat: bool,
}

impl Revive {
    /// What only makes sense for one job needs one id.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let for_one = self.set_payload.is_some() || self.may_repeat;
        if for_one && self.bulk.ids.len() != 1 {
            return Err("--set-payload and --may-repeat need exactly one id");
        }
        self.bulk.target().map(drop)
    }
}
