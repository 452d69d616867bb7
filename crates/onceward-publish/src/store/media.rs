//! Pictures and films by their hash: a file that is deleted, or a worker elsewhere, does no harm.

use onceward_db::{Conn, Database, Result, Sql, Time, sql};

const MEDIA_PUT: Sql = sql!("media_put");
const MEDIA_GET: Sql = sql!("media_get");

/// A picture or film with its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Blob {
    pub sha256: String,
    pub mime: &'static str,
    pub bytes: Vec<u8>,
}

pub(crate) async fn put(conn: &mut Conn<'_>, blob: &Blob, now: Option<Time>) -> Result<()> {
    let args = vec![blob.sha256.as_str().into(), blob.mime.into(), blob.bytes.clone().into(), now.into()];
    conn.execute(&MEDIA_PUT, args).await.map(drop)
}

/// The bytes behind a hash, if they are there.
pub(crate) async fn get(db: &Database, sha256: &str) -> Result<Option<Vec<u8>>> {
    let row = db.reader().await?.conn().row(&MEDIA_GET, vec![sha256.into()]).await?;
    row.map(|row| row.bytes("bytes")).transpose()
}
