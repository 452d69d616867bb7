//! `onceward work`, `queues`, `schedules`, `channels`, `alerts` and `db`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use onceward::Time;

/// Which queues are worked on, and until when.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  onceward work                         until it is stopped (SIGTERM or Ctrl-C)\n  onceward work --until-idle            until nothing is due: for cron\n  onceward work --queues mail,blog      only these\n\nStopping is gentle: running jobs finish or are handed back. Killing it loses nothing either."
)]
pub(crate) struct Work {
    /// Only these queues and channels
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) queues: Vec<String>,
    /// Ends when nothing is due but what waits for a rate, a peer or you
    #[arg(long)]
    pub(crate) until_idle: bool,
}

/// Some queues or channels, or all of them.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false, args = ["names", "all"])]
pub(crate) struct Which {
    /// Their names
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Every one
    #[arg(long)]
    pub(crate) all: bool,
}

/// What to do with queues.
#[derive(Debug, Subcommand)]
pub(crate) enum QueuesVerb {
    /// Lists queues with their pace and what waits in them
    List,
    /// Stops taking jobs; running ones finish
    Pause(Which),
    /// Takes jobs again
    Resume(Which),
}

/// What to do with schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum SchedulesVerb {
    /// Lists schedules: when each ran last, and when it runs next
    List,
    /// Enqueues the job of schedules once more than their times say, also while they are paused
    #[command(after_help = "Example:\n  onceward schedules run-now digest")]
    RunNow {
        /// Their names
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
    /// Lets times pass until they are resumed; jobs that were made go on
    Pause(Which),
    /// Goes on with the next time; what passed meanwhile is left out
    Resume(Which),
    /// Removes schedules that nobody has any more: neither a configuration nor a program; jobs that were made stay
    #[command(after_help = "Example:\n  onceward schedules remove digest")]
    Remove {
        /// Their names
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
}

/// Whose secrets are given, and which.
#[derive(Debug, Args)]
pub(crate) struct Login {
    /// The channel's name
    #[arg(value_name = "NAME")]
    pub(crate) channel: String,
    /// Only the secret of this key, such as `token`
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

/// What to do with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelsVerb {
    /// Lists the configured channels, and what each lacks
    List,
    /// Checks credentials and limits without posting anything
    Check {
        /// Their names; all when none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Takes a channel's secrets and stores them, encrypted
    #[command(
        after_help = "For keys that say { stored = \"NAME\" }. Asks on a terminal, else reads standard input:\none line for each secret, in the order of the file.\n\nExample:\n  onceward channels login mastodon < token.txt"
    )]
    Login(Login),
    /// Forgets a channel's stored secrets and sessions
    Logout {
        /// The channel's name
        #[arg(value_name = "NAME")]
        channel: String,
    },
    /// Stops sending to channels; running jobs finish
    Pause(Which),
    /// Sends again
    Resume(Which),
}

/// What to do with alerts.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertsVerb {
    /// Lists the rules: where each tells what, when it last did, and what stands wrong now
    List,
    /// Sends one message by each rule, and waits for what becomes of it
    #[command(
        after_help = "Example:\n  onceward alerts test ops\n\nWhat a rule has told, and when it may speak again, stays as it is."
    )]
    Test {
        /// Their names; all when none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

/// What to do with the database.
#[derive(Debug, Subcommand)]
pub(crate) enum DbVerb {
    /// Brings the tables to this version
    #[command(
        after_help = "A new SQLite file is migrated by itself. PostgreSQL is migrated by this command alone."
    )]
    Migrate {
        /// Prints the SQL and changes nothing
        #[arg(long)]
        print: bool,
    },
    /// Looks for damage and for what should not be
    Check,
    /// Copies the whole database into a new file while work goes on
    Backup {
        /// The new file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Says that this store was put back from a copy: what may have been sent since is found out before it is sent again
    Restored {
        /// When the copy was made (RFC 3339); without it, the last sign of life in it counts
        #[arg(long, value_name = "TIME")]
        made_at: Option<Time>,
    },
}
