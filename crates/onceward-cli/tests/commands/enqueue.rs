//! One job.

use serde_json::json;

use crate::support::{CONFIG, Place};

const JOB: [&str; 5] = ["enqueue", "--queue", "mail", "--kind", "email.welcome"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    JOB.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn an_enqueue_prints_the_id_and_the_job_is_there() {
    let place = Place::new(CONFIG);
    let ran = place.run(&with(&["--payload", "{\"user\":7}"]));
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n"), "{ran:?}");
    let file = place.path("onceward.db");
    assert!(ran.err.contains(&format!("made a new store: {}", file.display())), "{ran:?}");
    let job = place.line("jobs show 1 --json").json();
    assert_eq!(job["payload"], json!({ "user": 7 }));
    assert_eq!(
        (&job["state"], &job["queue"], &job["kind"]),
        (&json!("pending"), &json!("mail"), &json!("email.welcome"))
    );
}

#[test]
fn a_payload_comes_from_a_file_or_from_standard_input() {
    let place = Place::new(CONFIG);
    std::fs::write(place.path("job.json"), "[1, 2]\n").unwrap();
    assert_eq!(place.run(&with(&["--payload", "@job.json"])).code, 0);
    assert_eq!(place.fed(&with(&["--payload", "-"]), "\"piped\"\n").code, 0);
    assert_eq!(place.line("jobs show 1 --json").json()["payload"], json!([1, 2]));
    assert_eq!(place.line("jobs show 2 --json").json()["payload"], json!("piped"));
    let missing = place.run(&with(&["--payload", "@gone.json", "--json"]));
    assert_eq!((missing.code, &missing.json()["error"]["code"]), (1, &json!("io")));
    assert!(missing.out.contains("gone.json"), "{missing:?}");
}

#[test]
fn a_mistake_is_told_by_the_flag_it_came_by() {
    let place = Place::new(CONFIG);
    std::fs::write(place.path("large.json"), format!("\"{}\"", "x".repeat(2 << 20))).unwrap();
    let payload = |text| with(&["--payload", text]);
    let later = |at| with(&["--payload", "1", "--run-at", at]);
    let table = [
        (payload("{"), "--payload: EOF"),
        (payload("{\"a\":\"\\u0000\"}"), "--payload: $.a: U+0000"),
        (payload("@large.json"), "at most 262144 bytes"),
        (with(&["--payload", "1", "--dedup-key", "", "--dedup-for", "forever"]), "the dedup key is empty"),
        (with(&["--payload", "1", "--dedup-for", "3d"]), "--dedup-for needs --dedup-key"),
        (later("9999-12-31T23:59:59Z"), "at most 9999-12-30T00:00:00Z"),
        (with(&["--payload", "1", "--store", "sqlite://a.db?mode=rwc"]), "mode is not needed"),
    ];
    for (args, expected) in table {
        let ran = place.run(&args);
        assert!(ran.code == 2 && ran.err.contains(expected), "{args:?}: {ran:?}");
    }
    let twice = place.line("--store sqlite://a.db status --store sqlite://b.db --json");
    assert_eq!((twice.code, &twice.json()["error"]["code"]), (2, &json!("usage")), "{twice:?}");
    assert!(twice.out.contains("--store is given twice"), "{twice:?}");
}

#[test]
fn a_second_job_of_a_key_is_skipped_and_says_so() {
    let place = Place::new(CONFIG);
    let keyed = with(&["--payload", "1", "--dedup-key", "a", "--dedup-for", "forever"]);
    assert_eq!(place.run(&keyed).out, "1\n");
    let again = place.run(&keyed);
    assert_eq!((again.code, again.out.as_str()), (0, "skipped: job 1 is pending\n"));
    let script = place.run(&[&keyed[..], &["--json"]].concat()).json();
    let expected =
        json!({ "id": 1, "enqueued": "skipped", "state": "pending", "changed": false, "url": null });
    assert_eq!(script, expected);
    assert_eq!(place.line("jobs cancel 1").code, 0);
    assert_eq!(place.run(&keyed).out, "skipped: job 1 is cancelled\n");
}

#[test]
fn another_payload_for_a_key_is_refused_and_names_the_first_job() {
    let place = Place::new(CONFIG);
    let keyed = |payload| with(&["--payload", payload, "--dedup-key", "a", "--dedup-for", "30d", "--json"]);
    assert_eq!(place.run(&keyed("1")).json(), json!({ "id": 1, "enqueued": "new" }));
    let refused = place.run(&keyed("2"));
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (1, &json!("dedup_conflict")));
    assert!(refused.out.contains("job 1"), "{refused:?}");
}

#[test]
fn what_cannot_be_a_job_is_exit_2_and_makes_no_store() {
    let place = Place::new(CONFIG);
    let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
    let long = format!("\"{}\"", "x".repeat(300 * 1024));
    let table: [(&[&str], &str, &str); 6] = [
        (&["--payload", "{"], "", "payload_not_json"),
        (&["--payload", "\"a\\u0000b\""], "", "payload_has_nul"),
        (&["--payload", &deep], "", "payload_too_deep"),
        (&["--payload", "-"], &long, "payload_too_large"),
        (&["--payload", "1", "--kind", "a b"], "", "usage"),
        (&["--payload", "-"], "", "payload_not_json"),
    ];
    for (args, input, code) in table {
        let ran = place.fed(&[&with(args)[..], &["--json"]].concat(), input);
        assert_eq!((ran.code, ran.json()["error"]["code"].as_str()), (2, Some(code)), "{args:?}");
    }
    let ran = place.run(&["enqueue", "--queue", "mail", "--kind", "a b", "--payload", "1", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("bad_name")));
    assert!(!place.path("onceward.db").exists());
}

#[test]
fn a_queue_that_nobody_serves_is_told() {
    let place = Place::new(CONFIG);
    let ran = place.run(&["enqueue", "--queue", "mial", "--kind", "k", "--payload", "1"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("queue `mial` is not in the configuration"), "{ran:?}");
    let known = place.run(&with(&["--payload", "1"]));
    assert!(!known.err.contains("configuration"), "{known:?}");
}

#[test]
fn a_job_for_later_waits_until_then() {
    let place = Place::new(CONFIG);
    let ran = place.run(&with(&["--payload", "1", "--run-at", "2100-01-01T09:00:00+09:00"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(place.line("jobs show 1 --json").json()["run_at"], "2100-01-01T00:00:00Z");
    assert_eq!(place.line("status").code, 0, "scheduled for later is fine");
}
