//! What the jobs of an actor do.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onceward::{
    Cause, Class, Context, Done, Failure, Fallback, Intent, Job, JobId, Outcome, Receipt, Run, Seen,
};
use onceward_tests::fact::Fact;
use onceward_tests::orders::{Act, KIND, Offer, QUEUE};
use onceward_tests::peer::ask;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgConnection};

/// What the handlers share.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    url: String,
    /// Jobs whose handler returned as done, and whose end is not acknowledged yet.
    pub(crate) returned: Arc<Mutex<Vec<JobId>>>,
}

impl Stage {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.split('?').next().unwrap_or(url).to_owned(), returned: Arc::default() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Played(Act);

impl Job for Played {
    const KIND: &'static str = KIND;
    const QUEUE: &'static str = QUEUE;
}

impl Run for Played {
    type App = Stage;

    async fn run(self, ctx: &Context<Stage>) -> Outcome {
        let job = ctx.job();
        let (token, claim_no) = (job.lease.token.clone(), job.claim_no);
        Fact::Started { job: job.lease.job, claim_no, token, lone: job.lone }.say();
        let done = act(self.0, ctx).await?;
        if done == Done::Nothing {
            ctx.app().returned.lock().unwrap_or_else(PoisonError::into_inner).push(job.lease.job);
        }
        Ok(done)
    }
}

async fn act(act: Act, ctx: &Context<Stage>) -> Outcome {
    let first = ctx.job().attempt == 1;
    match act {
        Act::Take { ms } => tokio::time::sleep(Duration::from_millis(ms)).await, // sleeps: work that takes time
        Act::StallOnce { ms } if first => return Ok(stall(ms, ctx)),
        Act::StallOnce { ms } => tokio::time::sleep(Duration::from_millis(2 * ms)).await, // sleeps: the other wakes meanwhile
        Act::Complete => return Ok(complete(ctx).await?),
        Act::HangOnce if first => std::future::pending().await,
        Act::Panic => panic!("{}", rant(100)),
        Act::Abort => std::process::abort(),
        Act::Loop => loop {
            tokio::task::yield_now().await;
        },
        Act::Block => block(),
        Act::Post { port, name, offer } => return post(port, name, offer, ctx).await,
        Act::Die => return Err(Failure::permanent(Cause::new("told_to_die", "as it was told"))),
        Act::Rant => return Err(Failure::transient(Cause::new("rant", rant(10 << 20)))),
        Act::Nothing | Act::HangOnce => {}
    }
    Ok(Done::Nothing)
}

/// How long a post, or a look, may take.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How long a fresh post may stay unseen.
const LAG: Duration = Duration::from_millis(100);

async fn post(port: u16, name: u32, offer: Offer, ctx: &Context<Stage>) -> Outcome {
    let effect = ctx.effect("post", name).timeout(TIMEOUT);
    let send = async |intent: Intent<u32>| {
        ask(port, &format!("post {} {}", intent.request, intent.key)).await?;
        Ok(Receipt::id(name.to_string()))
    };
    let receipt = match offer {
        Offer::Look => {
            let look = async |intent: Intent<u32>| match ask(port, &format!("look {}", intent.request)).await
            {
                Ok(said) if said == "found" => Seen::Found(Receipt::id(name.to_string())),
                Ok(said) if said == "absent" => Seen::Absent,
                _ => Seen::CannotTell,
            };
            effect.class(Class::LookUp { lag: LAG }).verify(look).send(send).await?
        }
        Offer::Key => {
            let day = Duration::from_hours(24);
            effect.class(Class::Keyed { window: day, fallback: Fallback::Blind }).send(send).await?
        }
        Offer::Sameness => effect.class(Class::Deterministic).send(send).await?,
        Offer::Nothing => effect.class(Class::Blind).send(send).await?,
    };
    Ok(receipt.into())
}

/// Deaf to the loss of its lease, it settles itself when it wakes, and says that it was refused.
fn stall(ms: u64, ctx: &Context<Stage>) -> Done {
    tokio::task::block_in_place(|| {
        std::thread::sleep(Duration::from_millis(ms)); // sleeps: the process is stopped meanwhile
        let done = tokio::runtime::Handle::current().block_on(complete(ctx));
        done.unwrap_or_else(|code| {
            Fact::Refused { job: ctx.job().lease.job, code }.say();
            Done::Nothing
        })
    })
}

/// Settles the job in a transaction of the handler's own; says that it is done once that has committed.
async fn complete(ctx: &Context<Stage>) -> Result<Done, String> {
    let url = &ctx.app().url;
    let done = if url.starts_with("sqlite:") {
        complete_sqlite(ctx, url).await
    } else {
        complete_postgres(ctx, url).await
    };
    let done = done.map_err(|error| match error.downcast::<onceward::Error>() {
        Ok(ours) => ours.code().to_owned(),
        Err(other) => other.to_string(),
    })?;
    Fact::Done { job: ctx.job().lease.job }.say();
    Ok(done)
}

type Completed = Result<Done, Box<dyn std::error::Error + Send + Sync>>;

async fn complete_sqlite(ctx: &Context<Stage>, url: &str) -> Completed {
    let options = SqliteConnectOptions::from_str(url)?.synchronous(SqliteSynchronous::Full);
    let mut conn = options.busy_timeout(Duration::from_mins(1)).connect().await?;
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
    let done = ctx.complete_in(&mut tx).await?;
    tx.commit().await?;
    Ok(done)
}

async fn complete_postgres(ctx: &Context<Stage>, url: &str) -> Completed {
    let mut conn = PgConnection::connect(url).await?;
    let mut tx = conn.begin().await?;
    let done = ctx.complete_in(&mut tx).await?;
    tx.commit().await?;
    Ok(done)
}

/// Keeps its thread for ever.
fn block() -> ! {
    loop {
        std::thread::park();
    }
}

/// NUL, escape sequences, lone surrogates as far as a string can hold them, and so many bytes more.
fn rant(bytes: usize) -> String {
    let mut text = String::from_utf8_lossy(b"\0 \x1b[31m \xed\xa0\x80 \xed\xb0\x80 \\u0000 ").into_owned();
    text.push_str(&"x".repeat(bytes));
    text
}
