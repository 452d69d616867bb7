//! The mail server, from a plain client.

use onceward_sandbox::{Fault, Kind, Options, Sandbox};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const MAIL: &str = "From: a@b.example\r\nDate: Tue, 01 Dec 2026 09:00:00 +0000\r\nMessage-ID: <k@b.example>\r\n\
                    Subject: =?utf-8?b?7ZWc6riA?=\r\n\r\nHello\r\n..\r\n";

async fn sandbox() -> Sandbox {
    Sandbox::start(Options { platforms: Some(vec!["email".to_owned()]), ..Options::default() }).await.unwrap()
}

/// Says the lines one by one, and gives the last line of each reply; stops when the connection ends.
async fn talk(sandbox: &Sandbox, lines: &[&str]) -> Vec<String> {
    let url = sandbox.url("email");
    let stream = TcpStream::connect(url.strip_prefix("smtp://").unwrap()).await.unwrap();
    let mut stream = BufReader::new(stream);
    let mut said = Vec::new();
    for line in std::iter::once(&"").chain(lines) {
        if stream.write_all(line.as_bytes()).await.is_err() {
            return said;
        }
        let mut reply = String::new();
        loop {
            reply.clear();
            if !matches!(stream.read_line(&mut reply).await, Ok(1..)) {
                return said;
            }
            if reply.as_bytes().get(3) == Some(&b' ') {
                break;
            }
        }
        said.push(reply.trim_end().to_owned());
    }
    said
}

fn dialogue(mail: &str) -> Vec<String> {
    let lines = ["EHLO x", "MAIL FROM:<a@b.example> SIZE=99", "RCPT TO:<c@d.example>", "DATA"];
    let commands = lines.iter().map(|line| format!("{line}\r\n"));
    commands.chain([format!("{mail}.\r\n"), "QUIT\r\n".to_owned()]).collect()
}

async fn send(sandbox: &Sandbox, mail: &str) -> Vec<String> {
    let lines = dialogue(mail);
    let replies = talk(sandbox, &lines.iter().map(String::as_str).collect::<Vec<_>>()).await;
    replies.iter().map(|reply| reply[..3].to_owned()).collect()
}

#[tokio::test]
async fn a_mail_is_taken_in_with_what_readers_see() {
    let sandbox = sandbox().await;
    assert_eq!(send(&sandbox, MAIL).await, ["220", "250", "250", "250", "354", "250", "221"]);
    assert_eq!(send(&sandbox, MAIL).await.len(), 7);
    let ledger = sandbox.ledger();
    let seen: Vec<_> = ledger.visible("email").collect();
    assert_eq!(seen.len(), 2, "SMTP knows no repeat");
    let (text, place, key) = (seen[0].text.as_str(), seen[0].place.as_deref(), seen[0].key.as_deref());
    assert_eq!((text, place, key), ("한글", Some("c@d.example"), Some("<k@b.example>")));
    assert!(seen[0].data["mail"].as_str().unwrap().ends_with("\r\n\r\nHello\r\n.\r\n"), "{seen:?}");
}

#[tokio::test]
async fn a_fault_meets_the_command_that_it_is_meant_for() {
    for (act, kind, replies, taken) in [
        ("sender", Kind::Refuse(451), vec!["220", "250", "451", "503", "503", "502"], 0),
        ("recipient", Kind::Refuse(550), vec!["220", "250", "250", "550", "503", "502"], 0),
        ("recipient", Kind::Refuse(503), vec!["220", "250", "250", "421"], 0),
        ("data", Kind::Reset, vec!["220", "250", "250", "250"], 0),
        ("content", Kind::Reset, vec!["220", "250", "250", "250", "354"], 0),
        ("post", Kind::Refuse(552), vec!["220", "250", "250", "250", "354", "552", "221"], 0),
        ("post", Kind::AcceptThenReset, vec!["220", "250", "250", "250", "354"], 1),
        ("post", Kind::AcceptThenCut(2), vec!["220", "250", "250", "250", "354"], 1),
    ] {
        let sandbox = sandbox().await;
        sandbox.fault(Fault::new(kind).on("email").act(act).times(1));
        let said = send(&sandbox, MAIL).await;
        assert_eq!(said[..replies.len().min(said.len())], replies, "{act} {kind:?}");
        assert_eq!(sandbox.ledger().visible("email").count(), taken, "{act} {kind:?}");
    }
}

#[tokio::test]
async fn what_no_mail_may_hold_is_refused() {
    for mail in ["no headers\r\n", &format!("{MAIL}a\nb\r\n"), &format!("{MAIL}ä\r\n")] {
        let sandbox = sandbox().await;
        assert_eq!(send(&sandbox, mail).await[5], "554", "{mail:?}");
        assert_eq!(sandbox.ledger().accepted.len(), 0);
    }
}

#[tokio::test]
async fn a_login_is_taken_in_both_ways_and_not_kept() {
    let sandbox = sandbox().await;
    let said = talk(
        &sandbox,
        &["AUTH PLAIN AHUAczNjcmV0\r\n", "AUTH LOGIN\r\n", "dQ==\r\n", "czNjcmV0\r\n", "QUIT\r\n"],
    )
    .await;
    let codes: Vec<_> = said.iter().map(|reply| &reply[..3]).collect();
    assert_eq!(codes, ["220", "235", "334", "334", "235", "221"]);
    assert!(!format!("{:?}", sandbox.ledger()).contains("s3cret"));
}
