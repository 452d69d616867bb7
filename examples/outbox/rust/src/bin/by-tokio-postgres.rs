//! Saves accounts and, in the same transaction, the mail that each of them is owed.
//!
//! `by-tokio-postgres postgres://… [--roll-back] ada@example.org …`

use std::error::Error;

use tokio_postgres::{Client, NoTls};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let (url, mails) = words.split_first().ok_or("name a database")?;
    let (mut db, connection) = tokio_postgres::connect(url, NoTls).await?;
    let connection = tokio::spawn(connection);
    let account =
        "CREATE TABLE IF NOT EXISTS account (id bigint GENERATED ALWAYS AS IDENTITY, mail text NOT NULL)";
    db.batch_execute(account).await?;
    for mail in mails {
        sign_up(&mut db, mail, flags.iter().any(|flag| flag == "--roll-back")).await?;
    }
    drop(db);
    Ok(connection.await??)
}

async fn sign_up(db: &mut Client, mail: &str, roll_back: bool) -> Result<(), tokio_postgres::Error> {
    let tx = db.transaction().await?;
    let id: i64 = tx.query_one("INSERT INTO account (mail) VALUES ($1) RETURNING id", &[&mail]).await?.get(0);
    let payload = serde_json::json!({ "account": id, "mail": mail }).to_string();
    tx.execute(
        "INSERT INTO onceward.outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'email.welcome', $1, $2)",
        &[&payload, &mail],
    )
    .await?;
    if roll_back { tx.rollback().await } else { tx.commit().await }
}
