//! What attempts say of their queue as a whole, and what it makes of that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use onceward_db::{Conn, Error, ErrorKind, Result, Sql, Time, sql};

use crate::circuit::{self, Circuit, CircuitEvent, CircuitPolicy, Step};
use crate::settle::{QueueFacts, Signal};
use crate::store::{events, from_json, items};

const QUEUE_CIRCUITS: Sql = sql!("queue_circuits");
const QUEUE_SIGNAL: Sql = sql!("queue_signal");

/// The signals of one queue in one transaction, in order.
pub(in crate::store) type Signals = Vec<Signal>;

/// The circuits of these queues; a queue without one is left out.
pub(in crate::store) async fn facts<'a>(
    conn: &mut Conn<'_>,
    queues: impl Iterator<Item = &'a str>,
    now: Option<Time>,
) -> Result<HashMap<String, QueueFacts>> {
    let names: Vec<&str> = queues.collect::<BTreeSet<_>>().into_iter().collect();
    let rows = conn.rows(&QUEUE_CIRCUITS, vec![items(&names)?.into(), now.into()]).await?;
    let fact = |row: &onceward_db::Row| {
        let policy: Option<CircuitPolicy> = from_json("circuit_policy", row.opt_text("circuit_policy")?)?;
        let circuit = from_json("circuit", row.opt_text("circuit")?)?.unwrap_or_else(Circuit::default);
        Ok((row.text("name")?, QueueFacts { policy, circuit, now: Some(row.time("now")?) }))
    };
    rows.iter().map(fact).collect()
}

/// What is to be written about one queue.
#[derive(Default)]
struct Change {
    circuit: Option<Circuit>,
    not_before: Option<Time>,
    paused_reason: Option<String>,
    events: Vec<(&'static str, String)>,
}

pub(in crate::store) async fn apply(
    conn: &mut Conn<'_>,
    signals: BTreeMap<&str, Signals>,
    now: Option<Time>,
) -> Result<()> {
    if signals.is_empty() {
        return Ok(());
    }
    let known = facts(conn, signals.keys().copied(), now).await?;
    for (queue, signals) in signals {
        let facts = known.get(queue).copied().unwrap_or_default();
        let change = change(facts, &signals);
        write(conn, queue, change, now).await?;
    }
    Ok(())
}

fn change(facts: QueueFacts, signals: &[Signal]) -> Change {
    let mut change = Change::default();
    let mut circuit = facts.circuit;
    for signal in signals {
        let step = match (signal, facts.policy, facts.now) {
            (Signal::Success, _, Some(now)) => Some(circuit::on_success(circuit, now)),
            (Signal::Answered, ..) => Some(circuit::on_answer(circuit)),
            (Signal::Unclear, _, Some(now)) => Some(circuit::on_unclear(circuit, now)),
            (Signal::Outage, Some(policy), Some(now)) => Some(circuit::on_outage(circuit, &policy, now)),
            _ => None,
        };
        if let Some(Step { circuit: next, event }) = step {
            circuit = next;
            change.events.extend(event.map(told));
        }
        match signal {
            Signal::WaitUntil(until) => change.not_before = change.not_before.max(Some(*until)),
            Signal::AuthNeeded(cause) => {
                change.paused_reason = Some(format!("auth_needed: {}", cause.text));
                change.events.push(("auth_needed", cause.text.clone()));
            }
            _ => {}
        }
    }
    change.circuit = (circuit != facts.circuit).then_some(circuit);
    change
}

fn told(event: CircuitEvent) -> (&'static str, String) {
    match event {
        CircuitEvent::Opened { until } => ("circuit_opened", format!("probed at {until}")),
        CircuitEvent::StillOpen { until, since } => {
            ("circuit_still_open", format!("since {since}, probed at {until}"))
        }
        CircuitEvent::Closed { since } => ("circuit_closed", format!("was open since {since}")),
    }
}

async fn write(conn: &mut Conn<'_>, queue: &str, change: Change, now: Option<Time>) -> Result<()> {
    let circuit = change.circuit.as_ref().map(serde_json::to_string).transpose();
    let circuit = circuit.map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))?;
    if circuit.is_some() || change.not_before.is_some() || change.paused_reason.is_some() {
        let args = vec![
            queue.into(),
            now.into(),
            circuit.into(),
            change.not_before.into(),
            change.paused_reason.into(),
        ];
        conn.execute(&QUEUE_SIGNAL, args).await?;
    }
    for (what, detail) in change.events {
        events::record(conn, queue, what, Some(&detail), now).await?;
    }
    Ok(())
}
