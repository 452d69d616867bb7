//! The lesson's table comes out as its README tells it.

mod servers;

use servers::lesson::{count, keeps_its_promise, lesson, lost};

/// How long the mail server thinks about each mail, in milliseconds.
const MAIL_TAKES: f64 = 50.0;

fn median(row: &serde_json::Value) -> f64 {
    row["median_ms"].as_f64().unwrap_or_else(|| panic!("nobody was welcomed: {row:#}"))
}

#[test]
fn version_1_makes_wait_2_loses_3_loses_at_the_worker_and_4_neither_loses_nor_doubles() {
    let [one, two, three, four] = &lesson(&["--rounds", "16"])[..] else { panic!("not four versions") };
    assert!(median(one) >= MAIL_TAKES, "the person waits for the mail server: {one:#}");
    for (row, name) in [(two, 2), (three, 3), (four, 4)] {
        assert!(median(row) < median(one), "version {name} answers before the mail is sent: {row:#}");
    }
    assert!(lost(two) > 0, "the queue dies with the process: {two:#}");
    assert!(lost(three) > 0, "a row that was taken is not sent: {three:#}");
    for row in [one, two, three] {
        assert_eq!((count(row, "in_doubt"), count(row, "dead")), (0, 0), "it knows of nothing: {row:#}");
    }
    keeps_its_promise(four);
    assert!(count(four, "after_the_dot") > 0, "or nothing was in doubt: {four:#}");
}

#[test]
fn only_version_1_fails_with_the_mail_server() {
    // Seed 1: the mail server is away.
    let rows = lesson(&["--rounds", "1", "--seed", "1"]);
    let turned_away: Vec<_> = rows.iter().map(|row| row["turned_away"].as_u64().unwrap()).collect();
    // Three people, and one whose mailbox does not exist.
    assert_eq!(turned_away, [4, 0, 0, 0], "{rows:#?}");
}

#[test]
fn what_a_real_mail_server_has_is_what_version_4_says() {
    let postfix = std::env::var("ONCEWARD_TEST_POSTFIX")
        .expect("ONCEWARD_TEST_POSTFIX names the folder of a Postfix that runs: run this by ./dev test");
    let rows = lesson(&["--versions", "4", "--rounds", "20", "--at-once", "4", "--postfix", &postfix]);
    keeps_its_promise(&rows[0]);
}
