//! Workers: how they start, stop, and are stopped.

use std::io::{BufRead, BufReader, Lines};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::json;

use crate::support::{CONFIG, Place};

/// A worker that runs, and what it says.
struct Working {
    child: Child,
    says: Lines<BufReader<ChildStderr>>,
}

impl Working {
    /// Started, and ready to be stopped.
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(args);
        command.env("HOOK", "s3cr3t").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let says = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut working = Self { child, says };
        working.hear("working on ");
        working
    }

    /// Waits for a line that holds this.
    fn hear(&mut self, text: &str) -> String {
        let line = self.says.find(|line| line.as_ref().is_ok_and(|line| line.contains(text)));
        line.unwrap_or_else(|| panic!("never said {text:?}")).unwrap()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn ended(self) -> (i32, serde_json::Value) {
        let output = self.child.wait_with_output().unwrap();
        (output.status.code().unwrap_or(-1), serde_json::from_slice(&output.stdout).unwrap_or_default())
    }
}

impl Place {
    /// A folder with one post for these channels, enqueued.
    fn with_post(config: &str) -> Self {
        let place = Self::new(config);
        std::fs::write(place.path("a.md"), "---\ntitle: Hello\n---\nHello.\n").unwrap();
        let mut command = place.command(&["publish", "a.md", "--enqueue-only"]);
        let output = command.env("HOOK", "s3cr3t").output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
        place
    }
}

/// A receiver that takes a connection and never answers.
fn deaf(more: &str) -> (TcpListener, Place) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let channel = format!(
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/\"\nsecret = {{ env = \"HOOK\" }}\n"
    );
    (listener, Place::with_post(&format!("{channel}{more}")))
}

#[test]
fn a_signal_stops_an_idle_worker_cleanly() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let place = Place::new(CONFIG);
        let working = Working::start(&place, &["work", "--json"]);
        working.signal(signal);
        let (ended, report) = working.ended();
        assert_eq!((ended, &report["done"]), (code, &json!(0)), "{signal}");
    }
}

#[test]
fn a_job_that_does_not_end_within_the_grace_is_handed_back() {
    let (listener, place) = deaf("[queue]\ngrace = \"50ms\"\n");
    let mut working = Working::start(&place, &["work", "--json"]);
    let held = listener.accept().unwrap();
    working.signal("-TERM");
    working.hear("stopping");
    assert_eq!(working.ended().0, 143);
    drop(held);
    let job = place.line("jobs show 1 --json").json();
    assert_ne!(job["state"], "running", "{job}");
    assert_eq!(job["tries"], 0, "an interrupted try is not a failed one: {job}");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let (listener, place) = deaf("timeout = \"30m\"\n[queue]\ngrace = \"1h\"\nlease = \"1h\"\n");
        let mut working = Working::start(&place, &["work"]);
        let held = listener.accept().unwrap();
        working.signal("-TERM");
        working.hear("stopping");
        working.signal(signal);
        assert_eq!(working.ended().0, code, "{signal}");
        drop(held);
        assert_eq!(place.line("jobs show 1 --json").json()["state"], "running", "its lease runs out");
    }
}

#[test]
fn a_watched_status_is_one_document_a_line_until_a_signal() {
    let place = Place::new(CONFIG);
    place.line("db migrate");
    let mut child = place.command(&["status", "--watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["totals"]["pending"], 0);
    place.run(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "1"]);
    while next()["totals"]["pending"] != 1 {}
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn what_waits_elsewhere_is_said_when_a_run_ends_idle() {
    let place = Place::new(CONFIG);
    place.run(&["enqueue", "--queue", "mial", "--kind", "k", "--payload", "1"]);
    let ran = place.line("work --until-idle");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (5, "nothing that this program can run now; 1 wait in mial (kind k)\n"),
        "{ran:?}"
    );
    assert!(
        ran.err.contains("queue mial is not in the configuration: add it, or start the program"),
        "{ran:?}"
    );
    let script = place.line("work --until-idle --json").json();
    assert_eq!(
        script["waiting"],
        json!([{ "queue": "mial", "kind": "k", "jobs": 1, "more": false }]),
        "{script}"
    );
    let named = place.line("work --until-idle --queues mail");
    assert_eq!((named.code, named.out.as_str()), (0, "nothing was due\n"), "the others were not asked for");
    let working = Working::start(&place, &["work"]);
    working.signal("-TERM");
    let output = working.child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "no job was run\n");
}

#[test]
fn until_idle_delivers_what_is_due_and_ends() {
    let place = Place::with_post("[channels.blog]\ntype = \"archive\"\npath = \"blog\"\n[queues.mail]\n");
    let ran = place.line("work --until-idle");
    assert_eq!((ran.code, ran.out.as_str()), (0, "1 done\n"), "{ran:?}");
    assert!(place.path("blog").join("index.html").exists());
    let again = place.line("work --until-idle --json");
    assert_eq!((again.code, &again.json()["done"]), (0, &json!(0)), "{again:?}");
    assert_eq!(place.line("work --until-idle").out, "nothing was due\n");
}

#[test]
fn the_jobs_of_a_content_are_found_by_its_id() {
    let config = "[channels.a]\ntype = \"archive\"\npath = \"a\"\n[queues.mail]\n";
    let place = Place::with_post(config);
    place.run(&["enqueue", "--queue", "mail", "--kind", "k", "--payload", "1"]);
    let items = place.line("jobs list --content a --json").json();
    assert_eq!((items["items"].as_array().unwrap().len(), &items["items"][0]["queue"]), (1, &json!("a")));
    assert_eq!(place.line("jobs cancel --content a --yes --json").json()["cancelled"], json!([1]));
    let none = place.line("jobs list --content b --json");
    assert_eq!((none.code, &none.json()["error"]["code"]), (1, &json!("not_found")));
}

#[test]
fn only_the_named_queues_are_served() {
    let place = Place::with_post(
        "[channels.a]\ntype = \"archive\"\npath = \"a\"\n[channels.b]\ntype = \"archive\"\npath = \"b\"\n",
    );
    let ran = place.line("work --until-idle --queues b --json");
    assert_eq!((ran.code, &ran.json()["done"]), (0, &json!(1)), "{ran:?}");
    assert!(!place.path("a").exists() && place.path("b").exists());
    let wrong = place.line("work --queues bb --json");
    assert_eq!((wrong.code, &wrong.json()["error"]["code"]), (2, &json!("unknown_name")));
}

#[test]
fn a_channel_whose_secret_is_missing_is_left_to_others_and_named() {
    let (_listener, place) = deaf("");
    let ran = place.line("work --until-idle");
    assert!(
        ran.err.contains("channel hook is not served here: secret: set the environment variable HOOK"),
        "{ran:?}"
    );
    assert_eq!(place.line("jobs show 1 --json").json()["state"], "pending");
}

#[test]
fn jobs_of_other_kinds_wait_and_are_named_once() {
    let place = Place::new(CONFIG);
    place.fed(
        &["enqueue", "--batch", "--queue", "mail", "--kind", "email.welcome"],
        "{\"payload\":1}\n{\"payload\":2}\n",
    );
    let ran = place.line("work --until-idle");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (5, "nothing that this program can run now; 2 wait in mail (kind email.welcome)\n"),
        "{ran:?}"
    );
    assert_eq!(ran.err.matches("email.welcome").count(), 1, "{ran:?}");
}

#[test]
fn schedules_are_those_of_the_configuration() {
    let schedule = "[[schedules]]\nname = \"digest\"\ncron = \"0 9 * * *\"\ntimezone = \"Asia/Seoul\"\nqueue = \"mail\"\nkind = \"digest\"\n";
    let place = Place::new(&format!("{CONFIG}{schedule}"));
    assert_eq!(place.line("work --until-idle").code, 0);
    let schedules = tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(async { place.once().await.schedules().await.unwrap() });
    assert_eq!(
        (schedules[0].schedule.name.as_str(), schedules[0].schedule.timezone.as_str()),
        ("digest", "Asia/Seoul")
    );
    std::fs::write(place.path("onceward.toml"), CONFIG).unwrap();
    let ran = place.line("work --until-idle");
    assert!(ran.err.contains("schedule digest is not configured any more"), "{ran:?}");
    let schedules = tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(async { place.once().await.schedules().await.unwrap() });
    assert!(schedules.is_empty(), "{schedules:?}");
}

/// A broker that takes the connection and never speaks.
#[test]
fn a_run_until_idle_is_stopped_while_it_waits_for_a_broker() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let broker = listener.local_addr().unwrap();
    let source = |name: &str| {
        format!("[[sources]]\nname = \"{name}\"\nfrom = \"nats://{broker}/jobs/once\"\nqueue = \"mail\"\n")
    };
    let place = Place::new(&format!("[queues.mail]\n{}{}{}", source("a"), source("b"), source("c")));
    let mut child = place.command(&["work", "--until-idle"]).stderr(Stdio::piped()).spawn().unwrap();
    let held = listener.accept().unwrap();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143), "{said}");
    assert!(!said.contains("source a: "), "it did not wait for the broker: {said}");
    drop(held);
}
