//! `onceward outbox`.

use clap::{Args, Subcommand};

use super::select::Since;

/// What to do with outboxes.
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxVerb {
    /// Shows how far each relay is behind, its last error, and the rows that were refused
    Status(Relays),
    /// Hands over rows until it is stopped, or until nothing is due
    Relay(RelayArgs),
    /// Hands over again what was sent, for a target that lost what it had taken
    Replay(Replay),
    /// Makes the outbox's table in the application's database
    Migrate {
        #[command(flatten)]
        which: OneRelay,
        /// Prints the SQL instead, for a migration tool of your own
        #[arg(long)]
        print: bool,
    },
    /// Gives refused rows up, which frees the rows behind them
    Skip(Rows),
    /// Forgets how a relay stood that no configuration has any more
    Forget {
        /// The relay's name, as `status` shows it
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Some relays.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Relays {
    /// The relays' names; all when none is given
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The same, in the words of `outbox skip`
    #[arg(long = "relay", value_name = "NAME", conflicts_with = "names")]
    also: Vec<String>,
}

impl Relays {
    /// The names, however they were given.
    pub(crate) fn names(&self) -> &[String] {
        if self.names.is_empty() { &self.also } else { &self.names }
    }
}

/// One relay.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OneRelay {
    /// The relay's name; not needed where there is one
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The same, in the words of `outbox skip`
    #[arg(long = "relay", value_name = "NAME", conflicts_with = "name")]
    also: Option<String>,
}

impl OneRelay {
    /// The name, however it was given.
    pub(crate) fn name(&self) -> &[String] {
        self.name.as_ref().or(self.also.as_ref()).map(std::slice::from_ref).unwrap_or_default()
    }
}

/// Which relays run, and until when.
#[derive(Debug, Args)]
#[command(
    after_help = "`onceward work` relays too; this command is for a process that does nothing else.\n\nExamples:\n  onceward outbox relay\n  onceward outbox relay --until-idle\n  onceward outbox relay signup --retry 17    once the reason of its refusal is gone"
)]
pub(crate) struct RelayArgs {
    #[command(flatten)]
    pub(crate) which: Relays,
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
    #[command(flatten)]
    pub(crate) which: OneRelay,
    /// All that was handed over since: an instant, or how long ago, such as 2h; at most 7 days back
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Since,
    /// Counts them and changes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Does not ask; needed off a terminal
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
