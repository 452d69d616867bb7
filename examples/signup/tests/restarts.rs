//! Everything that version 4 rests on is killed: application, worker, relay, and the servers beside them. Forty fixed
//! seeds, or five hundred in the long form.

mod servers;

use servers::lesson::{keeps_its_promise, lesson};
use servers::nats::Nats;
use servers::postgres::Postgres;

fn rounds() -> &'static str {
    if std::env::var_os("ONCEWARD_LONG").is_some() { "500" } else { "40" }
}

/// Plays version 4 alone, with four mails at once.
fn version_4(arguments: &[&str]) {
    let always = ["--versions", "4", "--rounds", rounds(), "--at-once", "4"];
    for row in lesson(&[&always, arguments].concat()) {
        keeps_its_promise(&row);
    }
}

#[test]
fn kills_and_immediate_restarts_of_postgresql_lose_no_mail_and_double_none() {
    let postgres = Postgres::start();
    version_4(&["--store", &postgres.url(), "--restart", &postgres.restart()]);
}

#[test]
fn a_killed_relay_hands_over_all_and_nothing_twice() {
    version_4(&["--queue", "elsewhere"]);
}

#[test]
fn kills_and_restarts_of_nats_and_postgresql_lose_no_mail_and_double_none() {
    let (postgres, nats) = (Postgres::start(), Nats::start());
    let restarts = [&postgres.restart(), &nats.restart()];
    let [one, other] = restarts.map(String::as_str);
    let url = postgres.url();
    version_4(&[
        "--store",
        &url,
        "--queue",
        "nats",
        "--nats",
        &nats.url(),
        "--restart",
        one,
        "--restart",
        other,
    ]);
}
