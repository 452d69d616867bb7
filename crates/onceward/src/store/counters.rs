//! Status figures, kept as deltas.

use std::collections::BTreeMap;

use onceward_db::{Conn, Result, Sql, sql};
use serde::Serialize;

use crate::State;

const COUNTER_ADD: Sql = sql!("counter_add");

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
        if from != to {
            self.add(queue, from.as_str(), -1);
            self.add(queue, to.as_str(), 1);
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
