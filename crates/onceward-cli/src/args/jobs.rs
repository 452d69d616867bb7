//! `onceward jobs`.

use clap::{Args, Subcommand, ValueEnum};

use super::select::{Bulk, Filter, Page};

/// What to do with jobs.
#[derive(Debug, Subcommand)]
pub(crate) enum JobsVerb {
    /// Lists jobs, the newest first
    #[command(
        after_help = "Examples:\n  onceward jobs list --state pending --queue mail\n  onceward jobs list --error http_422 --since 2h"
    )]
    List {
        #[command(flatten)]
        which: JobFilter,
        #[command(flatten)]
        page: Page,
    },
    /// Shows one job's whole life: tries, errors, effects
    Show {
        /// The job's id
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Cancels jobs; what was already sent stays sent, and the answer says so
    Cancel(Bulk),
    /// Runs waiting jobs now instead of later
    RunNow(Bulk),
    /// Lets held jobs go
    Release(Bulk),
}

/// Jobs by state and by what they have in common.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobFilter {
    /// Only jobs in these states
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub(crate) state: Vec<JobState>,
    #[command(flatten)]
    pub(crate) filter: Filter,
}

/// The states of a job; the words of tables are taken too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum JobState {
    /// Waits for its time, or is held
    #[value(alias = "waiting")]
    Pending,
    /// A worker has it
    #[value(alias = "sending")]
    Running,
    /// The effect happened
    Done,
    /// Gave up
    #[value(alias = "failed")]
    Dead,
    /// May have happened
    #[value(aliases = ["unsure", "in-doubt"])]
    InDoubt,
    /// Someone said no before it happened
    Cancelled,
}
