//! `onceward contents`.

use clap::Subcommand;

/// What can be done with a content and its jobs as one.
#[derive(Debug, Subcommand)]
pub(crate) enum ContentsVerb {
    /// Lists contents, the newest first
    List {
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Goes on after the last page: its `next`
        #[arg(long, value_name = "ID")]
        after: Option<String>,
    },
    /// Shows one content on each of its channels
    Show {
        /// The content's id
        id: String,
    },
    /// Cancels what has not left; what was already sent stays sent, and the answer says so
    Cancel {
        /// The content's id
        id: String,
    },
    /// Moves what has not left to another time
    Reschedule {
        /// The content's id
        id: String,
        /// With an offset, or in the zone of [publish]
        #[arg(long, value_name = "TIME")]
        at: String,
    },
    /// Lets what is held go
    Release {
        /// The content's id
        id: String,
    },
}
