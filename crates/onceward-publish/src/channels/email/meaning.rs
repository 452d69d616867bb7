//! What a broken dialogue means: it depends on how far it came.

use std::io;

use onceward::{Cause, Failure, SendError};
use onceward_http::redact;

use super::smtp::{Reply, Stage, Why};
use crate::channels::answer::Means;

/// One row of the table of replies. The first that fits counts.
struct Row {
    /// When it is said; empty: whenever.
    at: &'static [Stage],
    /// How the code begins.
    code: &'static str,
    /// How the enhanced code begins; empty: any, or none.
    enhanced: &'static str,
    means: Means,
    /// The server as a whole: other mails would fare the same.
    outage: bool,
    text: &'static str,
}

const fn row(
    at: &'static [Stage],
    (code, enhanced): (&'static str, &'static str),
    means: Means,
    outage: bool,
    text: &'static str,
) -> Row {
    Row { at, code, enhanced, means, outage, text }
}

use Means::{Auth, Later, Refused};
use Stage::{Connect, Hello, Login, Recipient, Secure, Sender};

/// What servers say (RFC 5321, 4954, 3463). None of them has taken the mail.
const REPLIES: &[Row] = &[
    row(&[], ("421", ""), Later, true, "the mail server closes the connection; it takes no mail now"),
    row(&[Connect, Hello, Secure], ("", ""), Later, true, "the mail server takes no mail now"),
    row(&[], ("530", "5.7.0"), Auth, false, "the mail server wants a login, or a secure connection first"),
    row(
        &[],
        ("530", ""),
        Auth,
        false,
        "the mail server wants a login; name a user in `smtp`, and set `password`",
    ),
    row(&[], ("535", ""), Auth, false, LOGIN),
    row(&[Login], ("4", ""), Later, true, "the mail server cannot check logins now"),
    row(&[Login], ("5", ""), Auth, false, LOGIN),
    row(&[], ("4", "4.3."), Later, true, "the mail server cannot take mail now"),
    row(&[], ("", "5.3.4"), Refused, false, "the mail is too large for the server"),
    row(&[Sender], ("5", "5.7."), Auth, false, "the mail server does not let this account send as `from`"),
    row(&[Sender], ("5", "5.1."), Auth, false, "the mail server does not know the address in `from`"),
    row(&[Recipient], ("5", ""), Refused, false, "the mail server takes no mail for this recipient"),
    row(&[Recipient], ("4", ""), Later, false, "the mail server takes no mail for this recipient now"),
    row(&[], ("5", ""), Refused, false, "the mail server refused the mail"),
    row(&[], ("4", ""), Later, false, "the mail server could not take the mail"),
];

const LOGIN: &str = "the mail server does not accept the user or the password";

/// What it means for the mail to `whom` that the dialogue with `host` broke at that stage. None of `secrets` is shown.
pub(super) fn meaning(why: &Why, stage: Stage, host: &str, whom: &str, secrets: &[String]) -> SendError {
    let clear = stage < Stage::Dot;
    let cause = |code: &'static str, text: String| {
        let text = redact(&format!("{host}: {text}"), secrets.iter().map(String::as_str));
        Cause::new(code, text)
    };
    let broken = |code, what: &str, detail: &dyn std::fmt::Display| {
        let then = if clear { "the mail was not handed over" } else { "the mail may have been taken" };
        let cause = cause(code, format!("{what} ({detail}); {then}")).outage();
        if clear { SendError::NotSent(cause) } else { SendError::Unknown(cause) }
    };
    let auth =
        |code, text: &str| SendError::Refused(Failure::AuthNeeded { cause: cause(code, text.to_owned()) });
    match why {
        Why::No(reply) => said(reply, stage, &cause, whom),
        Why::NoName(error) => broken("dns", "the name could not be resolved", error),
        Why::NoConnection(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            broken("connect_refused", "the connection was refused", error)
        }
        Why::NoConnection(error) => broken("connect_failed", "no connection could be made", error),
        Why::NoTls(error) => broken("tls", "no secure connection could be made", error),
        Why::TlsMissing => {
            auth("tls_missing", "it offers no STARTTLS; use smtps:// if it has a port for that")
        }
        Why::LoginMissing => {
            auth("login_missing", "it offers no login by PLAIN or LOGIN; other ways are not built")
        }
        Why::Lost(error) => broken("cut", "the connection broke", error),
        Why::Unreadable(detail) => broken("answer_unreadable", "its reply cannot be understood", detail),
        Why::Deadline => broken("timeout", "no reply came in time", &format!("{stage:?}").to_lowercase()),
    }
}

fn said(reply: &Reply, stage: Stage, cause: &dyn Fn(&'static str, String) -> Cause, whom: &str) -> SendError {
    let code = reply.code.to_string();
    let enhanced = reply.enhanced().unwrap_or_default();
    let fits = |row: &&Row| {
        (row.at.is_empty() || row.at.contains(&stage))
            && code.starts_with(row.code)
            && enhanced.starts_with(row.enhanced)
    };
    let (means, outage, ours) =
        REPLIES.iter().find(fits).map_or((Later, false, ""), |row| (row.means, row.outage, row.text));
    let words: String = reply.text().chars().take(300).collect();
    let whom = if stage >= Recipient { format!("; the mail to {whom}") } else { String::new() };
    let mut cause = cause("", format!("{ours}{whom}; it says {words:?}")).platform(enhanced);
    cause.code = format!("smtp_{code}").into();
    if enhanced.is_empty() {
        cause.platform_code = None;
    }
    if outage {
        cause = cause.outage();
    }
    SendError::Refused(match means {
        Means::Auth => Failure::AuthNeeded { cause },
        Means::Refused => Failure::permanent(cause),
        _ => Failure::transient(cause),
    })
}

#[cfg(test)]
mod tests {
    use super::super::smtp::Lines;
    use super::*;

    fn no(line: &str) -> Why {
        Why::No(Lines::default().take(line.as_bytes()).unwrap().unwrap())
    }

    fn seen(why: &Why, stage: Stage) -> (String, Cause) {
        let secrets = ["hunter2".to_owned(), "aHVudGVyMg==".to_owned()];
        match meaning(why, stage, "mx.example", "a@b.example", &secrets) {
            SendError::Refused(failure) => {
                let class = failure.class();
                (class.to_owned(), failure.cause().clone())
            }
            SendError::NotSent(cause) => ("not sent".to_owned(), cause),
            SendError::Unknown(cause) => ("unknown".to_owned(), cause),
        }
    }

    #[test]
    fn each_reply_means_one_thing_where_it_is_said() {
        use Stage::{Connect, Content, Data, Dot, Hello, Login, Recipient, Secure, Sender};
        for (stage, line, class, outage) in [
            (Connect, "554 5.7.1 no service here", "transient", true),
            (Connect, "421 busy", "transient", true),
            (Hello, "502 what", "transient", true),
            (Secure, "454 4.7.0 TLS not available", "transient", true),
            (Login, "535 5.7.8 authentication failed", "auth_needed", false),
            (Login, "534 5.7.9 needs an application password", "auth_needed", false),
            (Login, "454 4.7.0 temporary failure", "transient", true),
            (Login, "421 4.7.0 too many errors", "transient", true),
            (Recipient, "535 5.7.8 authentication failed", "auth_needed", false),
            (Dot, "535 5.7.8 authentication failed", "auth_needed", false),
            (Sender, "530 5.7.0 must issue STARTTLS first", "auth_needed", false),
            (Sender, "530 login", "auth_needed", false),
            (Sender, "550 5.7.60 not permitted to send as this sender", "auth_needed", false),
            (Sender, "553 5.1.8 sender address has null MX", "auth_needed", false),
            (Sender, "552 5.3.4 message size exceeds fixed limit", "permanent", false),
            (Sender, "452 4.3.1 insufficient system storage", "transient", true),
            (Sender, "450 4.7.1 too much mail", "transient", false),
            (Sender, "501 syntax", "permanent", false),
            (Recipient, "450 4.2.0 greylisted", "transient", false),
            (Recipient, "452 4.2.2 mailbox full", "transient", false),
            (Recipient, "550 5.1.1 user unknown", "permanent", false),
            (Recipient, "554 5.7.1 relay access denied", "permanent", false),
            (Recipient, "521 5.7.1 go away", "permanent", false),
            (Recipient, "421 4.7.0 bye", "transient", true),
            (Data, "451 4.3.0 queue file write error", "transient", true),
            (Data, "554 no valid recipients", "permanent", false),
            (Dot, "550 5.7.1 looks like spam", "permanent", false),
            (Dot, "552 5.3.4 too big after all", "permanent", false),
            (Dot, "451 4.7.1 try later", "transient", false),
            (Dot, "421 4.3.2 shutting down", "transient", true),
            (Content, "421 timeout", "transient", true),
        ] {
            let (found, cause) = seen(&no(line), stage);
            assert_eq!((found.as_str(), cause.outage), (class, outage), "{stage:?} {line}: {cause:?}");
            assert_eq!(cause.code, format!("smtp_{}", &line[..3]));
        }
    }

    #[test]
    fn what_breaks_is_clear_until_the_dot_and_unknown_from_then_on() {
        let lost = || Why::Lost(io::ErrorKind::ConnectionReset.into());
        let breaks = [lost(), Why::Deadline, Why::Unreadable("x".to_owned())];
        for why in &breaks {
            for stage in [Stage::Sender, Stage::Recipient, Stage::Data, Stage::Content] {
                assert_eq!(seen(why, stage).0, "not sent", "{why:?} {stage:?}");
            }
            assert_eq!(seen(why, Stage::Dot).0, "unknown", "{why:?}");
            assert!(seen(why, Stage::Dot).1.outage);
        }
    }

    #[test]
    fn a_way_that_cannot_be_made_secure_asks_for_a_person() {
        for (why, code) in [(Why::TlsMissing, "tls_missing"), (Why::LoginMissing, "login_missing")] {
            let (class, cause) = seen(&why, Stage::Secure);
            assert_eq!((class.as_str(), cause.code.as_ref()), ("auth_needed", code));
        }
        for (why, code) in [
            (Why::NoName(io::Error::other("no such host")), "dns"),
            (Why::NoConnection(io::ErrorKind::ConnectionRefused.into()), "connect_refused"),
            (Why::NoConnection(io::ErrorKind::TimedOut.into()), "connect_failed"),
            (Why::NoTls(io::Error::other("certificate expired")), "tls"),
        ] {
            let (class, cause) = seen(&why, Stage::Connect);
            assert_eq!((class.as_str(), cause.code.as_ref()), ("not sent", code));
        }
    }

    #[test]
    fn a_server_that_says_the_password_back_is_not_quoted() {
        let (_, cause) = seen(&no("535 5.7.8 no: hunter2 aHVudGVyMg=="), Stage::Login);
        assert!(!cause.text.contains("hunter2") && !cause.text.contains("aHVudGVyMg"), "{}", cause.text);
        assert!(cause.text.contains("535"), "{}", cause.text);
    }

    #[test]
    fn whose_mail_it_was_is_said() {
        let (_, cause) = seen(&no("550 5.1.1 user unknown"), Stage::Recipient);
        assert!(cause.text.contains("a@b.example"), "{}", cause.text);
        assert_eq!(cause.platform_code.as_deref(), Some("5.1.1"));
    }
}
