//! How relays stand, as whoever runs them saw it last.

use onceward_db::{Conn, Fold, Result, Row, Sql, Time, rank, sql};

use crate::RelayView;

const RELAY_PUT: Sql = sql!("relay_put");
const RELAY_LIST: Sql = sql!("relay_list");
const RELAY_FORGET: Sql = sql!("relay_forget");

/// What is to be written down.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    /// How one stands.
    Put(RelayView),
    /// It is nobody's any more.
    Forget(String),
}

impl Fold for Note {
    type Item = Self;
    type Answer = ();
    const RANK: u8 = rank::KEEP;

    async fn run(conn: &mut Conn<'_>, notes: &[Self], _now: Option<Time>) -> Result<Vec<()>> {
        for note in notes {
            match note {
                Self::Put(relay) => put(conn, relay).await?,
                Self::Forget(name) => drop(conn.execute(&RELAY_FORGET, vec![name.as_str().into()]).await?),
            }
        }
        Ok(vec![(); notes.len()])
    }
}

async fn put(conn: &mut Conn<'_>, relay: &RelayView) -> Result<()> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX).into();
    let args = vec![
        relay.name.as_str().into(),
        number(relay.waiting),
        relay.oldest_at.into(),
        number(relay.refused),
        relay.refused_at.into(),
        relay.away_since.into(),
        relay.error.clone().into(),
    ];
    conn.execute(&RELAY_PUT, args).await.map(drop)
}

pub(crate) async fn list(conn: &mut Conn<'_>) -> Result<Vec<RelayView>> {
    let number =
        |row: &Row, column| Ok::<_, onceward_db::Error>(u64::try_from(row.int(column)?).unwrap_or(0));
    let view = |row: &Row| {
        Ok(RelayView {
            name: row.text("name")?,
            waiting: number(row, "waiting")?,
            oldest_at: row.opt_time("oldest_at")?,
            refused: number(row, "refused")?,
            refused_at: row.opt_time("refused_at")?,
            away_since: row.opt_time("away_since")?,
            error: row.opt_text("error")?,
        })
    };
    conn.rows(&RELAY_LIST, vec![]).await?.iter().map(view).collect()
}
