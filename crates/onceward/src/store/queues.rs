//! A queue as a whole: its pace, its circuit, its pauses.

pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod orders;
mod signals;

pub(super) use self::limits::{is_open, room};
pub(super) use self::signals::{Signals, apply, facts};

/// The status figure that an attempt's outcome counts for.
pub(super) fn figure(outcome: &'static str) -> &'static str {
    match outcome {
        "done" => "attempts_done",
        "failed" | "dead" | "outage" => "attempts_failed",
        "crashed" => "attempts_crashed",
        "in_doubt" => "attempts_in_doubt",
        "rate_limited" => "attempts_rate_limited",
        _ => "attempts_other",
    }
}
