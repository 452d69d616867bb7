//! How do I save an account and be sure that its mail is sent? The job is written in the same transaction as the account.

use onceward::{Cause, Context, Done, Job, Onceward, Outcome, Receipt, Run, SendError, Worker};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Welcome {
    email: String,
}

impl Job for Welcome {
    const KIND: &'static str = "email.welcome";
    const QUEUE: &'static str = "mail";
}

impl Run for Welcome {
    type App = Mailer;

    async fn run(self, ctx: &Context<Mailer>) -> Outcome {
        // What is sent is frozen, and that it is about to be sent is on the disk, before the first byte leaves.
        let receipt = ctx
            .effect("send", self.email)
            .send(async |mail| ctx.app().send(&mail.key, &mail.request))
            .await?;
        Ok(Done::Receipt(receipt))
    }
}

/// Stands for your client; `key` is the same however often this mail is tried.
#[derive(Clone)]
struct Mailer(&'static str);

impl Mailer {
    fn send(&self, key: &str, to: &str) -> Result<Receipt, SendError> {
        if !to.contains('@') {
            return Err(SendError::NotSent(Cause::new("no_address", "there is nobody to send it to")));
        }
        println!("a mail from {} to {to}", self.0);
        Ok(Receipt::id(key))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}/app.db?mode=rwc", folder.path().display());
    let pool = sqlx::SqlitePool::connect(&url).await?;
    sqlx::raw_sql("CREATE TABLE account (email TEXT PRIMARY KEY)").execute(&pool).await?;
    let once = Onceward::beside_sqlite(&pool).await?;

    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query("INSERT INTO account (email) VALUES ('ada@example.org')").execute(&mut *tx).await?;
    once.enqueue_in(&mut tx, Welcome { email: "ada@example.org".to_owned() }).await?;
    tx.commit().await?; // the account and its job, or neither
    let mailer = Mailer("hello@example.org");
    let worker = Worker::builder(&once).register::<Welcome>(mailer).queue("mail", 20).build()?;
    println!("{} done", worker.run_until_idle().await?.done); // a service calls `run_until(shutdown)`
    Ok(())
}
