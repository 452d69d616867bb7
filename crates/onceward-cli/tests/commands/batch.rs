//! Many jobs from standard input.

use serde_json::json;

use crate::support::{CONFIG, Place};

const BATCH: [&str; 6] = ["enqueue", "--batch", "--queue", "mail", "--kind", "k"];

#[test]
fn each_line_is_a_job_and_the_flags_fill_in_what_it_lacks() {
    let place = Place::new(CONFIG);
    let ran = place.fed(&BATCH, "{\"payload\":1}\n\n{\"payload\":{\"a\":1.50},\"kind\":\"other\",\"run_at\":\"2100-01-01T00:00:00Z\"}\r\n");
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n2\n"), "{ran:?}");
    assert!(ran.err.contains("2 new"), "{ran:?}");
    let second = place.line("jobs show 2 --json");
    assert_eq!(second.json()["kind"], "other");
    assert!(second.out.contains("{\"a\":1.50}"), "numbers stay as they are written: {second:?}");
    assert_eq!(place.line("jobs show 1 --json").json()["kind"], "k");
}

#[test]
fn one_bad_line_enqueues_nothing_and_all_bad_lines_are_named() {
    let place = Place::new(CONFIG);
    let table = [
        ("{\"payload\":", "column 11"),
        ("{\"payload\":1,\"payload_\":2}", "unknown field `payload_`"),
        ("{}", "`payload` is missing"),
        ("{\"payload\":1,\"kind\":\"a b\"}", "kind \"a b\""),
        ("{\"payload\":\"\\u0000\"}", "`payload`: U+0000"),
        ("{\"payload\":1,\"dedup_key\":\"a\"}", "`dedup_key` needs `dedup_for`"),
        ("{\"payload\":1,\"dedup_for\":\"3d\"}", "`dedup_for` needs `dedup_key`"),
        ("{\"payload\":1,\"dedup_for\":\"soon\"}", "`dedup_for`: expected forever"),
        ("{\"payload\":1,\"run_at\":\"tomorrow\"}", "is not an instant"),
        ("[]", "expected an object such as {\"payload\":"),
        ("x", "column 1: no JSON"),
        ("nonsense", "expected an object such as {\"payload\":"),
    ];
    for (bad, expected) in table {
        let ran = place.fed(&BATCH, &format!("{{\"payload\":1}}\n{bad}\n{{\"payload\":3}}\n{bad}\n"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{bad}");
        for line in ["line 2: ", "line 4: "] {
            assert!(ran.err.contains(line) && ran.err.contains(expected), "{bad}: {}", ran.err);
        }
        assert!(!ran.err.contains("line 1:") && !ran.err.contains("line 3:"), "{bad}: {}", ran.err);
    }
    assert!(!place.path("onceward.db").exists());
}

#[test]
fn a_line_whose_key_has_another_payload_stops_no_other_and_is_told() {
    let place = Place::new(CONFIG);
    let line = |payload: u8| format!("{{\"payload\":{payload},\"dedup_key\":\"a\"}}\n");
    let input = line(1) + &line(2) + "{\"payload\":3}\n" + &line(1);
    let args = [&BATCH[..], &["--dedup-for", "until-settled", "--json"]].concat();
    let ran = place.fed(&args, &input);
    assert_eq!(ran.code, 1, "{ran:?}");
    let document = ran.json();
    assert_eq!(document["totals"], json!({ "new": 2, "skipped": 1, "conflicts": 1 }));
    assert_eq!(document["items"][0], json!({ "id": 1, "enqueued": "new" }));
    assert_eq!(
        (&document["items"][1]["line"], &document["items"][1]["error"]["code"]),
        (&json!(2), &json!("dedup_conflict"))
    );
    assert_eq!(document["items"][3]["enqueued"], "skipped");
    assert_eq!(place.line("jobs list --json").json()["items"].as_array().unwrap().len(), 2);
}

#[test]
fn a_long_batch_is_one_transaction_with_every_line_in_it() {
    let place = Place::new(CONFIG);
    let lines: Vec<_> = (0..3000).map(|n| format!("{{\"payload\":{n}}}")).collect();
    let input = lines.join("\n");
    let ran = place.fed(&BATCH, &input);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 3000));
    assert_eq!(place.line("status --json").json()["totals"]["pending"], 3000);
}

#[test]
fn no_line_is_nothing_to_do() {
    let place = Place::new(CONFIG);
    let ran = place.fed(&[&BATCH[..], &["--json"]].concat(), "\n\n");
    assert_eq!((ran.code, ran.json()["items"].clone()), (0, json!([])));
}
