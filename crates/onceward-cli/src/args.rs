//! The command line: nouns, then verbs. What a word means is said here, and nothing is done yet.

mod admin;
mod contents;
mod dead;
mod doubt;
mod enqueue;
mod jobs;
mod outbox;
mod publish;
mod sandbox;
mod select;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub(crate) use admin::{AlertsVerb, ChannelsVerb, DbVerb, Login, QueuesVerb, SchedulesVerb, Which, Work};
pub(crate) use contents::ContentsVerb;
pub(crate) use dead::{DeadVerb, Revive};
pub(crate) use doubt::{DoubtVerb, Resolve, Verdict};
pub(crate) use enqueue::{DedupFor, Enqueue, Payload};
pub(crate) use jobs::{JobFilter, JobState, JobsVerb};
pub(crate) use outbox::{OutboxVerb, RelayArgs, Replay, Rows};
pub(crate) use publish::Publish;
pub(crate) use sandbox::Sandbox;
pub(crate) use select::{Bulk, Filter, Kin, Page, Since, Target};

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "onceward",
    version,
    about = "Carries work from a database to the outside world once",
    long_about = "Carries work from a database to the outside world once: a post to many channels, a mail after a \
                  sign-up, a webhook after a payment. Run any command again; what is done stays done.",
    after_help = HELP,
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const HELP: &str = "\
First steps:
  onceward init my-blog                  a configuration, a first post, nothing to sign up for
  onceward publish posts/*.md            sends what is new, skips what is done
  onceward status                        says whether anything needs you

Exit codes:
  0  all done, scheduled for later, or nothing to do
  1  the program failed                  2  the command line or the configuration is wrong
  3  a job is dead                       4  a job is in doubt: only a person can settle it
  5  a job is due and not settled, or held
  130, 143  interrupted cleanly";

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The configuration; else `ONCEWARD_CONFIG`, else onceward.toml here or in a parent folder
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// The database, such as `sqlite://onceward.db`; else `ONCEWARD_STORE`, else the configuration's
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) store: Option<String>,
    /// Prints one JSON document, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Says less: only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Says more; twice for every step
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// Flags that mean one thing for a whole run: of two, one would be passed over in silence.
const ONCE: &[&str] = &["--store", "--config"];

/// The flag of these arguments that is there twice and must not be, before or after the command.
pub(crate) fn twice<'a>(args: impl Iterator<Item = &'a str> + Clone) -> Option<&'static str> {
    let flags = args.take_while(|arg| *arg != "--");
    let is = |arg: &str, flag: &str| {
        arg.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    ONCE.iter().copied().find(|flag| flags.clone().filter(|arg| is(arg, flag)).count() > 1)
}

/// When the output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a commented configuration, a first post and a .gitignore
    #[command(after_help = "Example:\n  onceward init my-blog\n\nNothing that exists is overwritten.")]
    Init {
        /// The folder, which is made if it is missing
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
    /// Sends content files to their channels, each once
    Publish(Publish),
    /// Looks at contents, cancels, moves and releases them on all their channels at once
    #[command(subcommand)]
    Contents(ContentsVerb),
    /// Runs jobs until it is stopped, or until nothing is due
    Work(Work),
    /// Puts one job, or many, into a queue
    Enqueue(Enqueue),
    /// Shows channels and queues by state, and whether anything needs a person
    #[command(after_help = "Exits with 0 when all is well, else with 4, 3 or 5: see `onceward --help`.")]
    Status {
        /// Goes on showing it whenever something changes, until Ctrl-C
        #[arg(long)]
        watch: bool,
    },
    /// Looks at jobs, cancels them, runs them earlier, releases held ones
    #[command(subcommand)]
    Jobs(JobsVerb),
    /// Looks at jobs that gave up, revives or discards them
    #[command(subcommand)]
    Dead(DeadVerb),
    /// Looks at jobs of which nobody knows whether they happened, and settles them
    #[command(subcommand)]
    Doubt(DoubtVerb),
    /// Lists, pauses and resumes queues
    #[command(subcommand)]
    Queues(QueuesVerb),
    /// Lists, pauses and resumes schedules, and runs them between their times
    #[command(subcommand)]
    Schedules(SchedulesVerb),
    /// Lists, checks, logs in to, pauses and resumes channels
    #[command(subcommand)]
    Channels(ChannelsVerb),
    /// Shows, runs and replays the relays of outboxes
    #[command(subcommand)]
    Outbox(OutboxVerb),
    /// Lists the rules by which people are told what went wrong, and tests them
    #[command(subcommand)]
    Alerts(AlertsVerb),
    /// Migrates, checks and backs up the database
    #[command(subcommand)]
    Db(DbVerb),
    /// Runs stand-ins for the platforms on this machine, with a page that shows what they received
    Sandbox(Sandbox),
    /// Prints a completion script for a shell
    #[command(
        after_help = "Example:\n  onceward completions bash > ~/.local/share/bash-completion/completions/onceward"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests;
