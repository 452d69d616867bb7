//! Version 3: an outbox. The mail to send is a row, written in the account's transaction; a worker takes rows and sends.
//!
//! No mail is lost between account and queue any more. But the worker takes a row by marking it, and then sends: whoever
//! kills it in between, kills the mail. With the two lines turned around it would send, and be killed before it marks:
//! then the mail goes twice. There is no third order.

use std::time::Duration;

use crate::mail::{MailError, Mailer};
use crate::store::{Store, on};
use crate::{Fallible, Stop};

/// Between two looks at an empty table, and after a failure.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Three {
    pub(crate) store: Store,
}

impl Three {
    pub(crate) async fn sign_up(&self, email: &str) -> Fallible {
        on!(&self.store, pool => {
            let mut tx = pool.begin_with(self.store.begin()).await?;
            sqlx::query("INSERT INTO account (email) VALUES ($1)").bind(email).execute(&mut *tx).await?;
            sqlx::query("INSERT INTO mail (email, taken) VALUES ($1, 0)").bind(email).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }
}

/// Sends until `stop`.
pub(crate) async fn work(store: Store, mailer: Mailer, stop: Stop) {
    let stop = stop.told();
    tokio::pin!(stop);
    loop {
        if let Err(error) = send_one(&store, mailer).await {
            eprintln!("{error}");
        }
        tokio::select! {
            biased;
            () = &mut stop => return,
            () = pause(&store) => {}
        }
    }
}

async fn send_one(store: &Store, mailer: Mailer) -> Fallible {
    let Some(email) = take(store).await? else { return Ok(()) };
    // Here somebody pulls the plug.
    let Err(error) = mailer.send(&email).await else { return Ok(()) };
    if !matches!(error, MailError::Refused(_)) {
        put_back(store, &email).await?;
    }
    Err(format!("{email}: {error}").into())
}

/// Takes a row, so that no other worker does.
async fn take(store: &Store) -> Fallible<Option<String>> {
    const TAKE: &str = "UPDATE mail SET taken = 1 \
        WHERE email = (SELECT email FROM mail WHERE taken = 0 ORDER BY email LIMIT 1) AND taken = 0 \
        RETURNING email";
    Ok(on!(store, pool => sqlx::query_scalar(TAKE).fetch_optional(pool).await?))
}

async fn put_back(store: &Store, email: &str) -> Fallible {
    on!(store, pool => {
        sqlx::query("UPDATE mail SET taken = 0 WHERE email = $1").bind(email).execute(pool).await?;
    });
    Ok(())
}

/// How many rows wait.
pub(crate) async fn waiting(store: &Store) -> Fallible<i64> {
    const COUNT: &str = "SELECT count(*) FROM mail WHERE taken = 0";
    Ok(on!(store, pool => sqlx::query_scalar(COUNT).fetch_one(pool).await?))
}

/// Until there may be something to do.
async fn pause(store: &Store) {
    if !matches!(waiting(store).await, Ok(1..)) {
        tokio::time::sleep(PAUSE).await;
    }
}
