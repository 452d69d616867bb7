//! Everything that version 4 rests on is killed: application, worker, relay, and the servers beside them. Forty fixed
//! seeds, or five hundred in the long form.

mod servers;

use servers::lesson::{keeps_its_promise, lesson};
use servers::postgres::Postgres;

fn rounds() -> &'static str {
    if std::env::var_os("ONCEWARD_LONG").is_some() { "500" } else { "40" }
}

#[test]
fn kills_and_immediate_restarts_of_postgresql_lose_no_mail_and_double_none() {
    let postgres = Postgres::start();
    let rows = lesson(&[
        "--versions",
        "4",
        "--rounds",
        rounds(),
        "--at-once",
        "4",
        "--store",
        &postgres.url(),
        "--restart",
        &postgres.restart(),
    ]);
    keeps_its_promise(&rows[0]);
}

#[test]
fn a_killed_relay_hands_over_all_and_nothing_twice() {
    let rows = lesson(&["--versions", "4", "--queue", "elsewhere", "--rounds", "20", "--at-once", "4"]);
    keeps_its_promise(&rows[0]);
}
