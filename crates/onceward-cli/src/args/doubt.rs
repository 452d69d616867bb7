//! `onceward doubt`.

use clap::{Args, Subcommand};

use super::select::{Bulk, Filter, Kin, Page};

/// What to do with jobs that may have happened.
#[derive(Debug, Subcommand)]
pub(crate) enum DoubtVerb {
    /// Lists jobs in doubt, with what is known
    List {
        #[command(flatten)]
        filter: Filter,
        #[command(flatten)]
        page: Page,
    },
    /// Groups jobs in doubt by why they are
    Groups(Kin),
    /// Shows one job in doubt: what was sent, when, and what came back
    Show {
        /// The job's id
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Asks the platforms whether it happened: now, or as soon as a request can no longer be on its way
    Verify(Bulk),
    /// Settles jobs by hand, after you looked
    Resolve(Resolve),
}

const HELP: &str = "\
Examples:
  onceward doubt resolve 42 --happened --url https://social.example/@me/1   it is there: done
  onceward doubt resolve 42 --did-not-happen                                it is not there: send it
  onceward doubt resolve 42 --give-up                                       leave it: dead

While the platform may still show it late, --did-not-happen is refused, and the answer says until
when. After a restored backup it is said of jobs that still wait as well, so that they go out at
their time, and can be edited.";

/// Which jobs, and what you found.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Resolve {
    /// The jobs' ids
    #[arg(required = true, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) ids: Vec<i64>,
    #[command(flatten)]
    found: Found,
    /// Where it can be seen
    #[arg(long, value_name = "URL", conflicts_with_all = ["did_not_happen", "give_up"])]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Found {
    /// It happened
    #[arg(long)]
    happened: bool,
    /// It did not happen: send it again
    #[arg(long)]
    did_not_happen: bool,
    /// Nobody knows, and it shall not be sent again
    #[arg(long)]
    give_up: bool,
}

/// What a person found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Happened { url: Option<String> },
    DidNotHappen,
    GiveUp,
}

impl Resolve {
    /// The verdict; one address fits one job.
    pub(crate) fn verdict(&self) -> Result<Verdict, &'static str> {
        if self.url.is_some() && self.ids.len() != 1 {
            return Err("--url needs exactly one id");
        }
        Ok(match (self.found.happened, self.found.did_not_happen) {
            (true, _) => Verdict::Happened { url: self.url.clone() },
            (_, true) => Verdict::DidNotHappen,
            _ => Verdict::GiveUp,
        })
    }
}
