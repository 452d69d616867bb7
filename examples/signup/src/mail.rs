//! Mail by SMTP, and what is known of it when it breaks: until the final dot, the server cannot have the mail; after it,
//! only its reply tells.
//!
//! No TLS and no login: for a mail server on this machine. Your own program takes more from its library, and must learn
//! the same two things from it: how far the dialogue came, and what the server said.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use lettre::Address;
use lettre::message::{Mailbox, Message};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

const FROM: &str = "Signup <hello@signup.test>";

/// Hands mail to one server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mailer {
    server: SocketAddr,
    /// For all that comes before the dot, and again for the reply to it.
    pub(crate) patience: Duration,
}

/// Why a mail was not, or may not have been, handed over.
#[derive(Debug)]
pub(crate) enum MailError {
    /// The server said no for good.
    Refused(String),
    /// It does not have it: the dialogue broke before the dot, or it said "later".
    NotSent(String),
    /// The dot may have left, and no reply came.
    Unknown(String),
}

/// A mail of which the server has everything but the dot.
#[derive(Debug)]
pub(crate) struct Open {
    line: BufReader<TcpStream>,
    patience: Duration,
}

impl Mailer {
    pub(crate) const fn new(server: SocketAddr, patience: Duration) -> Self {
        Self { server, patience }
    }

    /// The whole mail, in one go.
    pub(crate) async fn send(&self, email: &str) -> Result<String, MailError> {
        self.open(email).await?.dot().await
    }

    /// Everything up to the dot. It can be done again and again, and nobody gets a mail.
    pub(crate) async fn open(&self, email: &str) -> Result<Open, MailError> {
        let mail = welcome(email)?;
        let open = timeout(self.patience, self.hand_in(email, &mail)).await;
        open.unwrap_or_else(|_| Err(MailError::NotSent("the mail server does not answer".to_owned())))
    }

    async fn hand_in(&self, email: &str, mail: &[u8]) -> Result<Open, MailError> {
        let stream = TcpStream::connect(self.server).await.map_err(|error| not_sent(&error))?;
        let mut open = Open { line: BufReader::new(stream), patience: self.patience };
        open.hear('2').await?;
        open.say("EHLO localhost", '2').await?;
        open.say("MAIL FROM:<hello@signup.test>", '2').await?;
        open.say(&format!("RCPT TO:<{email}>"), '2').await?;
        open.say("DATA", '3').await?;
        open.write(mail).await.map_err(|error| not_sent(&error))?;
        Ok(open)
    }
}

impl Open {
    /// The dot, and the server's reply to it.
    pub(crate) async fn dot(mut self) -> Result<String, MailError> {
        let lost = |error: &dyn fmt::Display| MailError::Unknown(format!("no reply to the dot: {error}"));
        let patience = self.patience;
        let said = async {
            self.write(b".\r\n").await?;
            self.reply().await
        };
        let reply = timeout(patience, said).await.map_err(|error| lost(&error))?;
        let reply = as_wanted(reply.map_err(|error| lost(&error))?, '2')?;
        // It has the mail: a farewell that fails changes nothing.
        drop(self.write(b"QUIT\r\n").await);
        Ok(reply)
    }

    async fn say(&mut self, command: &str, wanted: char) -> Result<String, MailError> {
        self.write(format!("{command}\r\n").as_bytes()).await.map_err(|error| not_sent(&error))?;
        self.hear(wanted).await
    }

    async fn hear(&mut self, wanted: char) -> Result<String, MailError> {
        as_wanted(self.reply().await.map_err(|error| not_sent(&error))?, wanted)
    }

    async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.line.get_mut().write_all(bytes).await
    }

    /// The last line of a reply: the ones before it have a `-` behind their code.
    async fn reply(&mut self) -> std::io::Result<String> {
        loop {
            let mut line = String::new();
            if self.line.read_line(&mut line).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(line.trim_end().to_owned());
            }
        }
    }
}

fn not_sent(error: &std::io::Error) -> MailError {
    MailError::NotSent(format!("the mail server cannot be reached: {error}"))
}

/// A reply that says no is an answer, wherever it comes: the server does not have the mail.
fn as_wanted(reply: String, wanted: char) -> Result<String, MailError> {
    match reply.chars().next() {
        Some(class) if class == wanted => Ok(reply),
        Some('5') => Err(MailError::Refused(reply)),
        _ => Err(MailError::NotSent(reply)),
    }
}

/// The mail, dots at the start of a line doubled. One account has one welcome, so its name is the account's.
fn welcome(email: &str) -> Result<Vec<u8>, MailError> {
    let refused = |error: &dyn fmt::Display| MailError::Refused(format!("{email:?} is no address: {error}"));
    let to = address(email).map_err(|error| refused(&error))?;
    let message = Message::builder()
        .from(FROM.parse().map_err(|error| refused(&error))?)
        .to(Mailbox::new(None, to))
        .subject("Welcome")
        .date(SystemTime::now())
        .message_id(Some(format!("<welcome.{email}>")))
        .body("Your account is there. Good to have you with us.\r\n".to_owned())
        .map_err(|error| refused(&error))?;
    let text = String::from_utf8_lossy(&message.formatted()).replace("\r\n.", "\r\n..");
    Ok(text.into_bytes())
}

/// An address that cannot add a header or a command.
pub(crate) fn address(email: &str) -> Result<Address, String> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"<>\"\\,;()".contains(&byte);
    if !email.bytes().all(plain) {
        return Err("expected plain ASCII, such as ada@example.org".to_owned());
    }
    email.parse().map_err(|error: lettre::address::AddressError| error.to_string())
}

impl fmt::Display for MailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "the mail is refused: {why}"),
            Self::NotSent(why) => write!(f, "the mail was not sent: {why}"),
            Self::Unknown(why) => write!(f, "the mail may have been sent: {why}"),
        }
    }
}

impl std::error::Error for MailError {}
