//! What is in a database is compared with what the migrations make.

use onceward::{OUTBOX_TABLES, Onceward, QUEUE_TABLES};
use onceward_db::Drift;

use crate::harness::{Store, Verdict};

pub(crate) async fn the_migrations_texts_name_all_that_they_make(store: &Store) -> Verdict {
    onceward::Outbox::open(&store.url).await?.migrate().await?;
    store.once.keep_house(std::time::Duration::from_hours(1)).await?;
    let drift = store.once.db().drift(&[QUEUE_TABLES, OUTBOX_TABLES]).await?;
    assert_eq!(drift, Drift::default());
    Ok(())
}

pub(crate) async fn what_is_missing_is_named(store: &Store) -> Verdict {
    for broken in [
        "DROP VIEW @maybe_sent",
        "DROP TABLE @alert",
        "DROP INDEX @job_lone",
        "ALTER TABLE @schedule DROP COLUMN owner",
        "CREATE TABLE @mine (id INTEGER)",
    ] {
        store.execute(broken).await?;
    }
    let name = |text: &str| text.replace('@', if store.is_sqlite() { "onceward_" } else { "onceward." });
    let names = |texts: &[&str]| texts.iter().copied().map(name).collect::<Vec<_>>();
    let drift = store.once.db().drift(&[QUEUE_TABLES]).await?;
    assert_eq!(
        drift.missing,
        names(&["column @schedule.owner", "index @job_lone", "table @alert", "view @maybe_sent"])
    );
    assert_eq!(drift.unknown, names(&["column @mine.id", "table @mine"]));
    if !store.is_sqlite() {
        store.execute("DROP FUNCTION onceward.enqueue").await?;
        let drift = store.once.db().drift(&[QUEUE_TABLES]).await?;
        assert!(drift.missing.contains(&"function onceward.enqueue".to_owned()), "{drift:?}");
    }
    Ok(())
}

pub(crate) async fn a_running_job_without_a_lease_is_a_contradiction(store: &Store) -> Verdict {
    let job = || onceward::NewJob::untyped("mail", "welcome", "{}");
    store.once.enqueue_each((0..9).map(|_| job()).collect::<Vec<_>>()).await?;
    assert_eq!(Onceward::contradictions(store.once.db()).await?, []);
    store.execute("UPDATE @job SET state = 'running' WHERE id > 2").await?;
    let found = Onceward::contradictions(store.once.db()).await?;
    assert_eq!((found.len(), found[0].jobs, found[0].first.as_str()), (1, 7, "3, 4, 5, 6, 7"));
    if store.is_sqlite() {
        store.execute("UPDATE @job SET payload = 'hello' WHERE id = 1").await?;
        store.execute("UPDATE @job SET state = 'lost' WHERE id = 2").await?;
        let found = Onceward::contradictions(store.once.db()).await?;
        assert_eq!(found.iter().map(|one| one.first.as_str()).collect::<Vec<_>>(), ["2", "3, 4, 5, 6, 7", "1"]);
    }
    Ok(())
}
