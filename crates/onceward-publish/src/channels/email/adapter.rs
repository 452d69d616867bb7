//! E-mail as a channel.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use onceward::{Cause, Class, Failure, Intent, Receipt, SendError};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value as Json;
use tokio_rustls::rustls::ClientConfig;

use super::address::Mailbox;
use super::letter::Letter;
use super::meaning::meaning;
use super::message::Mail;
use super::server::MailServer;
use super::smtp::{Account, Envelope, Session, Stage, Why};
use crate::channel::{Bond, Channel, Checked, Doing, Part, Reason, Sending};
use crate::channels::answer;
use crate::dress::Dressed;

/// What a letter grows by on its way: base64 and headers.
const GROWTH: (u64, u64) = (7, 5);

/// What the configuration says of a channel of mail.
#[derive(Debug, Clone)]
pub struct EmailSettings {
    /// Where mail is handed in.
    pub server: MailServer,
    /// The user's password; none where there is no user.
    pub password: Option<SecretString>,
    /// Whose mail it is.
    pub from: Mailbox,
    /// Who gets it, each a mail of their own.
    pub to: Vec<Mailbox>,
    /// The subject of every mail; none: the title.
    pub subject: Option<String>,
}

/// Mail to some recipients.
#[derive(Debug, Clone)]
pub struct EmailChannel {
    account: Account,
    from: Mailbox,
    to: Vec<Mailbox>,
    subject: Option<String>,
    timeout: Duration,
}

impl EmailChannel {
    /// A channel; `timeout` is for the whole dialogue, up to the reply after the dot.
    ///
    /// RFC 5321 (4.5.3.2.6) lets a server take ten minutes for that reply. We wait as long as `timeout` says, since the
    /// lease must outlast it: who mails through a server that scans for long raises both.
    pub fn new(settings: EmailSettings, tls: Arc<ClientConfig>, timeout: Duration) -> Self {
        let EmailSettings { server, password, from, to, subject } = settings;
        Self { account: Account { server, password, tls }, from, to, subject, timeout }
    }

    /// The password in every form in which a server could say it back.
    fn secrets(&self) -> Vec<String> {
        let Some(password) = &self.account.password else { return Vec::new() };
        let password = password.expose_secret();
        let user = self.account.server.user.as_deref().unwrap_or_default();
        vec![password.to_owned(), BASE64.encode(password), BASE64.encode(format!("\0{user}\0{password}"))]
    }

    fn broken(&self, why: &Why, stage: Stage, whom: &str) -> SendError {
        meaning(why, stage, &self.account.server.host, whom, &self.secrets())
    }

    async fn send(&self, mail: &Mail) -> Result<Receipt, SendError> {
        let mut stage = Stage::Connect;
        let envelope = Envelope { from: &mail.from, to: &mail.to };
        let dialogue = async {
            let mut session = Session::open(&self.account, &mut stage).await?;
            let reply = session.submit(envelope, &mail.bytes, &mut stage).await?;
            Ok((session, reply))
        };
        let ended = tokio::time::timeout(self.timeout, dialogue).await.unwrap_or(Err(Why::Deadline));
        let (session, reply) = ended.map_err(|why| self.broken(&why, stage, &mail.to))?;
        // The server has it: a farewell that hangs may not cost the receipt.
        tokio::spawn(tokio::time::timeout(Duration::from_secs(5), session.quit()));
        let mut receipt = Receipt::id(mail.id.clone());
        receipt.detail = serde_json::json!({ "to": mail.to, "reply": reply.text() });
        Ok(receipt)
    }

    /// Connects and logs in, and asks how large a mail may be.
    async fn visit(&self) -> Result<Option<u64>, Failure> {
        let mut stage = Stage::Connect;
        let opened = tokio::time::timeout(self.timeout, Session::open(&self.account, &mut stage)).await;
        let session = opened.unwrap_or(Err(Why::Deadline));
        let session = session.map_err(|why| answer::unseen(self.broken(&why, stage, "")))?;
        let size = session.size();
        session.quit().await;
        Ok(size)
    }
}

impl Channel for EmailChannel {
    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        fits(post)?;
        let letters = Letter::all(post, &self.from, &self.to, self.subject.as_deref())?;
        let part = |letter: Letter| {
            let length = letter.text.chars().count();
            let text = format!("To: {}\nSubject: {}\n\n{}", letter.to, letter.subject, letter.text);
            let request = serde_json::to_value(&letter).unwrap_or_default();
            Part { text, length, request }
        };
        Ok(letters.into_iter().map(part).collect())
    }

    fn bond(&self) -> Bond {
        Bond::Apart
    }

    fn class(&self, _request: &Json) -> Class {
        Class::Blind
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let mail = mail(to, intent).await.map_err(SendError::Refused)?;
            self.send(&mail).await
        })
    }

    fn learn(&self) -> Option<Doing<'_, Result<Json, Failure>>> {
        Some(Box::pin(async { Ok(serde_json::json!({ "size": self.visit().await? })) }))
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            self.visit().await?;
            let count = self.to.len();
            let recipients = if count == 1 { "recipient" } else { "recipients" };
            let server = &self.account.server;
            let as_whom = server.user.as_ref().map(|user| format!(" as {user}")).unwrap_or_default();
            let text = format!("{} lets us in{as_whom}; {count} {recipients}", server.host);
            Ok(Checked { account: Some(server.account()), text })
        })
    }
}

/// The bytes of the mail: nothing has been sent while they are put together.
async fn mail(to: &Sending<'_>, intent: &Intent<Json>) -> Result<Mail, Failure> {
    let letter: Letter = serde_json::from_value(intent.request.clone())
        .map_err(|error| Failure::permanent(Cause::new("request_unreadable", error.to_string())))?;
    let mut media = Vec::with_capacity(letter.media.len());
    for enclosed in &letter.media {
        media.push(to.media(&enclosed.sha256).await?);
    }
    Mail::of(&letter, &intent.key, media)
}

/// Whether the server takes a mail of that size, where it told.
fn fits(post: &Dressed<'_>) -> Result<(), Reason> {
    let Some(most) = post.server.get("size").and_then(Json::as_u64) else { return Ok(()) };
    let media: u64 = post.post.media.iter().map(|picture| picture.facts.bytes).sum();
    let (more, less) = GROWTH;
    let bytes = (media + 2 * post.text.len() as u64) * more / less;
    if bytes <= most {
        return Ok(());
    }
    let text =
        format!("the mail would have about {bytes} bytes; the server takes {most}: make the media smaller");
    Err(Reason::new("mail_too_large", text).of("media"))
}
