//! The program between an outbox, a broker and the queue.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, stream};

use crate::outbox::application;
use crate::support::Place;

/// Rows, and messages.
const COUNT: usize = 3000;

/// A stream of this test's own on the NATS of this run: the server's URL and the stream's name.
fn stream(name: &str) -> (String, String) {
    let url = std::env::var("ONCEWARD_TEST_NATS").expect("run this by ./dev test, which starts a NATS");
    let name = format!("{name}-{}-{}", std::process::id(), onceward::Time::now().micros());
    block_on(async {
        let jetstream = jetstream::new(async_nats::connect(&url).await.unwrap());
        let config =
            stream::Config { name: name.clone(), subjects: vec![format!("{name}.>")], ..Default::default() };
        jetstream.create_stream(config).await.unwrap();
    });
    (url, name)
}

/// A configuration that goes there and back.
fn place(name: &str) -> Place {
    let (url, name) = stream(name);
    let place = Place::new(&format!(
        "[queues.mail]\n\
         [[relays]]\nname = \"signup\"\nfrom = \"sqlite://app.db\"\nto = \"{url}/{name}.{{queue}}\"\n\
         [[sources]]\nname = \"signup\"\nfrom = \"{url}/{name}/onceward\"\nqueue = \"mail\"\n"
    ));
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate").code, 0);
    place
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

const ROWS: &str = "INSERT INTO onceward_outbox (queue, kind, payload)
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
    SELECT 'mail', 'welcome', json_object('n', n) FROM n";

#[test]
fn killed_again_and_again_work_carries_each_row_through_the_broker_once() {
    let place = place("killed");
    application(&place, ROWS);
    let mut carried = 0;
    for kill in 0..12_u64 {
        let mut work = place.command(&["work"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200 + kill * 37)); // sleeps: the moment of a kill
        work.kill().unwrap();
        work.wait().unwrap();
        carried = waiting(&place);
    }
    println!("{carried} of {COUNT} were jobs when the last process was killed");
    // A killed relay keeps what it had claimed for a minute, a killed source what it had taken for half of one.
    let until = Instant::now() + Duration::from_mins(2);
    while waiting(&place) < COUNT && Instant::now() < until {
        place.line("work --until-idle");
        std::thread::sleep(Duration::from_secs(1)); // sleeps: what a killed process had in hand is visible later
    }
    assert_eq!(waiting(&place), COUNT);
    let once = block_on(place.once());
    let mut payloads = std::collections::BTreeSet::new();
    let mut after = None;
    loop {
        let page = block_on(once.jobs(&onceward::Filter::default(), 1000, after)).unwrap();
        payloads.extend(page.items.into_iter().map(|job| job.payload));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(payloads.len(), COUNT, "a row made two jobs, or none");
}

/// Jobs that wait for a worker of the application.
fn waiting(place: &Place) -> usize {
    let status = place.line("status --json").json();
    usize::try_from(status["totals"]["pending"].as_u64().unwrap()).unwrap()
}

#[test]
fn a_broker_that_is_away_holds_up_nothing_else() {
    let place = Place::new(
        "[queues.mail]\n\
         [[relays]]\nname = \"away\"\nfrom = \"sqlite://app.db\"\nto = \"nats://127.0.0.1:9/jobs\"\n\
         [[sources]]\nname = \"away\"\nfrom = \"amqp://127.0.0.1:9?queue=jobs\"\nqueue = \"mail\"\n\
         [[sources]]\nname = \"hidden\"\nfrom = { env = \"NOBODY_SET_THIS\" }\nqueue = \"mail\"\n",
    );
    std::fs::write(place.path("app.db"), "").unwrap();
    assert_eq!(place.line("outbox migrate").code, 0);
    application(
        &place,
        "INSERT INTO onceward_outbox (queue, kind, payload) VALUES ('mail', 'welcome', '{}')",
    );
    let ran = place.line("work --until-idle");
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("NOBODY_SET_THIS") && ran.err.contains("source away: "), "{ran:?}");
    let status = place.line("outbox status --json").json();
    assert_eq!(status["items"][0]["waiting"], 1, "{status}");
    assert!(!status["items"][0]["targets"][0]["error"].is_null(), "{status}");
    let status = place.line("status");
    assert!(status.code == 5 && status.out.contains("relay away: 1 waiting"), "{status:?}");
    assert!(status.out.contains("last error: "), "{status:?}");
    assert!(status.out.contains("source hidden: ") && status.out.contains("NOBODY_SET_THIS"), "{status:?}");
    let sources = &place.line("status --json").json()["sources"];
    assert!(sources[0]["lacking"].is_null() && sources[1]["lacking"].is_string(), "{sources}");
}

#[test]
fn a_source_that_is_away_may_hold_more_work() {
    let place = Place::new(
        "[queues.mail]\n[[sources]]\nname = \"away\"\nfrom = \"amqp://127.0.0.1:9?queue=jobs\"\nqueue = \"mail\"\n",
    );
    let ran = place.line("work --until-idle");
    assert!(ran.code == 5 && ran.err.contains("source away: "), "{ran:?}");
}

/// Whatever puts the secret there may start later than the worker.
#[test]
fn a_source_whose_secret_comes_later_is_taken_from_then_and_said_to_be_away_once() {
    let (url, name) = stream("later");
    block_on(async {
        let jetstream = jetstream::new(async_nats::connect(&url).await.unwrap());
        jetstream.publish(format!("{name}.mail"), "{}".into()).await.unwrap().await.unwrap();
    });
    let place = Place::new(
        "[queues.mail]\n\
         [[sources]]\nname = \"later\"\nfrom = { file = \"broker\" }\nqueue = \"mail\"\nkind = \"welcome\"\n",
    );
    let mut work = place.command(&["work"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(work.stderr.take().unwrap()).lines().map(Result::unwrap);
    let first = said.find(|line| line.contains("source later is not taken from")).unwrap();
    assert!(first.contains("it is tried again"), "{first}");
    // The second try is over once it has read what leads nowhere: a pipe shows that it did.
    let (broker, right) = (place.path("broker"), place.path("right"));
    assert!(Command::new("mkfifo").arg(&broker).status().unwrap().success());
    std::fs::write(&broker, "nonsense").unwrap();
    std::fs::write(&right, format!("{url}/{name}/onceward")).unwrap();
    std::fs::rename(&right, &broker).unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while waiting(&place) == 0 && Instant::now() < until {}
    let taken = waiting(&place);
    work.kill().unwrap();
    work.wait().unwrap();
    assert_eq!(taken, 1);
    let rest: Vec<String> = said.collect();
    assert!(!rest.iter().any(|line| line.contains("is not taken from")), "{rest:?}");
}
