//! `riverqueue bench`, the benchmark that River brings. It enqueues, drains and measures by itself.

use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::program;
use crate::Outcome;
use crate::server::Database;
use crate::watch::{Rate, Watch};

/// By its own clock. Its CPU time counts from when its worker is there, and has its last look at what was done in it.
pub(super) async fn drain(jobs: usize, at_once: usize) -> Outcome<Rate> {
    let database = Database::fresh().await?;
    migrate(&database).await?;
    let mut child = bench(&database, jobs, at_once)?.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (watch, said) = watch(&mut child, &database).await?;
    let long = length(&said, jobs)
        .ok_or_else(|| format!("expected the last line of riverqueue bench to count {jobs} jobs: {said}"))?;
    let rate = watch.stop_after(long, jobs);
    child.wait().await?;
    database.drop().await?;
    Ok(rate)
}

async fn migrate(database: &Database) -> Outcome<()> {
    let Output { status, stderr, .. } = program("riverqueue", database)?.arg("migrate-up").output().await?;
    if status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&stderr).into()) }
}

fn bench(database: &Database, jobs: usize, at_once: usize) -> Outcome<Command> {
    let (jobs, at_once) = (jobs.to_string(), at_once.to_string());
    let mut command = program("riverqueue", database)?;
    // What it counts with takes in as many at a time as the backlog has, and fails above that.
    command.args(["bench", "--num-total-jobs", &jobs, "--backlog", &jobs, "--max-workers", &at_once]);
    Ok(command)
}

/// From when its worker is there until it has closed its output; and what it said.
async fn watch(child: &mut Child, database: &Database) -> Outcome<(Watch, String)> {
    let process = child.id().ok_or("riverqueue has no process")?;
    let (mut out, mut errors) =
        child.stdout.take().zip(child.stderr.take()).ok_or("riverqueue has no output")?;
    let ended = async move {
        let (mut said, mut complained) = (String::new(), String::new());
        tokio::try_join!(out.read_to_string(&mut said), errors.read_to_string(&mut complained))?;
        std::io::Result::Ok(said + &complained)
    };
    tokio::pin!(ended);
    let watch = tokio::select! {
        begun = works(database) => {
            begun?;
            Watch::of(process, database.process)
        }
        said = &mut ended => return Err(format!("riverqueue bench ended before it began: {}", said?).into()),
    };
    Ok((watch, ended.await?))
}

/// A worker of River writes down its queue just before it begins.
async fn works(database: &Database) -> Outcome<()> {
    let mut conn = database.connect().await?;
    while !sqlx::query_scalar("SELECT EXISTS (SELECT FROM river_queue)").fetch_one(&mut conn).await? {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

/// How long it took for all of them, from its last line.
#[expect(clippy::cast_precision_loss, reason = "counts here stay far below 2^52")]
fn length(said: &str, jobs: usize) -> Option<Duration> {
    let number = |word: &str| {
        let (_, rest) = said.rsplit_once(word)?;
        rest.split(']').next()?.trim().parse::<f64>().ok()
    };
    let all = number("total jobs worked [")? >= jobs as f64;
    all.then_some(())?;
    Some(Duration::from_secs_f64(jobs as f64 / number("overall job/sec [")?))
}
