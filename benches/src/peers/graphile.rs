//! `graphile_worker`, by the program in `benches/peers`.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::ChildStdout;

use super::program;
use crate::Outcome;
use crate::server::Database;
use crate::watch::{Rate, Watch};

pub(super) async fn drain(jobs: usize, at_once: usize, queues: usize) -> Outcome<Rate> {
    let database = Database::fresh().await?;
    let mut child = program("drain-graphile-worker", &database)?
        .args([jobs, at_once, queues].map(|number| number.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut asked, said) = child.stdin.take().zip(child.stdout.take()).ok_or("it has no output")?;
    let mut said = BufReader::new(said).lines();
    await_line(&mut said, "ready").await?;
    let watch = Watch::of(child.id().ok_or("it has no process")?, database.process);
    asked.write_all(b"go\n").await?;
    await_line(&mut said, "drained").await?;
    let rate = watch.stop(jobs);
    if !child.wait().await?.success() {
        return Err("drain-graphile-worker failed; what it said is above".into());
    }
    database.drop().await?;
    Ok(rate)
}

async fn await_line(said: &mut Lines<BufReader<ChildStdout>>, word: &str) -> Outcome<()> {
    match said.next_line().await? {
        Some(line) if line == word => Ok(()),
        line => Err(format!("expected `{word}` of drain-graphile-worker, found {line:?}").into()),
    }
}
