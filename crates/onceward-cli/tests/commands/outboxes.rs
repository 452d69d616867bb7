//! What is said of outboxes, and what is left alone: by looks, of several, when something stands in the way.

use serde_json::json;

use crate::outbox::{BAD, CONFIG, ROW, application, signup};
use crate::support::Place;

/// An application's database as it was before Onceward, with a table of its own.
fn before_onceward() -> Place {
    let place = Place::new(CONFIG);
    std::fs::write(place.path("app.db"), "").unwrap();
    application(&place, "CREATE TABLE account (id INTEGER)");
    place
}

fn files(place: &Place) -> Vec<String> {
    let names = std::fs::read_dir(place.folder()).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.starts_with("app"));
    names
}

#[test]
fn only_migrate_changes_a_database_that_has_no_outbox() {
    let place = before_onceward();
    let before = std::fs::read(place.path("app.db")).unwrap();
    for line in [
        "outbox status",
        "status",
        "outbox relay --until-idle",
        "work --until-idle",
        "outbox replay --since 1h --yes",
        "outbox skip 1",
    ] {
        let ran = place.line(line);
        assert!(matches!(ran.code, 1 | 5), "{line}: {ran:?}");
        let said = format!("{}{}", ran.out, ran.err);
        assert!(
            said.contains("its table is not there; make it with `onceward outbox migrate signup`"),
            "{said}"
        );
        assert_eq!(said.matches("relay signup:").count(), 1, "{said}");
        assert!(std::fs::read(place.path("app.db")).unwrap() == before, "{line} changed the file");
        assert_eq!(files(&place), ["app.db"], "{line}");
    }
    assert_eq!(place.line("outbox migrate").code, 0);
    assert_eq!(place.line("outbox status").code, 0);
}

#[test]
fn of_several_outboxes_those_that_are_there_are_shown_and_relayed() {
    let place = Place::new(&format!("{CONFIG}[[relays]]\nname = \"away\"\nfrom = \"sqlite://away.db\"\n"));
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate --relay signup").code, 0);
    application(&place, ROW);
    let status = place.line("outbox status");
    assert!(status.code == 5 && status.out.contains("signup"), "{status:?}");
    assert_eq!(status.out.matches("away.db").count(), 1, "its reason, once: {status:?}");
    assert_eq!(status.out.matches("relay away:").count(), 1, "{status:?}");
    let items = place.line("outbox status --json").json()["items"].clone();
    assert_eq!((&items[0]["waiting"], &items[0]["error"]), (&json!(1), &json!(null)));
    assert!(
        items[1]["waiting"].is_null() && items[1]["error"].as_str().unwrap().contains("away.db"),
        "{items}"
    );
    let ran = place.line("outbox relay --until-idle");
    assert!(ran.code == 5 && ran.out.contains("1 handed over"), "{ran:?}");
    assert_eq!(ran.err.matches("away.db").count(), 1, "{ran:?}");
    application(&place, BAD);
    assert_eq!(place.line("outbox relay --until-idle").code, 3, "of several what needs a person goes first");
    assert_eq!(place.line("outbox status").code, 3);
}

#[test]
fn a_replay_off_a_terminal_needs_yes() {
    let place = signup();
    application(&place, ROW);
    assert_eq!(place.line("outbox relay --until-idle").code, 0);
    let counted = place.line("outbox replay --since 1h --dry-run --json");
    assert_eq!((counted.code, counted.json()), (0, json!({ "dry_run": true, "matching": 1 })));
    let asked = place.line("outbox replay --since 1h --json");
    assert_eq!((asked.code, &asked.json()["error"]["code"]), (2, &json!("needs_yes")), "{asked:?}");
    assert_eq!(place.line("outbox status --json").json()["items"][0]["waiting"], 0, "nothing was changed");
    let local = place.line("outbox replay --since 2026-12-01 --json");
    assert_eq!((local.code, &local.json()["error"]["code"]), (2, &json!("date_without_zone")), "{local:?}");
    assert_eq!(place.line("jobs list --since 2026-12-01").code, 2, "the same wherever a time is asked for");
    assert_eq!(place.line("outbox replay --since 1h --yes --json").json(), json!({ "replayed": 1 }));
    application(&place, "DELETE FROM onceward_outbox");
    assert_eq!(place.line("outbox replay --since 1h").code, 0, "there is nothing to ask about");
}

#[test]
fn what_a_killed_relay_had_in_hand_is_said_with_its_time_or_taken_back() {
    let place = signup();
    application(&place, ROW);
    application(
        &place,
        "UPDATE onceward_outbox SET state = 'claimed', token = '0123456789abcdef0123456789abcdef.a',
         next_at = 4102444800000000",
    );
    let ran = place.line("outbox relay --until-idle");
    let said = "1 claimed by another process until 2100-01-01T00:00:00Z";
    assert!(ran.code == 5 && ran.out.contains(said), "{ran:?}");
    let script = place.line("outbox relay --until-idle --json").json();
    assert_eq!((&script["claimed"], &script["claimed_until"]), (&json!(1), &json!("2100-01-01T00:00:00Z")));
    // What is left of a process that is gone.
    std::fs::write(place.path("app.db-owner-0123456789abcdef0123456789abcdef"), "").unwrap();
    let ran = place.line("outbox relay --until-idle");
    assert!(ran.code == 0 && ran.out.contains("1 handed over"), "{ran:?}");
}

#[test]
fn what_a_refused_row_holds_back_is_called_that() {
    let place = signup();
    application(&place, BAD);
    application(&place, ROW);
    for _ in 0..2 {
        let ran = place.line("outbox relay --until-idle");
        assert!(ran.code == 3 && ran.out.contains("1 held back by a refused row of their key"), "{ran:?}");
        assert!(!ran.out.contains("to be tried again"), "{ran:?}");
    }
    assert_eq!(place.line("outbox status --json").json()["items"][0]["held_back"], 1);
}

#[test]
fn retry_is_for_refused_rows_and_gives_one_document() {
    let place = signup();
    application(&place, ROW);
    assert_eq!(place.line("outbox relay --until-idle").code, 0);
    let ran = place.line("outbox relay --retry 1 --until-idle --json");
    let script = ran.json();
    assert_eq!((&script["rows"], &script["left"], &script["sent"]), (&json!([]), &json!([1]), &json!(0)));
    assert_eq!(ran.code, 1, "what was named was left as it is: {ran:?}");
}

#[test]
fn work_forgets_no_relay_of_another_configuration() {
    let place = signup();
    application(&place, BAD);
    assert_eq!(place.line("work --until-idle").code, 3);
    std::fs::write(place.path("other.toml"), "[store]\nurl = \"sqlite://onceward.db\"\n").unwrap();
    place.line("work --until-idle --config other.toml");
    let status = place.line("status --config other.toml");
    assert!(status.code == 3 && status.out.contains("relay signup: 1 refused"), "{status:?}");
    assert!(status.out.contains("onceward outbox forget signup"), "{status:?}");
    assert_eq!(place.line("outbox forget signup").code, 2, "it is configured");
    assert_eq!(place.line("outbox forget signup --config other.toml").code, 0);
    assert_eq!(place.line("outbox forget signup --config other.toml").code, 2, "it is forgotten");
    assert_eq!(place.line("status --config other.toml").code, 0);
}

#[test]
fn a_relay_that_lacks_its_url_keeps_no_other_from_relaying() {
    let lost = "[[relays]]\nname = \"lost\"\nfrom = { env = \"NOT_SET\" }\n";
    let place = Place::new(&format!("{CONFIG}{lost}"));
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate --relay signup").code, 0);
    application(&place, ROW);
    let ran = place.line("outbox relay --until-idle");
    assert!(ran.code == 5 && ran.out.contains("1 handed over"), "{ran:?}");
    assert!(ran.err.contains("relay lost:") && ran.err.contains("NOT_SET"), "{ran:?}");
    let alone = place.line("outbox relay lost --until-idle");
    assert!(alone.code == 2 && alone.err.contains("NOT_SET"), "{alone:?}");
}

#[test]
fn one_outbox_by_two_paths_is_one_outbox() {
    let place = Place::new("");
    std::fs::write(place.path("app.db"), "").unwrap();
    std::fs::create_dir(place.path("sub")).unwrap();
    let relay =
        |name: &str, from: &str| format!("[[relays]]\nname = \"{name}\"\nfrom = \"sqlite://{from}\"\n");
    let to = "to = \"nats://127.0.0.1/jobs\"\n";
    let config = format!("[queues.mail]\n{}{}{to}", relay("a", "app.db"), relay("b", "sub/../app.db"));
    std::fs::write(place.path("onceward.toml"), config).unwrap();
    let ran = place.line("outbox status");
    assert!(ran.code == 2 && ran.err.contains("have one outbox"), "{ran:?}");
}

/// Two workers of one configuration, of which one is not told where the outbox is.
#[test]
fn a_process_that_lacks_an_outboxs_url_calls_it_not_away_for_all() {
    let place = Place::new("[queues.mail]\n[[relays]]\nname = \"signup\"\nfrom = { env = \"APP\" }\n");
    std::fs::write(place.path("app.db"), "").unwrap();
    let knows = |line: &str| -> crate::support::Ran {
        let words: Vec<&str> = line.split(' ').collect();
        place.command(&words).env("APP", "sqlite://app.db").output().unwrap().into()
    };
    assert_eq!(knows("outbox migrate").code, 0);
    assert_eq!(knows("work --until-idle").code, 0);
    let lacks = place.line("work --until-idle");
    assert!(lacks.code == 5 && lacks.err.contains("APP"), "{lacks:?}");
    let other = place.line("status --json");
    assert!(other.json()["relays"][0]["away_since"].is_null(), "{other:?}");
    let ran = knows("work --until-idle");
    assert_eq!(ran.code, 0, "{ran:?}");
}
