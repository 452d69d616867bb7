//! `onceward outbox`.

use clap::{Args, Subcommand};

/// What to do with outboxes.
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxVerb {
    /// Shows how far each relay is behind, its last error, and the rows that were refused
    Status {
        /// The relays' names; all when none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Hands over rows until it is stopped, or until nothing is due
    Relay(RelayArgs),
    /// Hands over again what was sent, for a target that lost what it had taken
    Replay(Replay),
    /// Makes the outbox's table in the application's database
    Migrate {
        /// The relay's name; not needed where there is one
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Prints the SQL instead, for a migration tool of your own
        #[arg(long)]
        print: bool,
    },
    /// Gives refused rows up, which frees the rows behind them
    Skip(Rows),
}

/// Which relays run, and until when.
#[derive(Debug, Args)]
#[command(
    after_help = "`onceward work` relays too; this command is for a process that does nothing else.\n\nExamples:\n  onceward outbox relay\n  onceward outbox relay --until-idle\n  onceward outbox relay signup --retry 17    once the reason of its refusal is gone"
)]
pub(crate) struct RelayArgs {
    /// The relays' names; all when none is given
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Ends when nothing is due
    #[arg(long)]
    pub(crate) until_idle: bool,
    /// Hands these refused rows over once more, of the only relay that is named
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) retry: Vec<i64>,
}

/// Since when.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The relay's name; not needed where there is one
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// All that was handed over since this time, at most 7 days back
    #[arg(long, value_name = "TIME")]
    pub(crate) since: String,
    /// Without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Some rows of one outbox.
#[derive(Debug, Args)]
pub(crate) struct Rows {
    /// The rows' ids, as `outbox status` shows them
    #[arg(required = true, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) ids: Vec<i64>,
    /// The relay's name; not needed where there is one
    #[arg(long, value_name = "NAME")]
    pub(crate) relay: Option<String>,
}
