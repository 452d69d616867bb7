//! Why a job of a run is not done, or what to do about it.

use onceward::{State, Time};

use super::rows::{Row, Rows, Stand};
use crate::command::contents::waits_for;
use crate::output::{MAYBE_SENT, relative};

pub(super) fn of(row: &Row<'_>, rows: &Rows<'_>) -> Option<String> {
    match row.stand() {
        Stand::Cancelled => Some(cancelled(row)),
        _ if row.changed() && row.maybe_sent() => Some(kept(row)),
        Stand::Parked if row.changed() => Some(unsure(row)),
        _ if row.changed() => Some(format!("edited after it went out; {} once more", publishes(row))),
        Stand::Scheduled | Stand::Held | Stand::Open if row.maybe_sent() => {
            let maybe = format!("{MAYBE_SENT}: that is found out first");
            Some(waits(row, rows).map_or(maybe.clone(), |note| format!("{note}; {maybe}")))
        }
        _ => waits(row, rows),
    }
}

/// It is not sent by itself any more, whoever names its channel.
fn cancelled(row: &Row<'_>) -> String {
    let edited = if row.changed() { ", and edited since" } else { "" };
    let maybe = if row.maybe_sent() { format!(", and {MAYBE_SENT}") } else { String::new() };
    format!("cancelled{maybe}{edited}; {} all the same", publishes(row))
}

/// What publishes it on purpose. On its channel alone: others may have it, or are to have it.
fn publishes(row: &Row<'_>) -> String {
    format!("--as-new ID --to {} publishes it there", row.channel)
}

/// To publish it once more would be to double it on a guess.
fn unsure(row: &Row<'_>) -> String {
    let id = row.enqueued.id();
    format!("edited after it may have gone out; say first whether it did: onceward doubt resolve {id}")
}

/// What was edited, and may have gone out as it was before the store lost commits.
fn kept(row: &Row<'_>) -> String {
    let stays = format!("{MAYBE_SENT}, so it stays as it was");
    let (id, content) = (row.enqueued.id(), &row.planned.content.id);
    if row.state() != State::Pending {
        return format!("{stays}; {} once more", publishes(row));
    }
    let release = if row.stand() == Stand::Held {
        format!("; onceward contents release {content} lets it go as it was")
    } else {
        String::new()
    };
    format!(
        "{stays}; if it is not there: onceward doubt resolve {id} --did-not-happen, and publish again{release}"
    )
}

/// What it waits for.
fn waits(row: &Row<'_>, rows: &Rows<'_>) -> Option<String> {
    let it = row.standing.as_ref();
    let error = it.and_then(|it| it.error.as_ref()).map(|error| error.text.clone());
    let when = |at: Time| it.map_or(String::new(), |it| relative(at, it.now));
    match row.stand() {
        Stand::Done if row.was_done() => Some("already done".to_owned()),
        _ if row.slipped() => Some("not held: it was on its way already".to_owned()),
        Stand::Done | Stand::Cancelled | Stand::Running => None,
        Stand::Scheduled => it.map(|it| format!("goes {}", when(it.run_at))),
        Stand::Held => {
            it.and_then(|it| it.held.as_deref()).map(|held| waits_for(held, &row.planned.content.id))
        }
        Stand::Checking => it.and_then(|it| it.check_at).map(|at| format!("looked up {}", when(at))),
        Stand::Open if rows.held_back(row).is_some() => rows.held_back(row).map(str::to_owned),
        Stand::Open => error.map(|error| match it.map(|it| (it.run_at, it.now)) {
            Some((at, now)) if at > now => format!("tried again {}: {error}", when(at)),
            _ => format!("due again: {error}"),
        }),
        Stand::Dead | Stand::Parked => error,
    }
}
