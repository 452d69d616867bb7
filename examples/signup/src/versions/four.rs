//! Version 4: Onceward. The job is written in the account's transaction; a worker leases it, and what it does to the
//! world goes through the effect ledger.

pub(crate) mod nats;
pub(crate) mod queue;
pub(crate) mod rabbitmq;

use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::{
    Cause, Context, Failure, Job, Onceward, Outbox, Outcome, Purpose, Receipt, Run, SendError, Worker,
};
use serde::{Deserialize, Serialize};

use crate::mail::{MailError, Mailer};
use crate::store::{Store, on};
use crate::{Fallible, Stop};

/// Waits of 0.2, 0.4, 0.8 seconds and so on; the tenth failure is dead.
const RETRY: RetryPolicy = RetryPolicy {
    max_attempts: 10,
    base: Duration::from_millis(200),
    max: Duration::from_mins(1),
    ..RetryPolicy::GENERIC
};

/// The mail to a new account.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    pub(crate) email: String,
}

impl Job for Welcome {
    const KIND: &'static str = "email.welcome";
    const QUEUE: &'static str = "mail";
}

impl Run for Welcome {
    type App = Mailer;

    async fn run(self, ctx: &Context<Mailer>) -> Outcome {
        let mailer = *ctx.app();
        // Up to the dot everything can be done again unseen, so it stands outside of the effect. The dot is the effect:
        // that it is about to leave is on the disk before it leaves.
        let open = match ctx.job().purpose {
            Purpose::Run => Some(mailer.open(&self.email).await.map_err(failure)?),
            Purpose::Verify => None,
        };
        let receipt = ctx
            .effect("mail", self.email)
            .timeout(mailer.patience)
            .closes()
            .send(async move |_| match open {
                Some(open) => Ok(Receipt::id(open.dot().await.map_err(said)?)),
                None => Err(SendError::NotSent(Cause::new("only_asked", "nothing was to be sent"))),
            })
            .await?;
        Ok(receipt.into())
    }
}

/// What a broken dialogue means for the job, before the dot.
fn failure(error: MailError) -> Failure {
    match error {
        MailError::Refused(why) => Failure::permanent(Cause::new("refused", why)),
        MailError::NotSent(why) => Failure::transient(Cause::new("not_sent", why)),
        MailError::Unknown(why) => Failure::InDoubt { cause: Cause::new("no_reply", why) },
    }
}

/// The same from the dot on.
fn said(error: MailError) -> SendError {
    match error {
        MailError::Refused(_) => SendError::Refused(failure(error)),
        MailError::NotSent(why) => SendError::Refused(Failure::transient(Cause::new("later", why))),
        MailError::Unknown(why) => SendError::Unknown(Cause::new("no_reply", why)),
    }
}

/// Where the account's transaction writes its mail.
#[derive(Debug)]
pub(crate) enum Way {
    /// Straight into the queue, which is in the same database.
    Jobs(Onceward),
    /// Into the outbox; a relay carries it to where the queue is.
    Outbox(Outbox),
}

#[derive(Debug)]
pub(crate) struct Four {
    pub(crate) store: Store,
    pub(crate) way: Way,
}

impl Four {
    pub(crate) async fn sign_up(&self, email: &str) -> Fallible {
        let welcome = Welcome { email: email.to_owned() };
        on!(&self.store, pool => {
            let mut tx = pool.begin_with(self.store.begin()).await?;
            sqlx::query("INSERT INTO account (email) VALUES ($1)").bind(email).execute(&mut *tx).await?;
            match &self.way {
                Way::Jobs(once) => drop(once.enqueue_in(&mut tx, welcome).await?),
                Way::Outbox(outbox) => drop(outbox.enqueue_in(&mut tx, welcome).await?),
            }
            tx.commit().await?; // the account and its mail, or neither
        });
        Ok(())
    }
}

/// Sends until `stop`, so many mails at once. A worker that is killed loses its jobs to others: on SQLite at once, on
/// PostgreSQL when its lease is over.
pub(crate) async fn work(
    once: &Onceward,
    mailer: Mailer,
    (at_once, lease): (usize, Duration),
    stop: Stop,
) -> Fallible {
    let worker = Worker::builder(once)
        .register::<Welcome>(mailer)
        .queue_with(Welcome::QUEUE, at_once, RETRY)
        .lease(lease)
        .build()?;
    worker.run_until(stop.told()).await?;
    Ok(())
}
