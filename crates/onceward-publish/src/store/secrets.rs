//! Secrets as they lie in the database: sealed.

use std::time::Duration;

use onceward_db::{Conn, Database, Fold, Result, Row, Sql, Time, Value, rank, sql};

const SECRET_GET: Sql = sql!("secret_get");
const SECRET_LIST: Sql = sql!("secret_list");
const SECRET_PUT: Sql = sql!("secret_put");
const SECRET_REMOVE: Sql = sql!("secret_remove");
const SECRET_RESEAL: Sql = sql!("secret_reseal");
const SECRET_CLAIM: Sql = sql!("secret_claim");
const SECRET_RENEW: Sql = sql!("secret_renew");
const SECRET_RELEASE: Sql = sql!("secret_release");

/// A secret that only its key opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub key_id: String,
    pub bytes: Vec<u8>,
}

/// A row: a sealed secret, and which of its values this is.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub version: String,
    pub sealed: Sealed,
}

/// One change to one secret, by its name.
#[derive(Debug)]
pub(crate) enum Change {
    Put {
        version: String,
        sealed: Sealed,
    },
    Remove,
    /// Another key for the same value.
    Reseal(Kept),
    /// The right to renew the value of that version, for so long.
    Claim {
        version: String,
        claim: String,
        lasts: Duration,
    },
    /// What a claim led to.
    Renew {
        claim: String,
        version: String,
        sealed: Sealed,
    },
    Release {
        claim: String,
    },
}

struct Changes;

impl Fold for Changes {
    type Item = (String, Change);
    type Answer = bool;
    const RANK: u8 = rank::OTHER;
    const WAKES: bool = true;

    async fn run(conn: &mut Conn<'_>, items: &[Self::Item], now: Option<Time>) -> Result<Vec<bool>> {
        let mut changed = Vec::with_capacity(items.len());
        for (name, change) in items {
            let (sql, args) = statement(name, change, now);
            changed.push(conn.execute(sql, args).await? > 0);
        }
        Ok(changed)
    }
}

fn statement(name: &str, change: &Change, now: Option<Time>) -> (&'static Sql, Vec<Value>) {
    let sealed = |it: &Sealed| [Value::from(it.key_id.as_str()), it.bytes.clone().into()];
    let mut args: Vec<Value> = vec![name.into()];
    let sql = match change {
        Change::Put { version, sealed: it } => {
            args.push(version.as_str().into());
            args.extend(sealed(it));
            args.push(now.into());
            &SECRET_PUT
        }
        Change::Remove => &SECRET_REMOVE,
        Change::Reseal(kept) => {
            args.push(kept.version.as_str().into());
            args.extend(sealed(&kept.sealed));
            &SECRET_RESEAL
        }
        Change::Claim { version, claim, lasts } => {
            let lasts = i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX);
            args.extend([version.as_str().into(), claim.as_str().into(), lasts.into(), now.into()]);
            &SECRET_CLAIM
        }
        Change::Renew { claim, version, sealed: it } => {
            args.extend([claim.as_str().into(), version.as_str().into()]);
            args.extend(sealed(it));
            args.push(now.into());
            &SECRET_RENEW
        }
        Change::Release { claim } => {
            args.push(claim.as_str().into());
            &SECRET_RELEASE
        }
    };
    (sql, args)
}

/// Makes one change; false when it found nothing to change.
pub(crate) async fn change(db: &Database, name: &str, change: Change) -> Result<bool> {
    let changed = db.fold::<Changes>(vec![(name.to_owned(), change)]).await?;
    Ok(changed.first().copied().unwrap_or_default())
}

/// A secret, if there is one of that name.
pub(crate) async fn get(db: &Database, name: &str) -> Result<Option<Kept>> {
    let row = db.reader().await?.conn().row(&SECRET_GET, vec![name.into()]).await?;
    row.as_ref().map(kept).transpose()
}

/// All secrets and sessions: name, when it was put there, and what is sealed.
pub(crate) async fn list(db: &Database) -> Result<Vec<(String, Time, Kept)>> {
    let rows = db.reader().await?.conn().rows(&SECRET_LIST, vec![]).await?;
    rows.iter().map(|row| Ok((row.text("name")?, row.time("updated_at")?, kept(row)?))).collect()
}

fn kept(row: &Row) -> Result<Kept> {
    let sealed = Sealed { key_id: row.text("key_id")?, bytes: row.bytes("sealed")? };
    Ok(Kept { version: row.text("version")?, sealed })
}
