//! How many jobs a claim may take. The queue's row is locked from the look to the write, so pace holds fleet-wide.

use std::time::Duration;

use onceward_db::{Conn, Error, ErrorKind, Fold, Result, Row, Sql, Time, rank, sql};

use crate::circuit::{self, Allowance, Circuit};
use crate::pace::{self, Gate, Rate, Room};
use crate::store::{from_json, unsigned};

const QUEUE_LIMITS: Sql = sql!("queue_limits");
const QUEUE_GATE: Sql = sql!("queue_gate");
const QUEUE_RUNNING: Sql = sql!("queue_running");
const QUEUE_TAKE: Sql = sql!("queue_take");
const QUEUE_CIRCUIT_SET: Sql = sql!("queue_circuit_set");

/// How long until a queue has room again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub time: Duration,
    /// Nothing ends it earlier: neither a peer that is back, nor a person.
    pub firm: bool,
}

/// What a claim may take from one queue, within its transaction.
pub(in crate::store) enum Allowed {
    /// Nothing limits it.
    Freely,
    Within {
        queue: String,
        gate: Box<Gate>,
        room: Room,
        now: Time,
    },
}

pub(in crate::store) async fn room(
    conn: &mut Conn<'_>,
    queue: &str,
    want: u32,
    now: Option<Time>,
) -> Result<Allowed> {
    let Some(row) = conn.row(&QUEUE_LIMITS, vec![queue.into(), now.into()]).await? else {
        return Ok(Allowed::Freely);
    };
    let (mut gate, now) = (gate(&row)?, row.time("now")?);
    if gate.concurrency.is_some() {
        gate.running = running(conn, queue).await?;
    }
    let room = pace::room(&gate, want, now);
    Ok(Allowed::Within { queue: queue.to_owned(), gate: Box::new(gate), room, now })
}

async fn running(conn: &mut Conn<'_>, queue: &str) -> Result<u32> {
    let row = conn.row(&QUEUE_RUNNING, vec![queue.into()]).await?;
    Ok(unsigned(row.map(|row| row.int("n")).transpose()?.unwrap_or_default()))
}

/// Whether neither a person, nor the peer, nor the rate holds a queue back. Only looks.
pub(in crate::store) async fn is_open(conn: &mut Conn<'_>, queue: &str, now: Option<Time>) -> Result<bool> {
    let Some(row) = conn.row(&QUEUE_GATE, vec![queue.into(), now.into()]).await? else { return Ok(true) };
    let (gate, now) = (gate(&row)?, row.time("now")?);
    Ok(pace::room(&gate, 1, now).take > 0 || pace::looks(&gate, 1, now) > 0)
}

/// Without those that run: they are counted once the row is locked.
fn gate(row: &Row) -> Result<Gate> {
    let rate = row.opt_text("rate")?.map(|text| text.parse::<Rate>()).transpose();
    Ok(Gate {
        paused: row.opt_time("paused_at")?.is_some(),
        not_before: row.opt_time("not_before")?,
        circuit: from_json("circuit", row.opt_text("circuit")?)?.unwrap_or_else(Circuit::default),
        concurrency: row.opt_int("concurrency")?.map(unsigned),
        running: 0,
        rate: rate.map_err(|e| Error::new(ErrorKind::Decode, format!("rate: {e}")))?,
        tat: row.opt_time("rate_tat")?,
    })
}

impl Allowed {
    /// How many doubts may be looked at: they need a place and a peer that can be asked, and no share of the rate.
    pub(in crate::store) fn looks(&self, want: u32) -> u32 {
        match self {
            Self::Freely => want,
            Self::Within { gate, now, .. } => pace::looks(gate, want, *now),
        }
    }

    /// How many jobs may start after so many looks. A look at a peer that is thought to be down is its probe.
    pub(in crate::store) async fn after_looks(
        &self,
        conn: &mut Conn<'_>,
        want: u32,
        looks: u32,
    ) -> Result<u32> {
        let Self::Within { queue, gate, now, .. } = self else { return Ok(want.saturating_sub(looks)) };
        if looks > 0 && circuit::probes(&gate.circuit, *now) == Allowance::One {
            probe(conn, queue, gate.circuit, *now).await?;
            return Ok(0);
        }
        Ok(pace::slots(gate.concurrency, gate.running).min(want).saturating_sub(looks))
    }

    /// How many jobs may start.
    pub(in crate::store) fn starts(&self, free: u32) -> u32 {
        match self {
            Self::Freely => free,
            Self::Within { room, .. } => room.take.min(free),
        }
    }

    /// How long until there is room, where the clock decides it.
    pub(in crate::store) fn wait(&self) -> Option<Wait> {
        match self {
            Self::Freely => None,
            Self::Within { room, now, gate, .. } => {
                room.wait_until.map(|until| Wait { time: until.since(*now), firm: pace::is_firm(gate, *now) })
            }
        }
    }

    /// Stores what the jobs that were found have used up; tells whether they are one that probes.
    pub(in crate::store) async fn took(&self, conn: &mut Conn<'_>, found: usize) -> Result<bool> {
        let Self::Within { queue, gate, now, .. } = self else { return Ok(false) };
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let used = pace::room(gate, found, *now);
        if found > 0 && gate.rate.is_some() {
            conn.execute(&QUEUE_TAKE, vec![queue.as_str().into(), used.tat.into()]).await?;
        }
        let probes = found > 0 && used.probe;
        if probes {
            probe(conn, queue, gate.circuit, *now).await?;
        }
        Ok(probes)
    }
}

async fn probe(conn: &mut Conn<'_>, queue: &str, circuit: Circuit, now: Time) -> Result<()> {
    let circuit = circuit::on_probe(circuit, now);
    let json = serde_json::to_string(&circuit).map_err(|e| Error::new(ErrorKind::Decode, e.to_string()))?;
    conn.execute(&QUEUE_CIRCUIT_SET, vec![queue.into(), json.into()]).await.map(drop)
}

/// Takes one more request's share of a queue's rate, for a job that runs; the answer is when to come back instead.
pub(crate) struct Further;

impl Fold for Further {
    type Item = String;
    type Answer = Option<Time>;
    const RANK: u8 = rank::SETTLE;

    async fn run(conn: &mut Conn<'_>, queues: &[String], now: Option<Time>) -> Result<Vec<Option<Time>>> {
        let mut out = Vec::with_capacity(queues.len());
        for queue in queues {
            out.push(further(conn, queue, now).await?);
        }
        Ok(out)
    }
}

async fn further(conn: &mut Conn<'_>, queue: &str, now: Option<Time>) -> Result<Option<Time>> {
    let Some(row) = conn.row(&QUEUE_LIMITS, vec![queue.into(), now.into()]).await? else { return Ok(None) };
    let gate = gate(&row)?;
    match pace::further(&gate, row.time("now")?) {
        Err(wait) => Ok(Some(wait)),
        Ok(tat) => {
            if gate.rate.is_some() {
                conn.execute(&QUEUE_TAKE, vec![queue.into(), tat.into()]).await?;
            }
            Ok(None)
        }
    }
}
