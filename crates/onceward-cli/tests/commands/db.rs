//! The database itself.

use std::fs;

use held_port::HeldPort;
use serde_json::json;

use crate::support::{CONFIG, Place, Ran};

/// Jobs on many pages.
fn fill(place: &Place) {
    let line = |n: usize| format!("{{\"payload\":\"{}\"}}", "x".repeat(n * 100));
    let lines = (0..50).map(line).collect::<Vec<_>>().join("\n");
    let ran = place.fed(&["enqueue", "--batch", "--queue", "mail", "--kind", "k"], &lines);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Breaks the heads of the pages in the last quarter, which are those of jobs. The tables' first pages stay, so that the
/// file can be opened.
fn damage(place: &Place) {
    let file = place.path("onceward.db");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() / 4 * 3 / 4096 * 4096;
    bytes[last..].chunks_mut(4096).for_each(|page| page[..16].fill(0xa5));
    fs::write(&file, bytes).unwrap();
}

#[test]
fn a_backup_is_a_store_with_every_job_that_only_its_owner_can_read() {
    let place = Place::new(CONFIG);
    place.run(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "7"]);
    let ran = place.line("db backup copy.db --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["bytes"], fs::metadata(place.path("copy.db")).unwrap().len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(place.path("copy.db")).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let job = place.line("jobs show 1 --json --store sqlite://copy.db");
    assert_eq!(job.json()["payload"], 7);
}

#[test]
fn a_backup_overwrites_nothing() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    fs::write(place.path("mine.db"), "mine").unwrap();
    let ran = place.line("db backup mine.db --json");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("exists")));
    assert_eq!(fs::read_to_string(place.path("mine.db")).unwrap(), "mine");
}

#[test]
fn a_backup_that_fails_leaves_no_file() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    let ran = place.line("db backup gone/copy.db");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("gone/copy.db") && ran.err.contains("make it first"), "{ran:?}");
    fill(&place);
    damage(&place);
    let ran = place.line("db backup copy.db");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("back_up"), "the copying failed, not the opening: {ran:?}");
    let names = fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with("copy.db")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_look_at_a_store_that_is_not_there_makes_none() {
    let place = Place::new(CONFIG);
    for line in [
        "db check",
        "db backup copy.db",
        "status",
        "jobs list",
        "jobs show 1",
        "dead list",
        "doubt list",
        "queues list",
        "contents list",
    ] {
        let ran = place.line(&format!("{line} --json"));
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("not_found")), "{line}");
        assert!(ran.out.contains("onceward.db: there is no such store"), "{ran:?}");
    }
    assert!(!place.path("onceward.db").exists() && !place.path("copy.db").exists());
}

#[test]
fn a_check_finds_a_damaged_page() {
    let place = Place::new(CONFIG);
    fill(&place);
    let before = place.line("db check --json");
    assert_eq!(
        (before.code, &before.json()["ok"], &before.json()["engine"]),
        (0, &json!(true), &json!("sqlite"))
    );
    assert_eq!(before.json()["schema"][0]["component"], "queue");
    assert_eq!(before.json()["schema"][0]["version"], before.json()["schema"][0]["needed"]);
    damage(&place);
    let ran = place.line("db check --json");
    assert_eq!((ran.code, &ran.json()["ok"]), (1, &json!(false)), "{ran:?}");
    assert!(!ran.json()["problems"].as_array().unwrap().is_empty(), "{ran:?}");
    assert!(!place.line("db check").out.contains("all is well"));
}

#[test]
fn an_empty_variable_is_as_good_as_none() {
    let place = Place::new(CONFIG);
    fs::remove_file(place.path("onceward.toml")).unwrap();
    let mut enqueue = place.command(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "7"]);
    let ran: Ran = enqueue.envs([("ONCEWARD_STORE", ""), ("ONCEWARD_CONFIG", "")]).output().unwrap().into();
    assert_eq!(ran.code, 2, "no store is named: {ran:?}");
    assert!(!place.path("onceward.db").exists(), "a stray store");
}

#[tokio::test]
async fn a_check_says_what_is_missing_and_what_is_newer() {
    use sqlx::{Connection, SqliteConnection};
    let place = Place::new(CONFIG);
    place.run(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "7"]);
    let file = format!("sqlite://{}", place.path("onceward.db").display());
    let sql = async |text: &'static str| {
        let mut conn = SqliteConnection::connect(&file).await.unwrap();
        sqlx::query(text).execute(&mut conn).await.unwrap();
    };
    sql("INSERT INTO onceward_migration (component, version) VALUES ('publish', 99)").await;
    let ran = place.line("db check");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.starts_with("all is well\nthe publish tables are at version 99, which is newer"),
        "{ran:?}"
    );
    for line in ["jobs list", "work --until-idle"] {
        let ran = place.line(line);
        assert_eq!(
            ran.err.matches("the publish tables are at version 99, which is newer").count(),
            1,
            "{ran:?}"
        );
    }
    sql("UPDATE onceward_job SET state = 'running'").await;
    let ran = place.line("db check");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.starts_with("1 jobs are running without a lease (the first: 1)"), "{ran:?}");
    sql("DROP INDEX onceward_job_due").await;
    sql("DROP TABLE onceward_event").await;
    let ran = place.line("db check");
    assert_eq!(ran.code, 1, "{ran:?}");
    let missing = "missing: index onceward_event_what, index onceward_job_due, table onceward_event. ";
    assert!(ran.out.starts_with(missing) && ran.out.contains("put a backup in place"), "{ran:?}");
    sql("DROP TABLE onceward_migration").await;
    assert!(place.line("db check").out.contains("table onceward_migration"));
}

#[test]
fn a_file_that_is_no_database_is_told_with_its_name() {
    let place = Place::new(CONFIG);
    fs::write(
        place.path("onceward.db"),
        "this is no database, but a text that is longer than a header would be".repeat(20),
    )
    .unwrap();
    for line in ["db check", "status", "work --until-idle"] {
        let ran = place.line(line);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{line} {ran:?}");
        assert!(ran.err.contains("onceward.db") && ran.err.contains("not a database"), "{ran:?}");
    }
}

#[test]
fn a_store_that_cannot_be_is_named_once_with_what_to_do() {
    let place = Place::new(CONFIG);
    fs::create_dir(place.path("a-folder")).unwrap();
    fs::write(place.path("text.db"), "no database, but longer than a header would be".repeat(20)).unwrap();
    for (store, advice) in [
        ("a-folder", "it is a folder"),
        ("gone/a.db", "make it first"),
        ("text.db", "name another file, or put a backup in its place"),
    ] {
        let ran = place.line(&format!("work --until-idle --store sqlite://{store}"));
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(advice) && ran.err.matches(store).count() == 1, "{ran:?}");
    }
}

#[test]
fn a_migration_tells_its_steps_and_a_second_one_has_none() {
    let place = Place::new(CONFIG);
    let first = place.line("db migrate --json");
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.json()["steps"].as_u64().unwrap() >= 2, "{first:?}");
    assert_eq!(place.line("db migrate --json").json()["steps"], 0);
    assert!(place.line("db migrate").out.contains("nothing to do"));
}

#[test]
fn the_sql_is_printed_for_the_engine_that_is_named_and_nothing_is_opened() {
    let place = Place::new(CONFIG);
    let lite = place.line("db migrate --print");
    assert!(lite.out.contains("CREATE TABLE onceward_job") && lite.code == 0, "{lite:?}");
    let pg = place.line("db migrate --print --store postgres://nobody@nowhere.invalid/none");
    assert!(pg.out.contains("CREATE TABLE onceward.job") && pg.code == 0, "{pg:?}");
    assert!(!place.path("onceward.db").exists());
}

#[tokio::test]
async fn a_database_of_another_program_is_left_as_it_is_unless_asked() {
    use sqlx::{Connection, SqliteConnection};
    let place = Place::new(CONFIG);
    let file = place.path("theirs.db");
    let mut conn = SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", file.display())).await.unwrap();
    sqlx::query("CREATE TABLE notes (text TEXT)").execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
    let before = fs::read(&file).unwrap();
    fs::write(place.path("a.md"), "---\ntitle: A\n---\nText.").unwrap();
    for line in ["status", "work --until-idle", "publish a.md", "publish a.md --dry-run", "jobs list"] {
        let ran = place.line(&format!("{line} --store sqlite://theirs.db --json"));
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("store_foreign")), "{line}");
        assert!(ran.out.contains("onceward db migrate"), "{ran:?}");
    }
    assert!(fs::read(&file).unwrap() == before, "not a byte has changed");
    assert_eq!(place.line("db migrate --store sqlite://theirs.db").code, 0);
    assert_eq!(place.line("status --store sqlite://theirs.db").code, 0);
}

#[test]
fn a_postgres_that_is_down_is_told_with_its_address_and_without_the_password() {
    let place = Place::new(CONFIG);
    let nobody = HeldPort::new().unwrap();
    let port = nobody.number();
    let ran = place.line(&format!("status --store postgres://me:s3cr3t@127.0.0.1:{port}/db --json"));
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("store_unreachable")), "{ran:?}");
    let text = ran.json()["error"]["text"].as_str().unwrap().to_owned();
    for part in ["refused", &format!("at 127.0.0.1:{port}"), "see that it is running"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("s3cr3t") && !ran.err.contains("s3cr3t"), "{ran:?}");
}

#[test]
fn a_copy_that_is_said_to_be_one_tells_it_once_with_a_sensible_time() {
    let place = Place::new(CONFIG);
    place.run(&[
        "enqueue",
        "--queue",
        "mail",
        "--kind",
        "k",
        "--payload",
        "7",
        "--run-at",
        "2999-01-01T00:00:00Z",
    ]);
    assert_eq!(place.line("db backup copy.db").code, 0);
    fs::copy(place.path("onceward.db"), place.path("cp.db")).unwrap();
    for file in ["copy.db", "cp.db"] {
        let ran = place.line(&format!("db restored --store sqlite://{file}"));
        assert!(ran.out.contains("restored: 1 of mail"), "{file}: {ran:?}");
        assert_eq!(ran.err.matches("lost its last commits").count(), 1, "{file}: {ran:?}");
        assert!(!ran.err.contains("1970"), "{file}: {ran:?}");
    }
}

#[test]
fn an_empty_copy_has_nothing_that_may_have_been_sent() {
    let place = Place::new(CONFIG);
    assert_eq!(place.line("db migrate").code, 0);
    let ran = place.line("db restored");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("no job") && !ran.err.contains("1970"), "{ran:?}");
}

#[test]
fn a_copy_that_is_yet_to_be_made_was_not_restored() {
    let place = Place::new(CONFIG);
    let ran = place.line("db restored --made-at 2100-01-01T00:00:00Z");
    assert!(ran.code == 2 && ran.err.contains("is in the future"), "{ran:?}");
    assert_eq!(place.line("db restored --made-at 2026-01-01T00:00:00Z").code, 0);
}
