//! Saves accounts and, in the same transaction, the mail that each of them is owed.
//!
//! `by-diesel app.db [--roll-back] ada@example.org …`

#![allow(missing_docs, reason = "the modules that diesel's macro makes have none")]

use std::error::Error;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error as Failure;

diesel::table! {
    account (id) { id -> BigInt, mail -> Text, }
}

diesel::table! {
    #[sql_name = "onceward_outbox"]
    outbox (id) { id -> BigInt, queue -> Text, kind -> Text, payload -> Text, ordering_key -> Nullable<Text>, }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let (path, mails) = words.split_first().ok_or("name a database")?;
    let mut db = SqliteConnection::establish(path)?;
    // With less than `FULL`, a power cut loses what was committed.
    db.batch_execute("PRAGMA busy_timeout = 30000; PRAGMA synchronous = FULL")?;
    db.batch_execute("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)")?;
    for mail in mails {
        match sign_up(&mut db, mail, flags.iter().any(|flag| flag == "--roll-back")) {
            Err(Failure::RollbackTransaction) => eprintln!("{mail}: this transaction was to fail"),
            done => done?,
        }
    }
    Ok(())
}

fn sign_up(db: &mut SqliteConnection, mail: &str, roll_back: bool) -> Result<(), Failure> {
    // Immediate: it waits for other writers at its begin, and not in the middle.
    db.immediate_transaction(|db| {
        let insert = diesel::insert_into(account::table).values(account::mail.eq(mail));
        let id: i64 = insert.returning(account::id).get_result(db)?;
        let payload = serde_json::json!({ "account": id, "mail": mail }).to_string();
        let row = (outbox::queue.eq("mail"), outbox::kind.eq("email.welcome"), outbox::payload.eq(payload));
        diesel::insert_into(outbox::table).values((row, outbox::ordering_key.eq(mail))).execute(db)?;
        if roll_back { Err(Failure::RollbackTransaction) } else { Ok(()) }
    })
}
