//! `onceward enqueue`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use onceward::Time;
use onceward::time::duration;

const HELP: &str = "\
Examples:
  onceward enqueue --queue mail --kind email.welcome --payload '{\"user\":7}'
  onceward enqueue --queue mail --kind email.welcome --payload @job.json \\
      --dedup-key welcome-7 --dedup-for forever
  onceward enqueue --batch --queue mail < jobs.jsonl

A line of a batch is {\"queue\":…,\"kind\":…,\"payload\":…,\"dedup_key\":…,\"dedup_for\":…,\"run_at\":…};
what it lacks is taken from the flags. One bad line and nothing is enqueued. A line whose dedup key
has a job with another payload is refused alone: give each line a key if you run a batch again.";

/// One job, or many.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Enqueue {
    /// The queue
    #[arg(long, value_name = "NAME", required_unless_present = "batch")]
    pub(crate) queue: Option<String>,
    /// The kind, which says who handles it
    #[arg(long, value_name = "KIND", required_unless_present = "batch")]
    pub(crate) kind: Option<String>,
    /// The payload: JSON, @FILE, or - for standard input
    #[arg(long, value_name = "JSON", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) payload: Option<Payload>,
    /// A second job with this key is skipped
    #[arg(long, value_name = "KEY", requires = "dedup_for", conflicts_with = "batch")]
    pub(crate) dedup_key: Option<String>,
    /// For how long: forever, until-settled, or a time such as 30d
    #[arg(long, value_name = "TIME")]
    pub(crate) dedup_for: Option<DedupFor>,
    /// When to run it, such as 2026-12-01T09:00:00+09:00
    #[arg(long, value_name = "TIME")]
    pub(crate) run_at: Option<Time>,
    /// Reads one job per line from standard input, as JSON
    #[arg(long)]
    pub(crate) batch: bool,
}

/// Where a payload comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Payload {
    Json(String),
    File(PathBuf),
    Stdin,
}

/// For how long a key keeps a second job away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DedupFor {
    Forever,
    UntilSettled,
    For(Duration),
}

impl std::str::FromStr for Payload {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.strip_prefix('@') {
            Some(path) => Self::File(path.into()),
            None if text == "-" => Self::Stdin,
            None => Self::Json(text.to_owned()),
        })
    }
}

impl std::str::FromStr for DedupFor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "forever" => Ok(Self::Forever),
            "until-settled" => Ok(Self::UntilSettled),
            _ => duration::parse(text)
                .ok()
                .filter(|time| !time.is_zero())
                .map(Self::For)
                .ok_or("expected forever, until-settled, or a time such as 30d"),
        }
    }
}
