//! Jobs that gave up.

use std::sync::Arc;

use onceward::{Cause, Done, Failure, Worker};
use serde_json::json;
use tokio::sync::oneshot;

use crate::support::{CONFIG, Place, Ran};

async fn graves(count: usize) -> Place {
    let place = Place::new(CONFIG);
    place.with(&vec!["bad address"; count]).await;
    place
}

#[tokio::test]
async fn groups_say_what_went_wrong_and_how_often() {
    let place = graves(3).await;
    let groups = place.line("dead groups --json").json();
    let group = &groups["groups"][0];
    assert_eq!(
        (&group["queue"], &group["code"], &group["count"]),
        (&json!("mail"), &json!("http_422"), &json!(3))
    );
    assert_eq!((&group["platform_code"], &group["sample"]), (&json!(null), &json!("bad address")));
    assert!(group["first"].is_string() && group["last"].is_string());
    assert_eq!(place.line("dead groups --json --error other").json(), json!({ "groups": [] }));
    assert!(place.line("dead groups").out.contains("bad address"));
    assert_eq!(place.line("dead groups --queue other").out, "no job is dead\n");
}

#[tokio::test]
async fn a_list_has_dead_jobs_alone() {
    let place = graves(1).await;
    place.with(&["done"]).await;
    let items = place.line("dead list --json").json();
    assert_eq!((items["items"].as_array().unwrap().len(), &items["items"][0]["state"]), (1, &json!("dead")));
}

#[tokio::test]
async fn a_revive_gives_new_tries_and_may_be_limited() {
    let place = graves(3).await;
    let counted = place.line("dead revive --error http_422 --dry-run --json").json();
    assert_eq!((&counted["dry_run"], &counted["revived"]), (&json!(true), &json!(3)));
    assert_eq!(place.line("dead revive --error http_422 --json").json()["error"]["code"], "needs_yes");
    assert_eq!(place.line("dead revive --all --limit 1 --yes --json").json()["revived"], json!([1]));
    let rest = place.line("dead revive 1 2 3 --json");
    assert_eq!((rest.code, &rest.json()["revived"]), (1, &json!([2, 3])));
    assert_eq!(rest.json()["left"][0]["code"], "not_dead");
    assert_eq!(place.line("status --json").json()["totals"]["pending"], 3);
}

#[tokio::test]
async fn a_revived_job_may_get_another_payload() {
    let place = graves(2).await;
    let ran = place.run(&["dead", "revive", "1", "--set-payload", "{\"wish\": \"done\"}"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(place.line("jobs show 1 --json").json()["payload"], json!({ "wish": "done" }));
    let two = place.run(&["dead", "revive", "1", "2", "--set-payload", "{}"]);
    assert_eq!(two.code, 2, "{two:?}");
    let broken = place.run(&["dead", "revive", "2", "--set-payload", "{", "--json"]);
    assert_eq!((broken.code, &broken.json()["error"]["code"]), (2, &json!("payload_not_json")));
}

#[tokio::test]
async fn what_may_have_happened_is_no_part_of_a_bulk_revive() {
    let place = graves(1).await;
    place.with(&["doubt"]).await;
    assert_eq!(place.line("doubt resolve 2 --give-up").code, 0);
    for flags in ["", " --rate 100/s", " --limit 5"] {
        let ran = place.line(&format!("dead revive --all --yes --json{flags}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let left = &ran.json()["left"][0];
        assert_eq!((&left["id"], &left["code"]), (&json!(2), &json!("effect_open")), "{flags}");
    }
    assert_eq!(place.line("dead revive 2 --json").json()["to_verify"], json!([2]));
}

#[tokio::test]
async fn a_discard_can_be_taken_back() {
    let place = graves(2).await;
    let ran = place.line("dead discard 1");
    assert!(ran.code == 0 && ran.out.contains("undiscard"), "{ran:?}");
    assert!(place.line("dead show 1").out.contains("onceward dead undiscard 1"));
    assert_eq!(place.line("dead revive 1 --json").json()["error"]["code"], "discarded");
    let items = |line: &str| {
        let items = place.line(line).json()["items"].clone();
        items.as_array().unwrap().iter().map(|job| job["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(items("dead list --json"), [2, 1]);
    assert_eq!(items("dead list --discarded --json"), [1]);
    assert_eq!(place.line("dead undiscard --all --dry-run --json").json()["matching"], 1);
    let back = place.line("dead undiscard --all --yes --json");
    assert_eq!((back.code, back.json()), (0, json!({ "undiscarded": [1], "left": [] })));
    assert_eq!(place.line("dead undiscard 2 --json").json()["error"]["code"], "not_discarded");
    assert_eq!(place.line("dead list --discarded").out, "no job is discarded\n");
}

#[tokio::test]
async fn what_is_discarded_asks_for_nobody_and_is_marked_everywhere() {
    let place = graves(2).await;
    assert_eq!(place.line("status").code, 3);
    assert_eq!(place.line("dead discard --all --yes --json").json()["discarded"], json!([1, 2]));
    let status = place.line("status");
    assert_eq!((status.code, status.err.as_str()), (0, ""), "{status:?}");
    assert!(status.out.contains("2 discarded: onceward dead list --discarded"), "{status:?}");
    assert_eq!(place.line("status --json").json()["discarded"], 2);
    let list = place.line("dead list").out;
    for id in [1, 2] {
        assert!(list.contains(&format!("undo: onceward dead undiscard {id}")), "{list}");
    }
    assert_eq!(place.line("dead discard --all --yes").out, "nothing was changed\n");
    for verb in ["discard", "revive"] {
        let again = place.line(&format!("dead {verb} 1"));
        assert!(again.code == 1 && again.err.contains("is discarded, final at"), "{again:?}");
        assert!(again.err.contains("onceward dead undiscard 1"), "{again:?}");
    }
}

/// Revives with a canary while a worker of the tests' own runs the jobs, each by `grant`.
async fn sing(place: Place, grant: fn() -> onceward::Outcome) -> (Place, Ran) {
    let once = place.once().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = Worker::builder(&once)
        .register_fn("wish", 1, (), move |_| async move { grant() })
        .queue("mail", 1)
        .build()
        .unwrap();
    let working = tokio::spawn(async move { worker.run_until(async { drop(stopped.await) }).await });
    while once.status().await.unwrap().workers.is_empty() {
        once.db().changes().next().await;
    }
    let place = Arc::new(place);
    let ran = tokio::task::spawn_blocking({
        let place = place.clone();
        move || place.line("dead revive --all --canary 1 --yes --json")
    });
    let ran = ran.await.unwrap();
    drop(stop);
    working.await.unwrap().unwrap();
    once.close().await;
    (Arc::into_inner(place).unwrap(), ran)
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_first_fails_again_the_others_stay_dead() {
    let (place, ran) =
        sing(graves(3).await, || Err(Failure::permanent(Cause::new("http_422", "still bad")))).await;
    assert_eq!((ran.code, &ran.json()["revived"]), (3, &json!([1])), "{ran:?}");
    assert!(ran.err.contains("failed again"), "{ran:?}");
    assert_eq!(place.line("status --json").json()["totals"]["dead"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_first_is_done_the_others_follow() {
    let (place, ran) = sing(graves(3).await, || Ok(Done::Nothing)).await;
    assert_eq!((ran.code, &ran.json()["revived"]), (0, &json!([1, 2, 3])), "{ran:?}");
    assert_eq!(place.line("dead list").out, "no job is dead\n");
}

#[tokio::test]
async fn where_nothing_is_dead_no_canary_is_waited_for() {
    let place = graves(0).await;
    let ran = place.line("dead revive --all --canary 1 --yes");
    assert_eq!((ran.code, ran.out.as_str()), (0, "nothing was changed\n"), "{ran:?}");
    assert!(!ran.err.contains("waiting for"), "{ran:?}");
}

#[tokio::test]
async fn without_a_worker_no_canary_is_sent_and_that_is_said_at_once() {
    let place = graves(2).await;
    let ran = place.line("dead revive --all --canary 1 --yes --json");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("no_worker")), "{ran:?}");
    assert!(ran.out.contains("no worker serves mail") && ran.out.contains("onceward work"), "{ran:?}");
    assert_eq!(place.line("status --json").json()["totals"]["dead"], 2);
}
