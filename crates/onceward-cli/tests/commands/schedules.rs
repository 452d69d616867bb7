//! What comes again, from the command line.

use serde_json::{Value, json};

use crate::support::Place;

const CONFIG: &str = "[queues.mail]\n[[schedules]]\nname = \"digest\"\ncron = \"0 9 * * 1-5\"\n\
                      timezone = \"Asia/Seoul\"\nqueue = \"mail\"\nkind = \"digest\"\npayload = { to = \"all\" }\n\
                      [[schedules]]\nname = \"tidy\"\ncron = \"@daily\"\nqueue = \"mail\"\nkind = \"tidy\"\n";

fn items(place: &Place, line: &str) -> Vec<Value> {
    place.line(&format!("{line} --json")).json()["items"].as_array().unwrap().clone()
}

#[test]
fn schedules_are_listed_before_a_worker_has_started() {
    let place = Place::new(CONFIG);
    let listed = items(&place, "schedules list");
    let names: Vec<_> = listed.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["digest", "tidy"]);
    let digest = &listed[0];
    assert_eq!(
        (
            &digest["cron"],
            &digest["timezone"],
            &digest["queue"],
            &digest["paused_at"],
            &digest["last_fire_at"]
        ),
        (&json!("0 9 * * 1-5"), &json!("Asia/Seoul"), &json!("mail"), &json!(null), &json!(null))
    );
    assert!(digest["next_fire_at"].as_str().unwrap().ends_with("T00:00:00Z"), "nine in Seoul: {digest}");
    assert_eq!(digest["registered"], false, "a look changes nothing");
    let text = place.line("schedules list").out;
    assert!(text.contains("once `onceward work` has started"), "{text}");
    assert_eq!(place.line("work --until-idle").code, 0);
    assert_eq!(items(&place, "schedules list")[0]["registered"], true);
    assert!(!place.line("schedules list").out.contains("has started"));
    assert!(text.contains("digest") && text.contains("0 9 * * 1-5") && text.contains("Asia/Seoul"), "{text}");
    assert!(Place::new("").line("schedules list").out.contains("[[schedules]]"), "what one would look like");
}

#[test]
fn a_paused_schedule_stays_paused_when_a_worker_starts_and_goes_on_when_resumed() {
    let place = Place::new(CONFIG);
    assert_eq!(
        place.line("schedules pause digest").out,
        "paused digest; its times pass until it is resumed\n"
    );
    assert_eq!(place.line("schedules pause digest").out, "digest was paused already\n");
    assert_eq!(place.line("work --until-idle").code, 0);
    assert!(place.line("schedules list").out.contains("‖ paused"));
    let resumed = items(&place, "schedules resume --all");
    let changed: Vec<_> =
        resumed.iter().map(|it| (it["name"].as_str().unwrap(), it["changed"] == true)).collect();
    assert_eq!(changed, [("digest", true), ("tidy", false)]);
    assert!(resumed[0]["next_fire_at"].is_string(), "{resumed:?}");
    assert!(!place.line("schedules list").out.contains('‖'));
}

#[test]
fn a_schedule_is_run_between_its_times() {
    let place = Place::new(CONFIG);
    let ran = items(&place, "schedules run-now digest");
    assert_eq!(ran[0]["name"], "digest");
    let job = place.line(&format!("jobs show {} --json", ran[0]["job"])).json();
    assert_eq!((&job["kind"], &job["state"]), (&json!("digest"), &json!("pending")), "{job}");
    assert!(job.to_string().contains("all"), "its payload: {job}");
    let again = place.line("schedules run-now digest tidy").out;
    assert!(again.contains("tidy: job") && again.lines().count() == 2, "{again}");
}

#[test]
fn a_mistyped_schedule_is_named_and_nothing_is_touched() {
    let place = Place::new(CONFIG);
    for verb in ["pause", "resume", "run-now"] {
        let ran = place.line(&format!("schedules {verb} tidy digets --json"));
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("not_found")), "{verb}: {ran:?}");
        assert!(ran.out.contains("did you mean `digest`?"), "{ran:?}");
    }
    assert!(!place.line("schedules list").out.contains('‖'));
    assert!(items(&place, "jobs list").is_empty());
}
