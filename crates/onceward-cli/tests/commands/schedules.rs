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

/// Two programs of one store, each with a configuration of its own.
#[test]
fn two_configurations_of_one_store_leave_each_other_their_schedules() {
    let place = Place::new(CONFIG);
    std::fs::create_dir(place.path("other")).unwrap();
    let other = CONFIG.replace("digest", "report").replace("tidy", "sweep");
    let store = format!("[store]\nurl = \"sqlite://{}\"\n", place.path("onceward.db").display());
    std::fs::write(place.path("other/onceward.toml"), store + &other).unwrap();
    for config in ["onceward.toml", "other/onceward.toml", "onceward.toml"] {
        let ran = place.line(&format!("work --until-idle --config {config}"));
        assert!(ran.code == 0 && !ran.err.contains("removed"), "{ran:?}");
    }
    let listed = items(&place, "schedules list");
    let whose: Vec<_> =
        listed.iter().map(|it| (it["name"].as_str().unwrap(), it["configured"] == true)).collect();
    assert_eq!(whose, [("digest", true), ("report", false), ("sweep", false), ("tidy", true)]);
    assert!(listed[1]["owner"].as_str().unwrap().ends_with("other/onceward.toml"), "{listed:?}");
    assert!(place.line("schedules list").out.contains("other/onceward.toml has it"));

    let kept = place.line("schedules remove report digest");
    assert!(kept.code == 2 && kept.err.contains("take it out there"), "{kept:?}");
    let unknown = place.line("schedules remove reprot");
    assert!(unknown.code == 2 && unknown.err.contains("did you mean `report`?"), "{unknown:?}");
    let removed = place.line("schedules remove report report").out;
    assert!(
        removed.contains("/other/onceward.toml had registered") && removed.lines().count() == 1,
        "{removed}"
    );
    std::fs::remove_file(place.path("other/onceward.toml")).unwrap();
    std::fs::write(place.path("onceward.toml"), "[queues.mail]\n").unwrap();
    let ran = place.line("work --until-idle");
    assert!(ran.err.contains("schedule digest is not configured any more, and was removed"), "{ran:?}");
    assert!(ran.err.contains("which is not here") && ran.err.contains("schedules remove sweep"), "{ran:?}");
    assert_eq!(items(&place, "schedules list")[0]["name"], "sweep");
}

/// Without a configuration a store is named by itself: such a worker has nothing to say of schedules.
#[test]
fn a_worker_without_a_configuration_removes_no_schedule() {
    let place = Place::new(CONFIG);
    assert_eq!(place.line("work --until-idle").code, 0);
    let elsewhere = Place::new("");
    std::fs::remove_file(elsewhere.path("onceward.toml")).unwrap();
    let store = format!("sqlite://{}", place.path("onceward.db").display());
    let ran = elsewhere.run(&["work", "--until-idle", "--store", &store]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(items(&place, "schedules list").len(), 2);
}
