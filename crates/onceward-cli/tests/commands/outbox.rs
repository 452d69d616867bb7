//! An application's outbox, written by plain SQL and carried to the queue.

use serde_json::json;
use sqlx::{Connection, SqliteConnection};

use crate::support::Place;

pub(crate) const CONFIG: &str = r#"
[[relays]]
name = "signup"
from = "sqlite://app.db"
"#;

/// An application whose database is there, with the outbox's table in it.
pub(crate) fn signup() -> Place {
    let place = Place::new(CONFIG);
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate").code, 0);
    place
}

/// Runs a statement as the application would.
pub(crate) fn application(place: &Place, sql: &'static str) {
    let url = format!("sqlite://{}", place.path("app.db").display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut conn = SqliteConnection::connect(&url).await.unwrap();
        sqlx::query(sql).execute(&mut conn).await.unwrap();
    });
}

pub(crate) const ROW: &str =
    "INSERT INTO onceward_outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'welcome', '{}', 'a')";
pub(crate) const BAD: &str =
    "INSERT INTO onceward_outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'welcome', 'x', 'a')";

#[test]
fn a_row_becomes_one_job() {
    let place = signup();
    application(&place, ROW);
    assert_eq!(place.line("outbox status --json").json()["items"][0]["waiting"], 1);
    let ran = place.line("outbox relay --until-idle --json");
    let said = json!({
        "sent": 1, "refused": 0, "waiting": 0, "held_back": 0, "claimed": 0, "claimed_until": null, "away": [],
    });
    assert_eq!((ran.code, ran.json()), (0, said));
    assert_eq!(place.line("jobs list --json").json()["items"][0]["kind"], "welcome");
    assert_eq!(place.line("outbox replay --since 2026-01-01T00:00:00Z").code, 1, "too long ago");
    assert_eq!(place.line("outbox replay --since 7d --dry-run").code, 0, "the whole window");
    let replayed = place.line("outbox replay --since 1h --yes --json");
    assert_eq!(replayed.json(), json!({ "replayed": 1 }), "{replayed:?}");
    assert_eq!(place.line("outbox relay --until-idle --json").json()["sent"], 1);
    assert_eq!(place.line("jobs list --json").json()["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_refused_row_is_named_and_holds_back_its_key_until_it_is_skipped() {
    let place = signup();
    application(&place, BAD);
    application(&place, ROW);
    let ran = place.line("outbox relay --until-idle");
    assert_eq!(ran.code, 3, "{ran:?}");
    let status = place.line("outbox status");
    assert!(
        status.code == 3 && status.out.contains("payload_not_json") && status.out.contains("skip"),
        "{status:?}"
    );
    let unknown = place.line("outbox skip 2 --json");
    assert_eq!((unknown.code, unknown.json()), (1, json!({ "rows": [], "left": [2] })), "it is not refused");
    assert_eq!(place.line("outbox skip 1").code, 0);
    assert_eq!(place.line("outbox relay --until-idle --json").json()["sent"], 1);
    assert_eq!(place.line("outbox status").code, 0);
}

#[test]
fn work_relays_too() {
    let place = signup();
    application(&place, ROW);
    assert_eq!(place.line("work --until-idle").code, 5, "its job waits for a worker of its kind");
    assert_eq!(place.line("jobs list --json").json()["items"][0]["queue"], "mail");
}

#[test]
fn the_first_migrate_says_that_it_made_the_table_and_the_next_that_it_is_there() {
    let place = Place::new(CONFIG);
    let printed = place.line("outbox migrate --print");
    assert!(printed.code == 0 && printed.out.contains("CREATE TABLE onceward_outbox"), "{printed:?}");
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate --print").code, 0);
    assert_eq!(std::fs::metadata(place.path("app.db")).unwrap().len(), 0, "printing changes nothing");
    let first = place.line("outbox migrate");
    assert!(first.code == 0 && first.out.contains("made the outbox's table"), "{first:?}");
    let second = place.line("outbox migrate");
    assert!(second.code == 0 && second.out.contains("there already"), "{second:?}");
    assert_eq!(place.line("outbox migrate --json").json(), json!({ "steps": 0 }));
}

#[test]
fn rows_that_wait_and_rows_that_are_refused_are_in_the_status_and_in_the_exit_code() {
    let place = signup();
    let calm = place.line("status");
    assert!(calm.code == 0 && calm.out.contains("nothing was ever enqueued"), "{calm:?}");
    application(&place, ROW);
    let waiting = place.line("status");
    assert!(waiting.code == 5 && waiting.out.contains("relay signup: 1 waiting, the oldest "), "{waiting:?}");
    assert!(!waiting.out.contains("nothing was ever enqueued"), "{waiting:?}");
    let script = place.line("status --json").json();
    let relay = &script["relays"][0];
    assert_eq!(
        (&script["exit"], &relay["name"], &relay["waiting"]),
        (&json!(5), &json!("signup"), &json!(1))
    );
    assert!(relay["lag"].as_u64().is_some() && relay["error"].is_null(), "{relay}");
    application(&place, BAD);
    let ran = place.line("work --until-idle");
    let called = ran.err.lines().any(|line| line == "1 row refused: onceward outbox status");
    assert!(ran.code == 3 && called, "{ran:?}");
    let refused = place.line("status");
    assert!(refused.code == 3 && refused.out.contains("relay signup: 1 refused"), "{refused:?}");
    assert!(refused.out.contains("last error: the queue does not take this row"), "{refused:?}");
    // What stands refused counts, also when a run had nothing to do.
    assert_eq!(place.line("outbox relay --until-idle").code, 3);
    assert_eq!(place.line("outbox skip 2").code, 0);
    let calm = place.line("status");
    assert!(
        calm.code == 5 && !calm.out.contains("relay signup"),
        "its job waits for a worker of its kind: {calm:?}"
    );
    assert_eq!(place.line("work --until-idle").code, 5);
}

#[test]
fn an_outbox_that_cannot_be_read_is_not_settled() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    for command in ["status", "work --until-idle", "status"] {
        let ran = place.line(command);
        assert_eq!(ran.code, 5, "{ran:?}");
    }
    let status = place.line("status");
    assert!(status.out.contains("there is no database"), "{status:?}");
    std::fs::write(place.path("app.db"), "").unwrap();
    let status = place.line("status");
    assert!(status.code == 5 && status.out.contains("onceward outbox migrate signup"), "{status:?}");
    let made = place.line("outbox migrate");
    assert!(made.out.contains("made the outbox's table"), "a look makes none: {made:?}");
    assert_eq!(place.line("status").code, 0);
}

#[test]
fn an_outbox_whose_url_is_not_known_here_stands_as_its_relay_saw_it() {
    let place = Place::new("[[relays]]\nname = \"signup\"\nfrom = { env = \"APP\" }\n");
    std::fs::write(place.path("app.db"), "").unwrap();
    let knowing = |line: &str| {
        let args: Vec<_> = line.split_whitespace().collect();
        place.command(&args).env("APP", "sqlite://app.db").output().unwrap().status.code()
    };
    place.line("db migrate");
    assert_eq!(place.line("status").code, 5, "nobody has seen it");
    assert_eq!(knowing("outbox migrate"), Some(0));
    assert_eq!(knowing("work --until-idle"), Some(0));
    let status = place.line("status");
    assert!(status.code == 0 && !status.out.contains("cannot be read"), "{status:?}");
    let relay = &place.line("status --json").json()["relays"][0];
    assert!(relay["away_since"].is_null() && relay["error"].as_str().unwrap().contains("APP"), "{relay}");
    application(&place, BAD);
    assert_eq!(knowing("work --until-idle"), Some(3));
    assert_eq!(place.line("status").code, 3, "what its relay saw");
}

#[test]
fn a_look_leaves_a_table_of_an_older_program_as_it_is() {
    let place = signup();
    application(&place, "DROP INDEX onceward_outbox_blocking");
    application(&place, "DELETE FROM onceward_migration WHERE component = 'outbox' AND version = 2");
    let status = place.line("status");
    assert!(status.code == 5 && status.out.contains("at version 1, this program needs 2"), "{status:?}");
    assert_eq!(place.line("outbox migrate --json").json(), json!({ "steps": 1 }));
    assert_eq!(place.line("status").code, 0);
}

/// A lag of an hour: no machine stalls for so long. With a minute, a first run that stalls tells that the outbox cannot be
/// read, and the rule is then silent for its period, as it should be.
const WATCHED: &str = r#"
[channels.ops]
type = "feed"
path = "ops.xml"
link = "https://example.org/"

[[alerts]]
name = "ops"
channel = "ops"
on = ["relay_lag"]
limits = { relay_lag = "1h" }

[[relays]]
name = "signup"
from = "sqlite://app.db"
"#;

#[test]
fn an_outbox_that_needs_somebody_is_in_the_status_and_told() {
    let place = Place::new(WATCHED);
    let ran = place.line("work --until-idle");
    assert!(ran.err.contains("relay signup: ") && ran.err.contains("app.db"), "{ran:?}");
    let status = place.line("status");
    assert!(status.out.contains("relay signup: the outbox cannot be read since "), "{status:?}");
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate").code, 0);
    application(&place, BAD);
    application(&place, ROW);
    place.line("work --until-idle");
    let status = place.line("status");
    assert!(status.out.contains("relay signup: 1 waiting, the oldest "), "{status:?}");
    assert!(status.out.contains(", 1 refused: onceward outbox status signup"), "{status:?}");
    assert_eq!(place.line("status --json").json()["relays"][0]["refused"], 1);
    let feed = std::fs::read_to_string(place.path("ops.xml")).unwrap();
    assert!(feed.contains("1 row of outbox signup is refused"), "{feed}");
    assert_eq!(place.line("alerts list --json").json()["items"][0]["relay_lag"], "1h");
    application(&place, "UPDATE onceward_outbox SET payload = '{}' WHERE payload = 'x'");
    assert_eq!(place.line("outbox relay --retry 1 --until-idle").code, 0);
    let status = place.line("status");
    assert!(!status.out.contains("relay signup"), "{status:?}");
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let place = Place::new(CONFIG);
    let ran = place.line("outbox status");
    assert!(ran.code == 5 && ran.out.contains("app.db"), "{ran:?}");
    let none = Place::new("");
    let ran = none.line("outbox relay");
    assert!(ran.code == 2 && ran.err.contains("[[relays]]"), "{ran:?}");
    for verb in ["relay", "status", "migrate", "replay --since 1h", "skip 1 --relay"] {
        let ran = place.line(&format!("outbox {verb} sign-up"));
        assert!(ran.code == 2 && ran.err.contains("did you mean `signup`?"), "{ran:?}");
    }
}
