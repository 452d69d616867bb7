//! Queues as people see them: what limits them, their figures, how long the oldest job has waited.

use std::collections::{BTreeMap, BTreeSet};

use onceward_db::{Conn, Error, ErrorKind, Result, Row, Sql, Time, sql};

use crate::circuit::Circuit;
use crate::queue::{CircuitView, Figures, Pause, QueueSettings, QueueView};
use crate::store::{counters, from_json, items, unsigned};

const QUEUE_LIST: Sql = sql!("queue_list");
const QUEUE_LINES: Sql = sql!("queue_lines");
const QUEUE_HELD: Sql = sql!("queue_held");
const QUEUE_KNOWN: Sql = sql!("queue_known");

/// Whether a queue was ever defined or had a job.
pub(crate) async fn is_known(conn: &mut Conn<'_>, queue: &str) -> Result<bool> {
    let row = conn.row(&QUEUE_KNOWN, vec![queue.into()]).await?;
    row.map_or(Ok(false), |row| row.flag("known"))
}

/// All queues that were defined or had a job, by name.
pub(crate) async fn list(conn: &mut Conn<'_>, now: Option<Time>) -> Result<Vec<QueueView>> {
    let rows = conn.rows(&QUEUE_LIST, vec![]).await?;
    let mut known: BTreeMap<String, QueueView> = rows.iter().map(view).collect::<Result<_>>()?;
    for (name, figures) in counters::figures(conn).await? {
        let view = known.entry(name).or_insert_with_key(|name| QueueView::new(name));
        view.figures = Figures::from_counted(&figures);
    }
    for row in conn.rows(&QUEUE_HELD, vec![]).await? {
        if let Some(view) = known.get_mut(&row.text("queue")?) {
            view.figures.held = u64::try_from(row.int("n")?).unwrap_or(0);
        }
    }
    let names: BTreeSet<&String> = known.keys().collect();
    let names = items(&names.into_iter().collect::<Vec<_>>())?;
    for row in conn.rows(&QUEUE_LINES, vec![names.into(), now.into()]).await? {
        if let (Some(view), Some(first)) = (known.get_mut(&row.text("name")?), row.opt_time("first_at")?) {
            let now = row.time("now")?;
            view.next_at = Some(first);
            view.retry_at = row.opt_time("retry_at")?;
            view.oldest_due = (first <= now).then(|| now.since(first).as_secs());
        }
    }
    Ok(known.into_values().collect())
}

fn view(row: &Row) -> Result<(String, QueueView)> {
    let name = row.text("name")?;
    let rate = row.opt_text("rate")?.map(|text| text.parse()).transpose();
    let circuit: Option<Circuit> = from_json("circuit", row.opt_text("circuit")?)?;
    let reason = row.opt_text("paused_reason")?.unwrap_or_default();
    let settings = QueueSettings {
        concurrency: row.opt_int("concurrency")?.map(unsigned),
        rate: rate.map_err(|e| Error::new(ErrorKind::Decode, format!("rate: {e}")))?,
        circuit: from_json("circuit_policy", row.opt_text("circuit_policy")?)?,
    };
    let view = QueueView {
        settings,
        paused: row.opt_time("paused_at")?.map(|since| Pause { since, reason }),
        not_before: row.opt_time("not_before")?,
        circuit: settings.circuit.map(|_| CircuitView::from(circuit.unwrap_or_default())),
        ..QueueView::new(&name)
    };
    Ok((name, view))
}
