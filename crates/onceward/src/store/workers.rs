//! Which processes are there. Leases never depend on it: it is for people to see.

use std::time::Duration;

use onceward_db::{Conn, Fold, Result, Row, Sql, Time, rank, sql};

use super::{from_json, items, micros_of};
use crate::status::WorkerView;

const WORKER_BEAT: Sql = sql!("worker_beat");
const WORKER_LIVE: Sql = sql!("worker_live");
const WORKER_DROP: Sql = sql!("worker_drop");
const WORKER_LEAVE: Sql = sql!("worker_leave");

/// A sign of life.
#[derive(Debug, Clone)]
pub(crate) struct Sign {
    pub boot: String,
    pub queues: Vec<String>,
}

/// Records signs of life.
pub(crate) struct Beat;

impl Fold for Beat {
    type Item = Sign;
    type Answer = ();
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, signs: &[Sign], now: Option<Time>) -> Result<Vec<()>> {
        for Sign { boot, queues } in signs {
            let args = vec![boot.as_str().into(), now.into(), items(queues)?.into()];
            conn.execute(&WORKER_BEAT, args).await?;
        }
        Ok(vec![(); signs.len()])
    }
}

/// Takes signs of life back, of workers that ended.
pub(crate) struct Leave;

impl Fold for Leave {
    type Item = Sign;
    type Answer = ();
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, signs: &[Sign], _now: Option<Time>) -> Result<Vec<()>> {
        for Sign { boot, queues } in signs {
            conn.execute(&WORKER_LEAVE, vec![boot.as_str().into(), items(queues)?.into()]).await?;
        }
        Ok(vec![(); signs.len()])
    }
}

/// The processes seen within that time.
pub(crate) async fn live(
    conn: &mut Conn<'_>,
    within: Duration,
    now: Option<Time>,
) -> Result<Vec<WorkerView>> {
    let rows = conn.rows(&WORKER_LIVE, vec![micros_of(within).into(), now.into()]).await?;
    let view = |row: &Row| {
        Ok(WorkerView {
            boot: row.text("boot")?,
            queues: from_json("queues", row.opt_text("queues")?)?.unwrap_or_default(),
            started_at: row.time("started_at")?,
            seen_at: row.time("seen_at")?,
        })
    };
    rows.iter().map(view).collect()
}

/// Forgets processes not seen for that time; gives their boot ids.
pub(crate) struct Forget;

impl Fold for Forget {
    type Item = Duration;
    type Answer = Vec<String>;
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, unseen: &[Duration], now: Option<Time>) -> Result<Vec<Vec<String>>> {
        let mut out = Vec::with_capacity(unseen.len());
        for time in unseen {
            let rows = conn.rows(&WORKER_DROP, vec![micros_of(*time).into(), now.into()]).await?;
            out.push(rows.iter().map(|row| row.text("boot")).collect::<Result<_>>()?);
        }
        Ok(out)
    }
}
