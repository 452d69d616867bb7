//! Jobs of which nobody knows.

use onceward::NewJob;
use serde_json::json;

use crate::support::{CONFIG, Place, wish_for, worker};

async fn doubtful() -> Place {
    let place = Place::new(CONFIG);
    place.with(&["doubt", "doubt", "doubt"]).await;
    place
}

#[tokio::test]
async fn doubts_are_listed_and_grouped() {
    let place = doubtful().await;
    assert_eq!(place.line("doubt list --json").json()["items"].as_array().unwrap().len(), 3);
    let groups = place.line("doubt groups --json").json();
    assert_eq!((&groups["groups"][0]["code"], &groups["groups"][0]["count"]), (&json!("reset"), &json!(3)));
    assert!(place.line("doubt groups").out.contains("the answer was lost"));
    assert_eq!(place.line("doubt list --queue other").out, "no job is in doubt\n");
}

#[tokio::test]
async fn a_person_settles_a_doubt_in_three_ways() {
    let place = doubtful().await;
    let happened = place.line("doubt resolve 1 --happened --url https://example.org/seen --json");
    assert_eq!((happened.code, &happened.json()["done"]), (0, &json!([1])), "{happened:?}");
    assert_eq!(place.line("jobs show 1 --json").json()["url"], "https://example.org/seen");
    let not = place.line("doubt resolve 2 --did-not-happen --json");
    assert_eq!((not.code, &not.json()["pending"]), (0, &json!([2])), "{not:?}");
    let text = place.line("doubt resolve 3 --give-up");
    assert_eq!((text.code, text.out.as_str()), (0, "1 job given up (dead)\n"));
    let again = place.line("doubt resolve 1 --give-up --json");
    assert_eq!((again.code, &again.json()["error"]["code"]), (1, &json!("not_in_doubt")));
}

#[tokio::test]
async fn inside_the_quiet_period_nobody_may_say_that_it_did_not_happen() {
    let place = Place::new(CONFIG);
    let once = place.once().await;
    once.enqueue(NewJob::untyped("mail", "wish", wish_for("doubt"))).await.unwrap();
    worker(&once).run_until_idle().await.unwrap();
    let ran = place.line("doubt resolve 1 --did-not-happen --json");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("quiet_period")));
    assert!(ran.out.contains("until 20"), "{ran:?}");
    assert_eq!(place.line("jobs show 1 --json").json()["state"], "in_doubt");
}

#[tokio::test]
async fn a_verify_is_asked_for_where_something_can_look() {
    let place = doubtful().await;
    place.with(&["look"]).await;
    let ran = place.line("doubt verify --all --yes --json");
    assert_eq!((ran.code, &ran.json()["looking"]), (0, &json!([4])), "{ran:?}");
    assert_eq!(ran.json()["left"][0]["code"], "cannot_look");
    assert_eq!(place.line("doubt verify 1 --json").json()["error"]["code"], "cannot_look");
}
