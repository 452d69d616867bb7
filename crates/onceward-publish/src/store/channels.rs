//! The stable id of each channel.

use std::collections::BTreeMap;

use onceward_db::{Conn, Database, Error, ErrorKind, Fold, Result, Sql, Time, rank, sql};

const CHANNEL_LIST: Sql = sql!("channel_list");
const CHANNEL_PUT: Sql = sql!("channel_put");
const CHANNEL_RENAME: Sql = sql!("channel_rename");
const CHANNEL_FORGET: Sql = sql!("channel_forget");

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
                rename(conn, was, &channel.name).await?;
            }
            conn.execute(&CHANNEL_PUT, vec![fresh()?.into(), channel.name.as_str().into(), now.into()])
                .await?;
        }
        Ok(vec![(); channels.len()])
    }
}

/// A run without `was` gave the new name an id of its own: it goes, as long as nothing bears it.
async fn rename(conn: &mut Conn<'_>, was: &str, name: &str) -> Result<()> {
    conn.execute(&CHANNEL_FORGET, vec![name.into(), was.into()]).await?;
    conn.execute(&CHANNEL_RENAME, vec![was.into(), name.into()]).await?;
    conn.execute(&CHANNEL_FORGET, vec![was.into(), name.into()]).await.map(drop)
}

/// 128 random bits in hexadecimal.
fn fresh() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Other, format!("no randomness: {error}")))?;
    Ok(hex::encode(bytes))
}

/// The stable ids by name, made for those that have none yet, and moved along from former names. Writes only then.
///
/// # Errors
/// `Config`: posts went out under both names of a channel, so that neither can be forgotten.
pub(crate) async fn claim(db: &Database, channels: Vec<Named>) -> Result<BTreeMap<String, String>> {
    let known = list(db).await?;
    let open = |channel: &Named, known: &BTreeMap<String, String>| {
        channel.was.as_ref().is_some_and(|was| known.contains_key(was))
    };
    let new = |channel: &&Named| !known.contains_key(&channel.name) || open(channel, &known);
    let unclaimed: Vec<Named> = channels.iter().filter(new).cloned().collect();
    if unclaimed.is_empty() {
        return Ok(known);
    }
    db.fold::<Claim>(unclaimed).await?;
    let known = list(db).await?;
    match channels.iter().find(|channel| open(channel, &known)) {
        Some(channel) => Err(both_used(channel)),
        None => Ok(known),
    }
}

fn both_used(channel: &Named) -> Error {
    let (name, was) = (&channel.name, channel.was.as_deref().unwrap_or_default());
    let text = format!(
        "channel {name}: `was = \"{was}\"` comes too late: posts were enqueued to {name} before it stood there, and \
         to {was} too; take it out, and what went to {was} is not known as sent to {name}"
    );
    Error::new(ErrorKind::Config, text)
}

/// The stable ids by name.
pub(crate) async fn list(db: &Database) -> Result<BTreeMap<String, String>> {
    let rows = db.reader().await?.conn().rows(&CHANNEL_LIST, vec![]).await?;
    rows.iter().map(|row| Ok((row.text("name")?, row.text("id")?))).collect()
}
