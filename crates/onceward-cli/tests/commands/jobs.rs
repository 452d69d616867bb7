//! Looking at jobs, and saying no.

use serde_json::json;

use crate::support::{CONFIG, Place, Ran};

fn ids(ran: &Ran) -> Vec<i64> {
    ran.json()["items"].as_array().unwrap().iter().map(|job| job["id"].as_i64().unwrap()).collect()
}

fn some(count: u32) -> Place {
    let place = Place::new(CONFIG);
    let line = |n: u32| format!("{{\"payload\":{n},\"kind\":\"k{}\"}}", n % 2);
    let lines = (1..=count).map(line).collect::<Vec<_>>().join("\n");
    assert_eq!(place.fed(&["enqueue", "--batch", "--queue", "mail"], &lines).code, 0);
    place
}

#[test]
fn pages_meet_each_job_once_and_end() {
    let place = some(5);
    let first = place.line("jobs list --limit 2 --json");
    assert_eq!((ids(&first), first.json()["next"].as_i64()), (vec![5, 4], Some(4)));
    let text = place.line("jobs list --limit 2");
    assert!(text.err.contains("more: --after 4"), "{text:?}");
    assert_eq!(ids(&place.line("jobs list --limit 2 --after 4 --json")), [3, 2]);
    let last = place.line("jobs list --limit 2 --after 2 --json");
    assert_eq!((ids(&last), last.json()["next"].clone()), (vec![1], json!(null)));
}

#[tokio::test]
async fn filters_pick_what_they_say() {
    let place = some(2);
    place.with(&["done", "bad address", "doubt"]).await;
    let table = [
        ("--state done", vec![3]),
        ("--state dead,in_doubt", vec![5, 4]),
        ("--kind k1", vec![1]),
        ("--queue mial", vec![]),
        ("--error http_422", vec![4]),
        ("--search address --state dead", vec![4]),
        ("--since 2h", vec![5, 4, 3, 2, 1]),
        ("--since 2100-01-01T00:00:00Z", vec![]),
    ];
    for (flags, expected) in table {
        assert_eq!(ids(&place.line(&format!("jobs list --json {flags}"))), expected, "{flags}");
    }
    assert_eq!(place.line("jobs list --queue mial").out, "no job matches\n");
}

#[tokio::test]
async fn a_table_says_state_reason_and_link() {
    let place = Place::new(CONFIG);
    place.with(&["done", "bad address", "doubt"]).await;
    let out = place.line("jobs list").out;
    for part in [
        "● Done",
        "https://example.org/1",
        "✕ Failed",
        "http_422: bad address",
        "? Unsure",
        "reset: the answer was lost",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[tokio::test]
async fn a_jobs_life_is_told_from_planned_to_what_can_be_done() {
    let place = Place::new(CONFIG);
    place.with(&["done", "doubt", "bad address"]).await;
    let done = place.line("jobs show 1").out;
    let order = [
        "job 1  ● Done",
        "planned",
        "attempt 1: claimed by worker",
        "attempt 1: done",
        "● done",
        "https://example.org/1",
    ];
    let places: Vec<_> =
        order.iter().map(|part| done.find(part).unwrap_or_else(|| panic!("{part}\n{done}"))).collect();
    assert!(places.is_sorted(), "{done}");
    let doubt = place.line("doubt show 2").out;
    for part in [
        "publish: sent",
        "key ",
        "request \"hello\"",
        "no clear answer",
        "it may still show up until",
        "onceward doubt resolve 2 --happened",
    ] {
        assert!(doubt.contains(part), "{part}\n{doubt}");
    }
    let dead = place.line("dead show 3").out;
    assert!(dead.contains("http_422: bad address") && dead.contains("onceward dead revive 3"), "{dead}");
}

#[tokio::test]
async fn a_script_gets_attempts_and_effects() {
    let place = Place::new(CONFIG);
    place.with(&["doubt"]).await;
    let job = place.line("jobs show 1 --json").json();
    assert_eq!(
        (&job["attempts"][0]["number"], &job["attempts"][0]["outcome"]),
        (&json!(1), &json!("in_doubt"))
    );
    assert_eq!(job["attempts"][0]["error"]["code"], "reset");
    let effect = &job["effects"][0];
    assert_eq!(
        (&effect["step"], &effect["class"], &effect["state"]),
        (&json!("publish"), &json!("blind"), &json!("unknown"))
    );
    assert_eq!(effect["request"], "hello");
    assert!(
        effect["key"].is_string() && effect["quiet_until"].is_string() && effect["sends"] == 1,
        "{effect}"
    );
}

#[test]
fn a_job_that_is_not_there_is_exit_1_with_a_code() {
    let place = some(1);
    for line in
        ["jobs show 99", "jobs cancel 99", "jobs run-now 99", "dead show 99", "doubt resolve 99 --give-up"]
    {
        let ran = place.line(&format!("{line} --json"));
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("not_found")), "{line}");
        assert!(ran.json()["error"]["text"].as_str().unwrap().contains("99"), "{ran:?}");
    }
}

#[tokio::test]
async fn a_cancel_says_what_was_never_sent_and_what_may_have_been() {
    let place = Place::new(CONFIG);
    place.with(&["retry", "doubt", "done"]).await;
    let ran = place.line("jobs cancel 1 2 3 --json");
    assert_eq!(ran.code, 1, "job 3 was left: {ran:?}");
    let document = ran.json();
    assert_eq!((&document["cancelled"], &document["stopping"]), (&json!([1]), &json!([2])));
    assert_eq!(
        (&document["left"][0]["id"], &document["left"][0]["code"]),
        (&json!(3), &json!("not_pending"))
    );
    assert_eq!(place.line("jobs show 1 --json").json()["state"], "cancelled");
    let again = place.line("jobs cancel 2");
    assert!(again.out.contains("may have been sent already"), "{again:?}");
}

#[test]
fn many_jobs_need_a_yes_and_a_dry_run_changes_nothing() {
    let place = some(3);
    let counted = place.line("jobs cancel --kind k1 --dry-run --json");
    assert_eq!(counted.json(), json!({ "dry_run": true, "matching": 2 }));
    let asked = place.line("jobs cancel --kind k1 --json");
    assert_eq!((asked.code, &asked.json()["error"]["code"]), (2, &json!("needs_yes")));
    assert!(asked.out.contains("2 jobs"), "{asked:?}");
    assert_eq!(place.line("status --json").json()["totals"]["pending"], 3);
    let done = place.line("jobs cancel --kind k1 --yes --json");
    assert_eq!((done.code, &done.json()["cancelled"]), (0, &json!([1, 3])));
    let nothing = place.line("jobs cancel --kind k1 --yes");
    assert_eq!((nothing.code, nothing.out.as_str()), (0, "nothing was changed\n"));
    assert_eq!(place.line("jobs cancel").code, 2);
    assert_eq!(place.line("jobs cancel 2 --kind k0").code, 2);
    assert_eq!(place.line("jobs cancel --all --yes --json").json()["cancelled"], json!([2]));
}

#[tokio::test]
async fn a_waiting_job_runs_now_and_a_held_one_is_released() {
    let place = some(1);
    place.with(&["retry"]).await;
    let before = place.line("jobs show 2 --json").json()["run_at"].clone();
    assert_eq!(place.line("jobs run-now 2 --json").json()["due"], json!([2]));
    assert_ne!(place.line("jobs show 2 --json").json()["run_at"], before);
    let not_held = place.line("jobs release 1 --json");
    assert_eq!((not_held.code, &not_held.json()["error"]["code"]), (1, &json!("not_held")));
    let once = place.once().await;
    once.hold(1, "approval").await.unwrap();
    once.close().await;
    assert!(place.line("jobs list").out.contains("held: approval"));
    let held = place.line("jobs run-now 1");
    assert_eq!((held.code, held.out.as_str()), (1, ""), "{held:?}");
    assert!(
        held.err.contains("job 1 is held (approval)") && held.err.contains("onceward jobs release 1"),
        "{held:?}"
    );
    let script = place.line("jobs run-now 1 2 --json");
    assert_eq!((script.code, &script.json()["due"]), (1, &json!([2])), "{script:?}");
    assert_eq!(script.json()["left"][0]["code"], "held");
    assert_eq!(place.line("jobs release --all --dry-run --json").json()["matching"], 1);
    assert_eq!(place.line("jobs release --all --yes --json").json(), json!({ "released": [1], "left": [] }));
}
