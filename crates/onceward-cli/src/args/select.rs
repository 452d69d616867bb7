//! Which jobs a command is about: by their ids, by what they have in common, or all.

use std::time::Duration;

use clap::Args;
use jiff::tz::TimeZone;
use onceward::Time;
use onceward::time::duration;
use onceward_publish::date::{self, DateError};

/// What jobs may have in common. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Which jobs")]
pub(crate) struct Filter {
    /// Only jobs of this queue or channel
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: Option<String>,
    /// Only jobs of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Only jobs of this content
    #[arg(long, value_name = "ID")]
    pub(crate) content: Option<String>,
    /// Only jobs whose last error has this code, such as `http_422`
    #[arg(long, value_name = "CODE")]
    pub(crate) error: Option<String>,
    /// Only jobs that changed since: an instant, or how long ago, such as 2h
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<Since>,
    /// Only jobs whose error or key contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
}

/// Which groups of jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Kin {
    /// Only jobs of this queue or channel
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: Option<String>,
    /// Only jobs whose last error has this code, such as `http_422`
    #[arg(long, value_name = "CODE")]
    pub(crate) error: Option<String>,
}

/// How much of a list is shown.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Page {
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// Goes on after the last page: its `next`
    #[arg(long, value_name = "CURSOR", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) after: Option<i64>,
}

/// Many jobs, and how carefully.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Bulk {
    /// The jobs' ids
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) ids: Vec<i64>,
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Every job in that state
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
    /// Counts them and changes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Does not ask; needed off a terminal
    #[arg(long)]
    pub(crate) yes: bool,
}

/// The jobs that a bulk command was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    Ids(&'a [i64]),
    Matching(&'a Filter),
    All,
}

impl Filter {
    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Bulk {
    /// Ids or a filter or all: one of them, so that nothing happens to all jobs by an oversight.
    pub(crate) fn target(&self) -> Result<Target<'_>, &'static str> {
        match (self.ids.is_empty(), self.filter.is_empty(), self.all) {
            (false, true, false) => Ok(Target::Ids(&self.ids)),
            (true, false, false) => Ok(Target::Matching(&self.filter)),
            (true, true, true) => Ok(Target::All),
            (true, true, false) => {
                Err("name ids, or say which with --queue, --error and the like, or use --all")
            }
            (true, false, true) => Err("--all and a filter contradict each other; leave one out"),
            (false, ..) => Err("ids and a filter contradict each other; leave one out"),
        }
    }
}

/// A point in the past, absolute or from now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Since {
    /// A date as it was typed. Without an offset it is read by the clock of [publish] timezone.
    Date(String),
    Ago(Duration),
}

impl Since {
    /// The instant, seen from `now`.
    ///
    /// # Errors
    /// `DateError::NoZone` for a date without an offset where no zone is configured.
    pub(crate) fn from(&self, now: Time, zone: Option<&TimeZone>) -> Result<Time, DateError> {
        match self {
            Self::Date(text) => date::parse(text, zone).map(|wish| wish.at),
            Self::Ago(wait) => Ok(now.before(*wait)),
        }
    }
}

impl std::str::FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(wait) = duration::parse(text) {
            return Ok(Self::Ago(wait));
        }
        // Any zone tells whether it is a date at all.
        let date = date::parse(text, Some(&TimeZone::UTC)).map(|_| Self::Date(text.to_owned()));
        date.map_err(|_| "expected an instant such as 2026-12-01T09:00:00+09:00, or how long ago, such as 2h")
    }
}
