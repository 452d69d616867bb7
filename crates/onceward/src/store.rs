//! What is written and read: one function for each operation, one body for both engines.

pub(crate) mod alerts;
pub(crate) mod contradictions;
pub(crate) mod counters;
pub(crate) mod dead;
pub(crate) mod doubt;
pub(crate) mod duties;
pub(crate) mod effects;
pub(crate) mod enqueue;
pub(crate) mod events;
pub(crate) mod jobs;
pub(crate) mod leases;
pub(crate) mod lineage;
pub(crate) mod outbox;
pub(crate) mod plans;
pub(crate) mod queues;
pub(crate) mod relays;
pub(crate) mod retention;
pub(crate) mod schedules;
pub(crate) mod settle;
pub(crate) mod workers;

use serde::Serialize;

use onceward_db::{Component, Error, ErrorKind, Migration, Result, Time, migration};

const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_queue"),
    migration!(2, "0002_alerts"),
    migration!(3, "0003_schedule_owner"),
    migration!(4, "0004_enqueue"),
    migration!(5, "0005_relay"),
    migration!(6, "0006_lineage"),
    migration!(7, "0007_maybe_sent"),
    migration!(8, "0008_empty_texts"),
];

/// The tables of the queue.
pub const QUEUE_TABLES: Component = Component { name: "queue", migrations: MIGRATIONS };

const OUTBOX_MIGRATIONS: &[Migration] =
    &[migration!(1, "0001_outbox"), migration!(2, "0002_outbox_blocking")];

/// The table of an outbox, in an application's database.
pub const OUTBOX_TABLES: Component = Component { name: "outbox", migrations: OUTBOX_MIGRATIONS };

/// The statement; in the model's tests, what a planted bug makes of it.
#[cfg(not(test))]
pub(crate) const fn chosen(sql: onceward_db::Sql) -> onceward_db::Sql {
    sql
}
#[cfg(test)]
pub(crate) use crate::planted::instead as chosen;

/// Items of one statement, as the JSON array that it takes apart.
pub(crate) fn items<T: Serialize>(items: &[T]) -> Result<String> {
    serde_json::to_string(items).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))
}

/// JSON that a column holds.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(
    column: &str,
    text: Option<String>,
) -> Result<Option<T>> {
    let parse = |text: String| {
        serde_json::from_str(&text).map_err(|e| Error::new(ErrorKind::Decode, format!("{column}: {e}")))
    };
    text.map(parse).transpose()
}

/// An instant in a JSON item.
pub(crate) fn micros(time: Option<Time>) -> Option<i64> {
    time.map(Time::micros)
}

pub(crate) fn micros_of(wait: std::time::Duration) -> i64 {
    i64::try_from(wait.as_micros()).unwrap_or(i64::MAX)
}

/// A count or number that is never negative.
pub(crate) fn unsigned(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(if value < 0 { 0 } else { u32::MAX })
}

pub(crate) fn state(row: &onceward_db::Row) -> Result<crate::State> {
    row.text("state")?.parse().map_err(|e: crate::Error| Error::new(ErrorKind::Decode, e.to_string()))
}
