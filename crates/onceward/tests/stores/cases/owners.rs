//! On SQLite the file of a process tells at once that it is gone, and that of the store when that is.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use onceward::{Context, Done, NewJob, Outcome, Worker};

use crate::harness::{Store, Verdict};

const GONE: &str = "00000000000000000000000000000001";

/// The file that a killed process left: nobody holds it.
fn left(store: &Store) -> std::io::Result<PathBuf> {
    let path = format!("{}-owner-{GONE}", store.url.trim_start_matches("sqlite://"));
    fs::write(&path, "")?;
    Ok(path.into())
}

pub(crate) async fn what_killed_processes_left_is_removed(store: &Store) -> Verdict {
    if !store.is_sqlite() {
        return Ok(());
    }
    let (file, another) = (left(store)?, store.another().await?);
    store.once.keep_house(Duration::from_hours(1)).await?;
    assert!(!file.exists(), "nobody holds it, and it owns nothing");
    assert!(!store.once.db().is_gone(another.db().boot().id()));
    let folder = file.parent().ok_or("a folder")?;
    let files = fs::read_dir(folder)?.flatten().filter(|file| file.file_name().to_string_lossy().contains("-owner-"));
    assert_eq!(files.count(), 2, "those of the living stay");
    Ok(())
}

pub(crate) async fn a_process_that_is_gone_is_not_called_alive(store: &Store) -> Verdict {
    if !store.is_sqlite() {
        return Ok(());
    }
    let sign = format!(
        "INSERT INTO @worker (boot, queues, started_at, seen_at) SELECT '{GONE}', '[]', t, t
         FROM (SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER) AS t)"
    );
    store.execute(&sign).await?;
    assert_eq!(store.once.status().await?.workers.len(), 1, "it may be on its way");
    left(store)?;
    assert_eq!(store.once.status().await?.workers, []);
    Ok(())
}

pub(crate) async fn a_run_until_idle_takes_over_from_the_dead_whatever_is_due(store: &Store) -> Verdict {
    if !store.is_sqlite() {
        return Ok(());
    }
    store.once.enqueue(NewJob::untyped("mail", "welcome", "{}")).await?;
    let hold = format!(
        "UPDATE @job SET state = 'running', purpose = 'run', lease_token = 't', lease_owner = '{GONE}', attempts = 1,
         claim_no = 1, claimed_at = run_at, leased_until = run_at + 3600000000"
    );
    store.execute(&hold).await?;
    store.execute("UPDATE @duty SET next_at = next_at + 4000000000000000").await?;
    let mark = left(store)?;
    let fine = async |_: Context<()>| -> Outcome { Ok(Done::Nothing) };
    let worker = Worker::builder(&store.once).register_fn("welcome", 1, (), fine).queue("mail", 1).build()?;
    assert_eq!(worker.run_until_idle().await?.done, 1);
    assert!(!mark.exists(), "it owns nothing any more");
    Ok(())
}

pub(crate) async fn a_worker_ends_when_its_store_is_deleted_or_replaced(store: &Store) -> Verdict {
    if !store.is_sqlite() {
        return Ok(());
    }
    let path = store.url.trim_start_matches("sqlite://");
    fs::copy(path, format!("{path}-other"))?;
    for (replaced, word) in [(true, "was replaced"), (false, "was deleted")] {
        let once = store.another().await?;
        let worker = Worker::builder(&once).queue("mail", 1).build()?;
        let working = async { worker.run_until(std::future::pending()).await };
        let losing = async {
            // Asking the store takes its time, so this is no busy loop.
            while !matches!(once.status().await, Ok(status) if !status.workers.is_empty()) {}
            if replaced { fs::rename(format!("{path}-other"), path) } else { fs::remove_file(path) }
        };
        let both = async { tokio::join!(working, losing) };
        let (ended, lost) = tokio::time::timeout(Duration::from_secs(20), Box::pin(both)).await?;
        lost?;
        let error = ended.expect_err("its store is gone").to_string();
        assert!(error.contains(path) && error.contains(word), "{error}");
    }
    Ok(())
}
