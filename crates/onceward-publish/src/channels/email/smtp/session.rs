//! One connection: greeting, security, login, and one mail to one recipient.

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::{ExposeSecret, SecretString};
use tokio_rustls::rustls::ClientConfig;

use super::super::server::{MailServer, Tls};
use super::wire::Wire;
use super::{Reply, Stage, Why};

/// The server, and what lets us in.
#[derive(Debug, Clone)]
pub(in super::super) struct Account {
    pub(in super::super) server: MailServer,
    pub(in super::super) password: Option<SecretString>,
    pub(in super::super) tls: Arc<ClientConfig>,
}

/// Whose mail it is, and whose it becomes: addresses that were checked.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Envelope<'a> {
    pub(in super::super) from: &'a str,
    pub(in super::super) to: &'a str,
}

/// A connection on which mail can be handed in.
pub(in super::super) struct Session {
    wire: Wire,
    offers: Vec<String>,
}

impl Session {
    /// Connects, makes the way secure, logs in.
    pub(in super::super) async fn open(account: &Account, stage: &mut Stage) -> Result<Self, Why> {
        let Account { server, tls, .. } = account;
        *stage = Stage::Connect;
        let mut wire = Wire::connect(&server.host, server.port).await?;
        if server.tls == Tls::Implicit {
            *stage = Stage::Secure;
            wire = wire.secure(tls, &server.host).await?;
            *stage = Stage::Connect;
        }
        expect(wire.hear().await?, 2)?;
        let mut session = Self::hello(wire, stage).await?;
        if server.tls == Tls::Required || (server.tls == Tls::Offered && session.offer("STARTTLS").is_some())
        {
            session = session.start_tls(account, stage).await?;
        }
        session.login(account, stage).await?;
        Ok(session)
    }

    async fn hello(mut wire: Wire, stage: &mut Stage) -> Result<Self, Why> {
        *stage = Stage::Hello;
        let name = match wire.local {
            IpAddr::V4(address) => format!("[{address}]"),
            IpAddr::V6(address) => format!("[IPv6:{address}]"),
        };
        let reply = expect(wire.say(&format!("EHLO {name}")).await?, 2)?;
        let offers = reply.lines().iter().skip(1).map(|line| line.trim().to_ascii_uppercase()).collect();
        Ok(Self { wire, offers })
    }

    async fn start_tls(mut self, account: &Account, stage: &mut Stage) -> Result<Self, Why> {
        *stage = Stage::Secure;
        if self.offer("STARTTLS").is_none() {
            return Err(Why::TlsMissing);
        }
        expect(self.wire.say("STARTTLS").await?, 2)?;
        let wire = self.wire.secure(&account.tls, &account.server.host).await?;
        // What was offered before could be anybody's word.
        Self::hello(wire, stage).await
    }

    async fn login(&mut self, account: &Account, stage: &mut Stage) -> Result<(), Why> {
        let (Some(user), Some(password)) = (&account.server.user, &account.password) else { return Ok(()) };
        *stage = Stage::Login;
        let ways = self.offer("AUTH").ok_or(Why::LoginMissing)?;
        let password = password.expose_secret();
        if ways.split_whitespace().any(|way| way == "PLAIN") {
            let both = BASE64.encode(format!("\0{user}\0{password}"));
            expect(self.wire.say(&format!("AUTH PLAIN {both}")).await?, 2)?;
        } else if ways.split_whitespace().any(|way| way == "LOGIN") {
            expect(self.wire.say("AUTH LOGIN").await?, 3)?;
            expect(self.wire.say(&BASE64.encode(user)).await?, 3)?;
            expect(self.wire.say(&BASE64.encode(password)).await?, 2)?;
        } else {
            return Err(Why::LoginMissing);
        }
        Ok(())
    }

    /// Hands in one mail for one recipient.
    pub(in super::super) async fn submit(
        &mut self,
        envelope: Envelope<'_>,
        mail: &[u8],
        stage: &mut Stage,
    ) -> Result<Reply, Why> {
        *stage = Stage::Sender;
        let size = self.offer("SIZE").map(|_| format!(" SIZE={}", mail.len())).unwrap_or_default();
        expect(self.wire.say(&format!("MAIL FROM:<{}>{size}", envelope.from)).await?, 2)?;
        *stage = Stage::Recipient;
        expect(self.wire.say(&format!("RCPT TO:<{}>", envelope.to)).await?, 2)?;
        *stage = Stage::Data;
        expect(self.wire.say("DATA").await?, 3)?;
        expect(self.wire.hand_over(mail, stage).await?, 2)
    }

    /// The largest mail that the server says it takes, in bytes.
    pub(in super::super) fn size(&self) -> Option<u64> {
        self.offer("SIZE")?.trim().parse().ok().filter(|size| *size > 0)
    }

    /// Whether the connection was made secure is not asked here: it is decided when it is opened.
    pub(in super::super) async fn quit(self) {
        self.wire.leave().await;
    }

    /// What follows the name of an extension that the server offers.
    fn offer(&self, name: &str) -> Option<&str> {
        self.offers.iter().find_map(|line| {
            let rest = line.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with([' ', '='])).then(|| rest.trim_start_matches([' ', '=']))
        })
    }
}

/// A reply of this class, or why it is none.
fn expect(reply: Reply, class: u16) -> Result<Reply, Why> {
    match reply.class() {
        found if found == class => Ok(reply),
        4 | 5 => Err(Why::No(reply)),
        _ => Err(Why::Unreadable(format!("{} is no reply to that", reply.code))),
    }
}
