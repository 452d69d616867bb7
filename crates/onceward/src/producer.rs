//! Enqueuing: on its own, or inside the caller's transaction.

use onceward_db::{Conn, ErrorKind};

use crate::store::enqueue::{Enqueue, Entered, Entry, enqueue};
use crate::{Enqueued, Error, NewJob, Onceward};

impl Onceward {
    /// Enqueues one job. It is durable when this returns.
    pub async fn enqueue(&self, job: impl Into<NewJob>) -> Result<Enqueued, Error> {
        first(self.enqueue_each(vec![job.into()]).await?)
    }

    /// Enqueues many jobs in one transaction; gives one result for each, in order. A conflict of one stops no other.
    pub async fn enqueue_each(&self, jobs: Vec<NewJob>) -> Result<Vec<Result<Enqueued, Error>>, Error> {
        Ok(self.enter(jobs).await?.into_iter().map(answer).collect())
    }

    pub(crate) async fn enter(&self, jobs: Vec<NewJob>) -> Result<Vec<Entered>, Error> {
        let entries = jobs.into_iter().map(Entry::new).collect::<Result<Vec<_>, _>>()?;
        Ok(self.db().fold::<Enqueue>(entries).await?)
    }

    /// Enqueues a job in the caller's transaction: it exists if and only if that commits.
    ///
    /// Only inserts. Takes `&mut tx` or `&mut *conn` of sqlx, of the database that holds the queue. On SQLite begin
    /// with `BEGIN IMMEDIATE`, on a connection with `synchronous=FULL`. Workers notice by themselves;
    /// [`Onceward::wake`] after the commit is a speed-up.
    ///
    /// # Errors
    /// `WrongStore` when the connection leads elsewhere. A conflict does not abort the transaction.
    pub async fn enqueue_in<'c>(
        &self,
        tx: impl Into<Conn<'c>>,
        job: impl Into<NewJob>,
    ) -> Result<Enqueued, Error> {
        let entry = Entry::new(job.into())?;
        let mut conn = self.adopt(tx).await?;
        let entered = enqueue(&mut conn, &[entry], self.db().clock().test_time()).await;
        first(entered.map_err(wrong_store)?.into_iter().map(answer).collect())
    }

    /// The caller's transaction, if it can be ours too.
    pub(crate) async fn adopt<'c>(&self, tx: impl Into<Conn<'c>>) -> Result<Conn<'c>, Error> {
        let mut conn = self.db().adopt(tx);
        if conn.engine() != self.engine() {
            return Err(Error::WrongStore(
                "the transaction belongs to another engine than the queue".to_owned(),
            ));
        }
        conn.require_full_sync().await?;
        Ok(conn)
    }
}

fn wrong_store(error: onceward_db::Error) -> Error {
    if error.kind() == ErrorKind::Schema {
        return Error::WrongStore(format!(
            "the job tables are not in the database of this transaction ({error}); open the queue beside it, or use an outbox"
        ));
    }
    error.into()
}

pub(crate) fn answer(entered: Entered) -> Result<Enqueued, Error> {
    match entered {
        Entered::As(enqueued) => Ok(enqueued),
        Entered::Conflict { existing } => Err(Error::DedupConflict { existing }),
        Entered::OtherMessage { existing } => Err(Error::MessageConflict { existing }),
        Entered::Behind => Err(Error::not_now("behind", "a job before it in its line was not made")),
    }
}

fn first(answers: Vec<Result<Enqueued, Error>>) -> Result<Enqueued, Error> {
    answers.into_iter().next().unwrap_or_else(|| Err(Error::NotFound("no answer".to_owned())))
}
