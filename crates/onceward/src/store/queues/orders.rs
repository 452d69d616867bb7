//! What people and the configuration say of a queue as a whole.

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Row, Sql, Time, rank, sql};

use crate::circuit::{Circuit, CircuitState};
use crate::queue::QueueSettings;
use crate::store::{events, from_json};

const QUEUE_DEFINE: Sql = sql!("queue_define");
const QUEUE_PAUSE: Sql = sql!("queue_pause");
const QUEUE_LOCK: Sql = sql!("queue_lock");
const QUEUE_RESUME: Sql = sql!("queue_resume");

/// What is to be done with one queue.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub queue: String,
    pub what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Define(QueueSettings),
    Pause { reason: String },
    Resume,
}

/// Follows orders; the answer says whether anything changed.
pub(crate) struct Orders;

impl Fold for Orders {
    type Item = Order;
    type Answer = bool;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, orders: &[Order], now: Option<Time>) -> Result<Vec<bool>> {
        let mut out = Vec::with_capacity(orders.len());
        for Order { queue, what } in orders {
            out.push(match what {
                What::Define(settings) => define(conn, queue, settings).await?,
                What::Pause { reason } => pause(conn, queue, reason, now).await?,
                What::Resume => resume(conn, queue, now).await?,
            });
        }
        Ok(out)
    }
}

async fn define(conn: &mut Conn<'_>, queue: &str, settings: &QueueSettings) -> Result<bool> {
    let args = vec![
        queue.into(),
        settings.concurrency.map(i64::from).into(),
        settings.rate.map(|rate| rate.to_string()).into(),
        settings.circuit.map(|policy| json(&policy)).transpose()?.into(),
    ];
    Ok(conn.execute(&QUEUE_DEFINE, args).await? > 0)
}

async fn pause(conn: &mut Conn<'_>, queue: &str, reason: &str, now: Option<Time>) -> Result<bool> {
    let paused = conn.row(&QUEUE_PAUSE, vec![queue.into(), now.into(), reason.into()]).await?.is_some();
    if paused {
        events::record(conn, queue, "paused", Some(reason), now).await?;
    }
    Ok(paused)
}

async fn resume(conn: &mut Conn<'_>, queue: &str, now: Option<Time>) -> Result<bool> {
    let row = conn.row(&QUEUE_LOCK, vec![queue.into(), now.into()]).await?;
    let Some(held) = row.as_ref().map(Held::read).transpose()? else { return Ok(false) };
    let Some(told) = held.told() else { return Ok(false) };
    let circuit = held.circuit.map(|circuit| json(&probe_at_once(circuit, held.now))).transpose()?;
    conn.execute(&QUEUE_RESUME, vec![queue.into(), circuit.into()]).await?;
    events::record(conn, queue, "resumed", Some(&told), now).await?;
    Ok(true)
}

/// What holds a queue back.
struct Held {
    paused: Option<String>,
    not_before: Option<Time>,
    circuit: Option<Circuit>,
    now: Time,
}

impl Held {
    fn read(row: &Row) -> Result<Self> {
        let reason = row.opt_text("paused_reason")?.unwrap_or_default();
        Ok(Self {
            paused: row.opt_time("paused_at")?.map(|_| reason),
            not_before: row.opt_time("not_before")?,
            circuit: from_json("circuit", row.opt_text("circuit")?)?,
            now: row.time("now")?,
        })
    }

    /// In words; `None` when nothing does.
    fn told(&self) -> Option<String> {
        let paused = self.paused.as_ref().map(|reason| format!("was paused: {reason}"));
        let waits = self.not_before.filter(|at| *at > self.now).map(|at| format!("was to wait until {at}"));
        let since = self.circuit.and_then(|circuit| circuit.state.open_since());
        let open = since.map(|since| format!("its circuit, open since {since}, is probed at once"));
        let told: Vec<String> = [paused, waits, open].into_iter().flatten().collect();
        if told.is_empty() { None } else { Some(told.join("; ")) }
    }
}

/// The circuit with its pause over: the next job that is claimed probes.
fn probe_at_once(circuit: Circuit, now: Time) -> Circuit {
    let state = match circuit.state {
        CircuitState::Open { until, pause, since } | CircuitState::HalfOpen { until, pause, since } => {
            CircuitState::Open { until: until.min(now), pause, since }
        }
        closed @ CircuitState::Closed { .. } => closed,
    };
    Circuit { state, ..circuit }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))
}
