//! Saves accounts and, in the same transaction, the mail that each of them is owed.
//!
//! `by-rusqlite app.db [--roll-back] ada@example.org …`

use std::error::Error;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let (path, mails) = words.split_first().ok_or("name a database")?;
    let mut db = Connection::open(path)?;
    db.busy_timeout(Duration::from_secs(30))?;
    // With less, a power cut loses what was committed.
    db.pragma_update(None, "synchronous", "FULL")?;
    db.execute("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)", [])?;
    for mail in mails {
        sign_up(&mut db, mail, flags.iter().any(|flag| flag == "--roll-back"))?;
    }
    Ok(())
}

fn sign_up(db: &mut Connection, mail: &str, roll_back: bool) -> rusqlite::Result<()> {
    // Waits for other writers here, and not in the middle.
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute("INSERT INTO account (mail) VALUES (?1)", [mail])?;
    let payload = serde_json::json!({ "account": tx.last_insert_rowid(), "mail": mail }).to_string();
    tx.execute(
        "INSERT INTO onceward_outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'email.welcome', ?1, ?2)",
        [&payload, mail],
    )?;
    if roll_back { tx.rollback() } else { tx.commit() }
}
