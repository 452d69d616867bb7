//! The stable id of each channel.

use std::collections::BTreeMap;

use onceward_db::{Conn, Database, Error, ErrorKind, Fold, Result, Sql, Time, rank, sql};

const CHANNEL_LIST: Sql = sql!("channel_list");
const CHANNEL_PUT: Sql = sql!("channel_put");
const CHANNEL_RENAME: Sql = sql!("channel_rename");

/// A channel of the configuration.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub name: String,
    /// Its former name.
    pub was: Option<String>,
}

struct Claim;

impl Fold for Claim {
    type Item = Named;
    type Answer = ();
    const RANK: u8 = rank::OTHER;

    async fn run(conn: &mut Conn<'_>, channels: &[Named], now: Option<Time>) -> Result<Vec<()>> {
        for channel in channels {
            if let Some(was) = &channel.was {
                conn.execute(&CHANNEL_RENAME, vec![was.as_str().into(), channel.name.as_str().into()])
                    .await?;
            }
            conn.execute(&CHANNEL_PUT, vec![fresh()?.into(), channel.name.as_str().into(), now.into()])
                .await?;
        }
        Ok(vec![(); channels.len()])
    }
}

/// 128 random bits in hexadecimal.
fn fresh() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Other, format!("no randomness: {error}")))?;
    Ok(hex::encode(bytes))
}

/// The stable ids by name, made for those that have none yet. Writes only then.
pub(crate) async fn claim(db: &Database, channels: Vec<Named>) -> Result<BTreeMap<String, String>> {
    let known = list(db).await?;
    let missing: Vec<Named> =
        channels.into_iter().filter(|channel| !known.contains_key(&channel.name)).collect();
    if missing.is_empty() {
        return Ok(known);
    }
    db.fold::<Claim>(missing).await?;
    list(db).await
}

/// The stable ids by name.
pub(crate) async fn list(db: &Database) -> Result<BTreeMap<String, String>> {
    let rows = db.reader().await?.conn().rows(&CHANNEL_LIST, vec![]).await?;
    rows.iter().map(|row| Ok((row.text("name")?, row.text("id")?))).collect()
}
