//! Status figures, kept as deltas.

use std::collections::BTreeMap;

use onceward_db::{Conn, Fold, Result, Sql, Time, rank, sql};
use serde::Serialize;

use crate::State;

const COUNTER_ADD: Sql = sql!("counter_add");
const COUNTER_TAKE: Sql = sql!("counter_take");
const COUNTER_FOLD: Sql = sql!("counter_fold");
const FIGURES: Sql = sql!("figures");

/// How many deltas one folding takes.
pub(crate) const FOLD_LIMIT: usize = 10_000;

/// Changes of figures in one transaction, one row for each queue and figure.
#[derive(Debug, Default)]
pub(crate) struct Deltas(BTreeMap<(String, &'static str), i64>);

#[derive(Serialize)]
struct Item<'a> {
    queue: &'a str,
    what: &'a str,
    n: i64,
}

impl Deltas {
    pub(crate) fn add(&mut self, queue: &str, what: &'static str, n: i64) {
        if n != 0 {
            *self.0.entry((queue.to_owned(), what)).or_default() += n;
        }
    }

    pub(crate) fn moved(&mut self, queue: &str, from: State, to: State) {
        self.many_moved(queue, from, to, 1);
    }

    pub(crate) fn many_moved(&mut self, queue: &str, from: State, to: State, jobs: usize) {
        let jobs = i64::try_from(jobs).unwrap_or(i64::MAX);
        if from != to {
            self.add(queue, from.as_str(), -jobs);
            self.add(queue, to.as_str(), jobs);
        }
    }

    pub(crate) async fn write(self, conn: &mut Conn<'_>) -> Result<()> {
        let rows = self.0.iter().filter(|(_, n)| **n != 0);
        let items: Vec<Item<'_>> = rows.map(|((queue, what), n)| Item { queue, what, n: *n }).collect();
        if !items.is_empty() {
            conn.execute(&COUNTER_ADD, vec![super::items(&items)?.into()]).await?;
        }
        Ok(())
    }
}

/// Adds the oldest deltas to their figures; gives how many that were.
pub(crate) struct FoldDeltas;

impl Fold for FoldDeltas {
    type Item = ();
    type Answer = usize;
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, callers: &[()], _now: Option<Time>) -> Result<Vec<usize>> {
        let folded = fold_deltas(conn).await?;
        Ok(vec![folded; callers.len()])
    }
}

async fn fold_deltas(conn: &mut Conn<'_>) -> Result<usize> {
    let limit = i64::try_from(FOLD_LIMIT).unwrap_or(i64::MAX);
    let rows = conn.rows(&COUNTER_TAKE, vec![limit.into()]).await?;
    // Sorted, so that two processes that fold at once lock figures in one order.
    let mut sums = BTreeMap::<(String, String), i64>::new();
    for row in &rows {
        *sums.entry((row.text("queue")?, row.text("what")?)).or_default() += row.int("n")?;
    }
    let changed = sums.iter().filter(|(_, n)| **n != 0);
    let changed: Vec<Item<'_>> = changed.map(|((queue, what), n)| Item { queue, what, n: *n }).collect();
    if !changed.is_empty() {
        conn.execute(&COUNTER_FOLD, vec![super::items(&changed)?.into()]).await?;
    }
    Ok(rows.len())
}

/// All figures, by queue and name.
pub(crate) async fn figures(conn: &mut Conn<'_>) -> Result<BTreeMap<String, BTreeMap<String, i64>>> {
    let mut out = BTreeMap::<String, BTreeMap<String, i64>>::new();
    for row in conn.rows(&FIGURES, vec![]).await? {
        out.entry(row.text("queue")?).or_default().insert(row.text("what")?, row.int("n")?);
    }
    Ok(out)
}
