//! `smtp-sink`, Postfix's own server for tests: it takes the mail and ends the connection without a word.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use held_port::HeldPort;

use crate::lane::{Lane, Trouble};
use crate::wire::Wire;

/// The server, as a process. Killed when dropped.
struct Sink {
    child: Child,
    address: SocketAddr,
    _held: HeldPort,
}

impl Sink {
    /// With the options that say what it does wrong.
    async fn start(options: &[&str]) -> Self {
        let held = HeldPort::new().unwrap();
        let address = held.address();
        let mut command = Command::new("smtp-sink");
        command.args(options).args(["-u", "nobody", &address.to_string(), "100"]);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin")).stdin(Stdio::null());
        let child = command.spawn().expect("smtp-sink comes with Postfix; `./dev test` installs it");
        let sink = Self { child, address, _held: held };
        let deadline = Instant::now() + Duration::from_secs(30);
        while tokio::net::TcpStream::connect(address).await.is_err() {
            assert!(Instant::now() < deadline, "smtp-sink did not start; what it said is above");
            tokio::time::sleep(Duration::from_millis(20)).await; // sleeps: another program starts
        }
        sink
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_after_the_dot_leaves_a_doubt_and_gets_no_second_mail() {
    let sink = Sink::start(&["-q", "."]).await;
    let wire = Wire::before(sink.address).await;
    let lane = Lane::plain(wire.address, "jane@b.example");
    let files: Vec<String> = (0..5).map(|number| lane.post(&format!("post-{number}"))).collect();
    let mut seen = 0;
    for file in &files {
        for _ in 0..2 {
            let ran = lane.publish(std::slice::from_ref(file), Trouble::Nothing, Some(&wire)).await;
            let job = ran.job();
            assert_eq!((ran.code, &job["state"]), (Some(4), &"in_doubt".into()), "{ran:?}");
        }
        seen += 1;
        assert_eq!(wire.dots(), seen, "one dot for each mail, whatever is run again");
    }
}

#[tokio::test]
async fn a_recipient_that_is_refused_for_good_is_dead_and_a_server_that_is_down_is_waited_for() {
    let sink = Sink::start(&["-f", "RCPT"]).await;
    let lane = Lane::plain(sink.address, "jane@b.example");
    let job = lane.publish(&[lane.post("refused")], Trouble::Nothing, None).await.job();
    assert_eq!((&job["state"], &job["error"]["code"]), (&"dead".into(), &"smtp_500".into()), "{job}");

    let sink = Sink::start(&["-r", "."]).await;
    let lane = Lane::plain(sink.address, "jane@b.example");
    // Whoever has no patience is told how it stands.
    let ran = lane.run(&["publish", "--json", "--patience", "10ms", &lane.post("later")]).await;
    let job = ran.job();
    assert_eq!((ran.code, &job["state"]), (Some(5), &"pending".into()), "{ran:?}");
    assert_eq!(job["error"]["code"], "smtp_450", "said after the dot, so it is believed: {ran:?}");
}
