//! What differs on PostgreSQL.

use held_port::HeldPort;
use onceward::Onceward;
use serde_json::json;
use sqlx::{Connection, PgConnection};

use crate::support::{CONFIG, Place, worker};

/// A new and empty database.
async fn database() -> String {
    let server = std::env::var("ONCEWARD_TEST_POSTGRES")
        .expect("ONCEWARD_TEST_POSTGRES is not set: run the tests by ./dev test");
    let name = format!("cli_{}_{}", std::process::id(), onceward::Time::now().micros());
    let mut conn = PgConnection::connect(&server).await.unwrap();
    // The driver runs static text only; a test's own statement may live for ever.
    sqlx::query(format!("CREATE DATABASE {name}").leak() as &'static str).execute(&mut conn).await.unwrap();
    let (base, _) = server.rsplit_once('/').unwrap();
    format!("{base}/{name}")
}

#[tokio::test]
async fn tables_are_made_by_migrate_alone_and_the_error_says_so() {
    let (place, url) = (Place::new(CONFIG), database().await);
    let on = |line: &str| {
        place.run(&[&line.split_whitespace().collect::<Vec<_>>()[..], &["--store", &url]].concat())
    };
    for line in ["status --json", "work --until-idle --json", "jobs list --json"] {
        let ran = on(line);
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("store_not_migrated")), "{line}");
        assert!(ran.out.contains("onceward db migrate"), "{ran:?}");
    }
    let check = on("db check --json");
    assert_eq!(
        (check.code, &check.json()["ok"], &check.json()["engine"]),
        (1, &json!(false), &json!("postgres"))
    );
    assert_eq!(on("db migrate").code, 0);
    assert_eq!(on("db migrate --json").json()["steps"], 0);
    assert_eq!(on("db check").out, "all is well\n");
    assert_eq!(on("status").code, 0);
    // The days of the history, which no worker has to make while others write to it.
    let mut conn = PgConnection::connect(&url).await.unwrap();
    let days = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'onceward.job_history'::regclass";
    let days: i64 = sqlx::query_scalar(days).fetch_one(&mut conn).await.unwrap();
    assert_eq!(days, 5, "today, three more, and one for the rest");
    sqlx::query("DROP FUNCTION onceward.enqueue").execute(&mut conn).await.unwrap();
    let check = on("db check");
    assert!(check.code == 1 && check.out.starts_with("missing: function onceward.enqueue. "), "{check:?}");
}

#[tokio::test]
async fn the_commands_work_as_on_sqlite() {
    let (place, url) = (Place::new(CONFIG), database().await);
    let on = |args: &[&str]| place.run(&[args, &["--store", &url]].concat());
    assert_eq!(on(&["db", "migrate"]).code, 0);
    for wish in ["done", "bad", "doubt"] {
        let payload = crate::support::wish_for(wish);
        assert_eq!(on(&["enqueue", "--queue", "mail", "--kind", "wish", "--payload", &payload]).code, 0);
    }
    let once = Onceward::open(&url).await.unwrap();
    worker(&once).run_until_idle().await.unwrap();
    once.close().await;
    let status = on(&["status", "--json"]);
    assert_eq!(
        (status.code, &status.json()["parked"], &status.json()["totals"]["dead"]),
        (4, &json!(1), &json!(1))
    );
    assert_eq!(
        on(&["jobs", "list", "--state", "done", "--json"]).json()["items"].as_array().unwrap().len(),
        1
    );
    assert_eq!(
        on(&["dead", "revive", "--all", "--yes", "--json"]).json()["revived"].as_array().unwrap().len(),
        1
    );
    assert_eq!(on(&["queues", "pause", "mail"]).code, 0);
    assert!(on(&["status"]).out.contains("‖ paused"));
}

#[tokio::test]
async fn a_backup_is_left_to_the_servers_own_tools() {
    let (place, url) = (Place::new(CONFIG), database().await);
    let ran = place.run(&["db", "backup", "copy.sql", "--store", &url]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("pg_dump") && !place.path("copy.sql").exists(), "{ran:?}");
}

#[test]
fn a_server_that_is_not_there_is_told_without_the_password() {
    let place = Place::new(CONFIG);
    let nobody = HeldPort::new().unwrap();
    let port = nobody.number();
    let ran =
        place.run(&["status", "--json", "--store", &format!("postgres://me:s3cr3t@127.0.0.1:{port}/x")]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("store_unreachable")), "{ran:?}");
    assert!(!format!("{}{}", ran.out, ran.err).contains("s3cr3t"), "{ran:?}");
}
