//! What each channel's server said it takes.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward_db::{Conn, Database, Fold, Result, Sql, Time, rank, sql};
use serde_json::Value as Json;

use super::{from_json, to_json};

const CHANNEL_LEARNED: Sql = sql!("channel_learned");
const CHANNEL_LEARN: Sql = sql!("channel_learn");

/// What a server said, and how long ago.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learned {
    pub said: Json,
    pub age: Duration,
}

struct Learn;

impl Fold for Learn {
    type Item = (String, Json);
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(conn: &mut Conn<'_>, said: &[(String, Json)], now: Option<Time>) -> Result<Vec<()>> {
        for (channel, said) in said {
            let args = vec![channel.as_str().into(), now.into(), to_json(said)?.into()];
            conn.execute(&CHANNEL_LEARN, args).await?;
        }
        Ok(vec![(); said.len()])
    }
}

/// What is known of each channel's server, by the channel's stable id.
pub(crate) async fn list(db: &Database) -> Result<BTreeMap<String, Learned>> {
    let args = vec![db.clock().test_time().into()];
    let rows = db.reader().await?.conn().rows(&CHANNEL_LEARNED, args).await?;
    let learned = rows.iter().map(|row| {
        let age = Duration::from_micros(u64::try_from(row.int("age")?).unwrap_or_default());
        let learned = Learned { said: from_json("learned", &row.text("learned")?)?, age };
        Ok((row.text("id")?, learned))
    });
    learned.collect()
}

/// Keeps what servers said.
pub(crate) async fn put(db: &Database, said: Vec<(String, Json)>) -> Result<()> {
    if said.is_empty() { Ok(()) } else { db.fold::<Learn>(said).await.map(drop) }
}
