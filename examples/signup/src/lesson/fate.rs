//! What a version itself says became of its mails, and whether it is through with them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use onceward::{Filter, ReviveOptions, State};

use crate::Fallible;
use crate::store::{Store, on};
use crate::versions::four::Welcome;
use crate::versions::four::queue::{Queue, outbox};
use crate::versions::three;

/// A lease that must run out, the longest wait for another try, and a busy machine.
const THROUGH: Duration = Duration::from_secs(90);

/// Whose mail is in doubt, and whose is dead.
#[derive(Debug, Default)]
pub(crate) struct Fate {
    pub(crate) in_doubt: BTreeSet<String>,
    /// With the code of its error.
    pub(crate) dead: BTreeMap<String, String>,
}

/// One job: its state, its payload, whether it waits for a person, and its error's code.
type Job = (String, String, bool, Option<String>);

/// Waits until a version has nothing to do any more, and asks it what became of its mails.
pub(crate) async fn fate(version: u8, queue: &Queue, store: &Store) -> Fallible<Fate> {
    let deadline = Instant::now() + THROUGH;
    loop {
        let left = left(version, queue, store).await;
        match &left {
            Ok(left) if left.is_empty() => break,
            _ if Instant::now() > deadline => {
                return Err(format!("version {version} is not through after {THROUGH:?}: {left:?}").into());
            }
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    let mut fate = Fate::default();
    if version == 4 {
        for (state, payload, _, code) in jobs(queue, store).await? {
            let Welcome { email } = serde_json::from_str(&payload)?;
            match state.as_str() {
                "in_doubt" => drop(fate.in_doubt.insert(email)),
                "dead" => drop(fate.dead.insert(email, code.unwrap_or_default())),
                _ => {}
            }
        }
    }
    Ok(fate)
}

/// Another budget for those that are dead of crashes, as a person would give it who killed the workers; gives how many.
///
/// A job that was running alone each of the three times that its worker was killed looks like one that kills its worker.
pub(crate) async fn revive_crashed(queue: &Queue, store: &Store) -> Fallible<usize> {
    let once = queue.jobs(store).await?;
    let crashed = Filter { error: Some("crashed".to_owned()), ..Filter::state(State::Dead) };
    let revived = once.revive(crashed, &ReviveOptions::default()).await?.revived.len();
    once.close().await;
    Ok(revived)
}

/// What is still to be done.
async fn left(version: u8, queue: &Queue, store: &Store) -> Fallible<Vec<String>> {
    match version {
        3 => Ok((0..three::waiting(store).await?).map(|row| format!("row {row}")).collect()),
        4 => {
            let (jobs, accounts) = (jobs(queue, store).await?, store.accounts().await?.len());
            let mut left: Vec<String> = (jobs.len()..accounts).map(|_| "no job yet".to_owned()).collect();
            if *queue != Queue::Here {
                let lag = outbox(store).await?.lag().await?;
                left.extend((lag.waiting > 0).then(|| format!("{lag:?}")));
            }
            let open = jobs.iter().filter(|(state, _, parked, _)| match state.as_str() {
                "pending" | "running" => true,
                "in_doubt" => !parked,
                _ => false,
            });
            left.extend(open.map(|job| format!("{job:?}")));
            Ok(left)
        }
        _ => Ok(Vec::new()),
    }
}

async fn jobs(queue: &Queue, store: &Store) -> Fallible<Vec<Job>> {
    match queue {
        Queue::Elsewhere(url) => {
            let there = Store::open(url).await?;
            let jobs = all(&there).await;
            there.close().await;
            jobs
        }
        Queue::Here | Queue::Nats(_) | Queue::RabbitMq(_) => all(store).await,
    }
}

/// By SQL of the lesson's own.
async fn all(store: &Store) -> Fallible<Vec<Job>> {
    const SQLITE: &str = "SELECT state, payload, check_at IS NULL, error_code FROM onceward_job_all";
    const POSTGRES: &str = "SELECT state, payload, check_at IS NULL, error_code FROM onceward.job_all";
    let sql = if matches!(store, Store::Sqlite(_)) { SQLITE } else { POSTGRES };
    Ok(on!(store, pool => sqlx::query_as(sql).fetch_all(pool).await?))
}
