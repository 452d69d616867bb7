//! Bugs put in on purpose, which the model must find. They exist in this crate's own tests only.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use onceward_db::Sql;

/// One rule broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Planted {
    /// An attempt is settled by its job alone: whoever held a lease once may settle.
    NoFence,
    /// Expired leases are taken back by their jobs alone: a slow reaper takes back what was claimed anew.
    ReapWithoutToken,
    /// A revived job goes straight to pending, whatever of it may have happened.
    ReviveOverOpenEffect,
    /// Who saw a dedup key free before his transaction takes it, whoever took it since.
    DedupSelectThenInsert,
}

thread_local! {
    static PLANTED: Cell<Option<Planted>> = const { Cell::new(None) };
    static EXPOSED: Cell<bool> = const { Cell::new(false) };
    static CHANGED: RefCell<HashMap<(Planted, &'static str), &'static str>> = RefCell::default();
}

/// Plants a bug in whatever this thread runs from now on.
pub(crate) fn plant(bug: Option<Planted>) {
    PLANTED.set(bug);
}

/// Whether this thread has the bug.
pub(crate) fn has(bug: Planted) -> bool {
    PLANTED.get() == Some(bug)
}

/// Whether what this thread runs from now on relies on a look that may be old: a slow reaper's, or a caller's at a key.
pub(crate) fn expose(exposed: bool) {
    EXPOSED.set(exposed);
}

/// The statement as the planted bug has it.
pub(crate) fn instead(sql: Sql) -> Sql {
    let Some(bug) = PLANTED.get() else { return sql };
    let edits: &[(&str, &str)] = match (bug, sql.name, EXPOSED.get()) {
        (Planted::NoFence, "settle", _) | (Planted::ReapWithoutToken, "settle", true) => {
            &[(" AND lease_token = item.value ->> '$.token'", "")]
        }
        (Planted::NoFence, "settle_done" | "settle_done_mark", _) => {
            &[("lease_token = ?3", "(lease_token = ?3 OR true)")]
        }
        (Planted::NoFence, "settle_facts", _) | (Planted::ReapWithoutToken, "settle_facts", true) => &[
            ("job.lease_token AS token", "item.value ->> '$.token' AS token"),
            ("job.lease_token = item.value ->> '$.token' AND ", ""),
        ],
        (Planted::DedupSelectThenInsert, "dedup_take", true) => &[(
            "onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))",
            "true",
        )],
        _ => return sql,
    };
    let known = CHANGED.with_borrow(|changed| changed.get(&(bug, sql.name)).copied());
    let sqlite = known.unwrap_or_else(|| {
        let text: &str = edit(sql, edits).leak();
        CHANGED.with_borrow_mut(|changed| changed.insert((bug, sql.name), text));
        text
    });
    Sql { sqlite, ..sql }
}

fn edit(sql: Sql, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(sql.sqlite.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{}.sql has no {from:?}: the planted bug must follow it", sql.name);
        text.replace(from, to)
    })
}
