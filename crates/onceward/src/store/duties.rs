//! Housekeeping that one process does at a time: a duty is a row with its next time, taken by changing it.

use std::collections::BTreeSet;

use onceward_db::{Conn, Fold, Result, Sql, Time, rank, sql};
use serde::Serialize;

use super::leases::reap;
use super::{items, micros_of};
use crate::State;
use crate::keeper::duty::Duty;

const DUTY_LOOK: Sql = sql!("duty_look");
const DUTY_TAKE: Sql = sql!("duty_take");
const CHORES: Sql = sql!("chores");

#[derive(Serialize)]
struct Item {
    name: &'static str,
    every: i64,
}

impl From<Duty> for Item {
    fn from(duty: Duty) -> Self {
        Self { name: duty.name(), every: micros_of(duty.every()) }
    }
}

fn named(duties: impl IntoIterator<Item = Duty>) -> Result<String> {
    let distinct: BTreeSet<Duty> = duties.into_iter().collect();
    items(&distinct.into_iter().map(Item::from).collect::<Vec<_>>())
}

/// Which of these duties are due, and the database's time.
pub(crate) async fn look(
    conn: &mut Conn<'_>,
    duties: &[Duty],
    now: Option<Time>,
) -> Result<(Vec<Duty>, Option<Time>)> {
    let rows = conn.rows(&DUTY_LOOK, vec![named(duties.iter().copied())?.into(), now.into()]).await?;
    let (mut due, mut time) = (Vec::new(), None);
    for row in &rows {
        time = Some(row.time("now")?);
        let name = row.text("name")?;
        if row.flag("due")? {
            due.extend(duties.iter().copied().filter(|duty| duty.name() == name));
        }
    }
    Ok((due, time))
}

/// Which duties have something to do, of those that a look can tell of.
pub(crate) async fn chores(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Vec<Duty>> {
    let row = conn.row(&CHORES, vec![now.into()]).await?;
    let Some(row) = row else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for duty in [Duty::Reap, Duty::FoldCounters, Duty::Schedules, Duty::Discard] {
        if row.flag(duty.name())? {
            found.push(duty);
        }
    }
    Ok(found)
}

/// Takes duties; each answer says whether this caller has it now.
pub(crate) struct Take;

impl Fold for Take {
    type Item = Duty;
    type Answer = bool;
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, duties: &[Duty], now: Option<Time>) -> Result<Vec<bool>> {
        let rows = conn.rows(&DUTY_TAKE, vec![named(duties.iter().copied())?.into(), now.into()]).await?;
        let mut taken: BTreeSet<String> = rows.iter().map(|row| row.text("name")).collect::<Result<_>>()?;
        // Of two callers in one turn, the first has it.
        Ok(duties.iter().map(|duty| taken.remove(duty.name())).collect())
    }
}

/// Leases to be taken back.
#[derive(Debug, Clone)]
pub(crate) struct Lost {
    /// Of processes that are certainly gone.
    pub gone: Vec<String>,
    /// Also those that ran out.
    pub by_time: bool,
}

/// Takes leases back; each answer is what became of the jobs. Ranked after extending: who is alive keeps his leases.
pub(crate) struct Reap;

impl Fold for Reap {
    type Item = Lost;
    type Answer = Vec<State>;
    const RANK: u8 = rank::KEEP;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, all: &[Lost], now: Option<Time>) -> Result<Vec<Vec<State>>> {
        let mut out = Vec::with_capacity(all.len());
        for lost in all {
            out.push(reap(conn, &lost.gone, lost.by_time, now).await?);
        }
        Ok(out)
    }
}
