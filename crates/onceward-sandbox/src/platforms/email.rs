//! A mail server, by SMTP on a port of its own.
//!
//! After RFC 5321, 4954 and 3463. Each command is a request of its own, so that a fault can meet each: `hello`, `login`,
//! `sender`, `recipient`, `data`, `content` (the mail begins to arrive; the dot has not), `post` (the dot is there).
//! It takes mail for everybody and checks no password. Like any mail server it knows no repeat: the same `Message-ID`
//! twice is two mails. There is no STARTTLS: it listens on loopback only.

mod letter;
mod server;

use serde_json::json;

use super::{Platform, Problem, Visit};
use crate::answer::Answer;
use crate::call::Call;
use crate::desk::{Desk, Item};
use crate::text;

pub(crate) use server::serve;

/// The largest mail, in bytes.
const SIZE: usize = 25 << 20;

/// The server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Smtp;

impl Platform for Smtp {
    fn name(&self) -> &'static str {
        "email"
    }

    fn read(&self, call: &Call) -> Visit {
        let act = match call.method.as_str() {
            "EHLO" | "HELO" => "hello",
            "AUTH" => "login",
            "MAIL" => "sender",
            "RCPT" => "recipient",
            "DATA" => "data",
            "CONTENT" => "content",
            "DOT" => "post",
            _ => "unknown",
        };
        let key = letter::header(&call.body, "message-id").filter(|_| act == "post");
        Visit { act, account: call.header("from").map(text::account), key }
    }

    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer {
        match desk.visit.act {
            "hello" => says(250, &format!("sandbox\nSIZE {SIZE}\nAUTH PLAIN LOGIN\nENHANCEDSTATUSCODES")),
            "login" => says(235, "2.7.0 Authentication successful"),
            "sender"
                if call
                    .asked("size")
                    .and_then(|size| size.parse().ok())
                    .is_some_and(|size: usize| size > SIZE) =>
            {
                says(552, "5.3.4 Message size exceeds fixed limit")
            }
            "sender" => says(250, "2.1.0 Ok"),
            "recipient" => says(250, "2.1.5 Ok"),
            "data" => says(354, "End data with <CR><LF>.<CR><LF>"),
            "content" => says(250, ""),
            "post" => take(call, desk),
            _ => says(502, "5.5.2 Error: command not recognized"),
        }
    }

    fn problem(&self, problem: &Problem, _desk: &Desk<'_>) -> Answer {
        match *problem {
            // What a web server says when it is down, in the words of a mail server.
            Problem::Broken { status: 500 | 502..=504 } => {
                says(421, "4.3.2 Service not available, closing channel")
            }
            Problem::Broken { status } if status < 500 => {
                says(status, "4.3.0 Temporary failure, try again later")
            }
            Problem::Broken { status } => says(status, "5.7.1 Refused"),
            Problem::RateLimited { .. } => says(450, "4.7.1 Error: too much mail from 127.0.0.1"),
            Problem::Duplicate => says(554, "5.5.0 Duplicate message"),
            Problem::ExpiredToken | Problem::RevokedToken => {
                says(535, "5.7.8 Error: authentication failed: authentication failure")
            }
        }
    }
}

fn says(code: u16, words: &str) -> Answer {
    Answer::text(code, words)
}

/// Takes a mail in, unless RFC 5322 forbids it.
fn take(call: &Call, desk: &mut Desk<'_>) -> Answer {
    if let Some(why) = letter::unsound(&call.body) {
        return says(554, &format!("5.6.0 {why}"));
    }
    let header = |name: &str| letter::header(&call.body, name).unwrap_or_default();
    let data = json!({
        "from": call.header("from"),
        "message_id": header("message-id"),
        "mail": String::from_utf8_lossy(&call.body),
    });
    let number = desk.next_number();
    desk.accept(Item {
        visible: true,
        text: letter::words(&header("subject")),
        place: call.header("to").map(str::to_owned),
        data,
        ..Item::default()
    });
    says(250, &format!("2.0.0 Ok: queued as {number:X}"))
}
