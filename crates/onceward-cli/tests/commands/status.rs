//! Whether anything needs a person, and the exit code that says so.

use serde_json::json;

use onceward::{NewJob, Time};

use crate::support::{CONFIG, Place, wish_for, worker};

#[test]
fn an_empty_store_teaches_the_first_step() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    let ran = place.line("status");
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("onceward publish posts/*.md"), "{ran:?}");
}

#[tokio::test]
async fn of_several_four_then_three_then_five() {
    let table: [(&[&str], i32, &str); 6] = [
        (&["done"], 0, ""),
        (&["done", "retry"], 5, ""),
        (&["look"], 5, ""),
        (&["bad", "retry"], 3, "1 dead: onceward dead list"),
        (&["doubt", "look"], 4, "1 in doubt: onceward doubt list"),
        (&["bad", "doubt", "bad", "doubt", "done"], 4, "2 in doubt, 2 dead: onceward doubt list"),
    ];
    for (wishes, code, call) in table {
        let place = Place::new(CONFIG);
        place.with(wishes).await;
        let ran = place.line("status -q");
        assert_eq!((ran.code, ran.err.lines().last().unwrap_or("")), (code, call), "{wishes:?}");
        let script = place.line("status --json");
        assert_eq!((script.code, &script.json()["exit"]), (code, &json!(code)), "{wishes:?}");
    }
}

#[tokio::test]
async fn a_job_between_two_tries_is_not_settled_and_one_for_later_is() {
    let place = Place::new(CONFIG);
    let once = place.once().await;
    let later = Time::now().after(std::time::Duration::from_hours(1));
    once.enqueue(NewJob::untyped("mail", "wish", wish_for("done")).run_at(later)).await.unwrap();
    assert_eq!(place.line("status").code, 0);
    once.enqueue(NewJob::untyped("mail", "wish", wish_for("retry"))).await.unwrap();
    worker(&once).run_until_idle().await.unwrap();
    let ran = place.line("status");
    assert!(ran.code == 5 && ran.out.contains("tried again in"), "{ran:?}");
    assert_eq!(place.line("status --json").json()["exit"], 5);
}

#[tokio::test]
async fn the_table_has_a_row_for_each_queue_and_the_document_its_figures() {
    let place = Place::new(CONFIG);
    place.with(&["done", "bad", "doubt"]).await;
    let out = place.line("status").out;
    assert!(out.starts_with("queue") && out.contains("mail"), "{out}");
    assert!(out.contains("no worker is running"), "{out}");
    let status = place.line("status --json").json();
    let figures = &status["queues"][0]["figures"];
    assert_eq!((&figures["done"], &figures["dead"], &figures["in_doubt"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(
        (&status["totals"]["done"], &status["parked"], &status["workers"]),
        (&json!(1), &json!(1), &json!([]))
    );
}

#[test]
fn a_queue_that_is_not_configured_is_named_while_jobs_wait_in_it() {
    let place = Place::new(CONFIG);
    place.run(&["enqueue", "--queue", "mial", "--kind", "k", "--payload", "1"]);
    let ran = place.line("status");
    assert_eq!(ran.code, 5);
    assert!(ran.out.contains("not in the configuration"), "{ran:?}");
    assert!(ran.out.contains("start the program that serves mial"), "`onceward work` would not: {ran:?}");
    place.run(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "1"]);
    let ran = place.line("status");
    assert!(ran.out.contains("`onceward work`, and the program that serves mial"), "{ran:?}");
}

#[tokio::test]
async fn what_a_person_holds_is_let_go_by_a_release_and_not_by_the_configuration() {
    let place = Place::new(CONFIG);
    let once = place.once().await;
    for queue in ["mial", "mail"] {
        once.enqueue(NewJob::untyped(queue, "k", "1").hold("approval")).await.unwrap();
    }
    once.close().await;
    let out = place.line("status").out;
    for queue in ["mial", "mail"] {
        assert!(
            out.contains(&format!("1 held: onceward jobs list --state pending --queue {queue}")),
            "{out}"
        );
    }
    assert!(!out.contains("until it is"), "{out}");
}

#[test]
fn a_store_is_named_by_flag_then_variable_then_file() {
    let place = Place::new("[store]\nurl = \"sqlite://file.db\"\n");
    let named = |flag: &[&str]| {
        let mut command = place.command(&[&["db", "migrate"], flag].concat());
        command.env("ONCEWARD_STORE", "sqlite://variable.db").output().unwrap()
    };
    assert!(named(&["--store", "sqlite://flag.db"]).status.success() && place.path("flag.db").exists());
    assert!(!place.path("variable.db").exists());
    assert!(named(&[]).status.success() && place.path("variable.db").exists());
    assert!(!place.path("file.db").exists());
    assert!(place.line("db migrate").code == 0 && place.path("file.db").exists());
    let wrong = place.line("status --store mysql://x --json");
    assert_eq!((wrong.code, &wrong.json()["error"]["code"]), (2, &json!("store_url")));
    let option = place.line("db migrate --store sqlite://x.db?mode=memory --json");
    assert_eq!((option.code, &option.json()["error"]["code"]), (2, &json!("store_config")));
    assert_eq!(place.line("status --store sqlite://gone/x.db").code, 1);
}
