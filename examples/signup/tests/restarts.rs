//! Everything that version 4 rests on is killed: application, worker, relay, and the servers beside them. Forty fixed
//! seeds, or five hundred in the long form.

mod servers;

use servers::lesson::{keeps_its_promise, lesson};
use servers::nats::Nats;
use servers::postgres::Postgres;
use servers::rabbitmq::RabbitMq;

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

/// Plays it behind a broker, on a PostgreSQL; both are killed, too.
fn behind(broker: &str, url: &str, restart: &str) {
    let postgres = Postgres::start();
    let option = format!("--{broker}");
    let (store, other) = (postgres.url(), postgres.restart());
    version_4(&[
        "--store",
        &store,
        "--queue",
        broker,
        &option,
        url,
        "--restart",
        &other,
        "--restart",
        restart,
    ]);
}

#[test]
fn kills_and_restarts_of_nats_and_postgresql_lose_no_mail_and_double_none() {
    let nats = Nats::start();
    behind("nats", &nats.url(), &nats.restart());
}

/// A node takes some seconds to come back: seeds go on meanwhile, but a restart waits for the one before.
#[test]
fn kills_and_restarts_of_rabbitmq_and_postgresql_lose_no_mail_and_double_none() {
    let rabbitmq = RabbitMq::start();
    behind("rabbitmq", &rabbitmq.url(), &rabbitmq.restart());
}
