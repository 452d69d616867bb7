//! What feeds and archives have published.

use onceward_db::{Conn, Database, Fold, Result, Sql, Time, rank, sql};

use super::{from_json, to_json};
use crate::channels::Entry;

const ENTRY_PUT: Sql = sql!("entry_put");
const ENTRY_LIST: Sql = sql!("entry_list");

struct Put;

impl Fold for Put {
    type Item = (String, Entry);
    type Answer = ();
    const RANK: u8 = rank::SETTLE;

    async fn run(conn: &mut Conn<'_>, items: &[Self::Item], _now: Option<Time>) -> Result<Vec<()>> {
        for (channel, entry) in items {
            let args = vec![
                channel.as_str().into(),
                entry.id.as_str().into(),
                entry.published.into(),
                to_json(entry)?.into(),
            ];
            conn.execute(&ENTRY_PUT, args).await?;
        }
        Ok(vec![(); items.len()])
    }
}

pub(crate) async fn put(db: &Database, channel: &str, entry: Entry) -> Result<()> {
    db.fold::<Put>(vec![(channel.to_owned(), entry)]).await.map(drop)
}

/// At most `items` entries of a channel, the newest first.
pub(crate) async fn newest(db: &Database, channel: &str, items: usize) -> Result<Vec<Entry>> {
    let items = i64::try_from(items).unwrap_or(i64::MAX);
    let rows = db.reader().await?.conn().rows(&ENTRY_LIST, vec![channel.into(), items.into()]).await?;
    rows.iter().map(|row| from_json("entry", &row.text("entry")?)).collect()
}
