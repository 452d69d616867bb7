//! Rows become messages of a stream. Its server knows a repeat by `Nats-Msg-Id` for the stream's duplicate window; the
//! source knows it for longer.

use async_nats::HeaderMap;
use async_nats::header::{HeaderName, HeaderValue, NATS_MESSAGE_ID};
use async_nats::jetstream::context::{Context, PublishAckFuture, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use onceward::{Cause, Error, Handing, Handover, Message, Target};

use super::{ANSWER, Server, away, parse};
use crate::address::wrong;
use crate::{waves, wire};

/// `nats://HOST:PORT/SUBJECT`, where `{queue}` and `{kind}` in the subject stand for the message's own.
#[derive(Debug, Clone)]
pub struct TargetAt {
    server: Server,
    subject: String,
}

impl TargetAt {
    /// Reads the URL.
    ///
    /// # Errors
    /// `Invalid`, which says what was expected, and repeats no password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (server, path) = parse(url)?;
        match path.as_slice() {
            [subject] if is_subject(subject) => Ok(Self { server, subject: subject.clone() }),
            _ => Err(wrong(
                "expected nats://HOST:PORT/SUBJECT, such as nats://127.0.0.1:4222/jobs.{queue}".to_owned(),
            )),
        }
    }
}

fn is_subject(text: &str) -> bool {
    let fits = |token: &str| !token.is_empty() && token != ">" && token != "*";
    text.split('.').all(fits) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// A subject of JetStream.
#[derive(Debug)]
pub struct NatsTarget {
    name: String,
    subject: String,
    jetstream: Context,
}

impl NatsTarget {
    /// A target under a name for status and logs. A server that is away now is found later.
    ///
    /// # Errors
    /// `Invalid` when a file of credentials cannot be read.
    pub async fn open(name: impl Into<String>, at: &TargetAt) -> Result<Self, Error> {
        let name = name.into();
        let client = at.server.connect(&name).await?;
        // A publish carries its message id, so it may be repeated after any unclear end.
        let jetstream = async_nats::jetstream::context::ContextBuilder::new().timeout(ANSWER).build(client);
        Ok(Self { name, subject: at.subject.clone(), jetstream })
    }

    fn subject(&self, message: &Message) -> String {
        self.subject.replace("{queue}", &message.queue).replace("{kind}", &message.kind)
    }

    /// Publishes all, and then waits for the answers.
    async fn publish(&self, messages: Vec<&Message>) -> Vec<Handover> {
        let mut sent = Vec::with_capacity(messages.len());
        for message in messages {
            sent.push(self.send(message).await);
        }
        let mut said = Vec::with_capacity(sent.len());
        for one in sent {
            said.push(match one {
                Ok(answer) => answer.await.map_or_else(|error| failed(&error), |_| Handover::Taken),
                Err(became) => became,
            });
        }
        said
    }

    async fn send(&self, message: &Message) -> Result<PublishAckFuture, Handover> {
        let headers = headers(message).map_err(Handover::Refused)?;
        let publish =
            PublishMessage::build().headers(headers).payload(message.payload.clone().into_bytes().into());
        let subject = self.subject(message);
        if subject.split('.').any(str::is_empty) {
            let text =
                format!("{subject:?} is no subject of NATS: something is missing before or after a dot");
            return Err(Handover::Refused(Cause::new("bad_subject", text)));
        }
        self.jetstream.send_publish(subject, publish).await.map_err(|error| failed(&error))
    }
}

fn headers(message: &Message) -> Result<HeaderMap, Cause> {
    let mut all = HeaderMap::new();
    for (name, value) in wire::headers(message)? {
        let bad = |why: String| Cause::new("bad_headers", format!("header {name:?}: {why}"));
        let header: HeaderName = name.parse().map_err(|_| bad("NATS takes no such name".to_owned()))?;
        if name.to_ascii_lowercase().starts_with("nats-") {
            return Err(bad("names that begin with Nats- are the server's own".to_owned()));
        }
        let value: HeaderValue =
            value.parse().map_err(|_| bad("NATS takes no line break in it".to_owned()))?;
        all.insert(header, value);
    }
    all.insert(NATS_MESSAGE_ID, message.repeat_id().as_str());
    Ok(all)
}

fn failed(error: &PublishError) -> Handover {
    let text = error.to_string();
    match error.kind() {
        PublishErrorKind::MaxPayloadExceeded => Handover::Refused(Cause::new("too_large", text)),
        PublishErrorKind::StreamNotFound => {
            let text = "no stream takes this subject; make one, for example with `nats stream add`";
            Handover::Later(Cause::new("no_stream", text))
        }
        PublishErrorKind::Other => Handover::Later(Cause::new("nats", text)),
        _ => Handover::Later(away(text)),
    }
}

impl Target for NatsTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn hand_over<'a>(&'a self, messages: &'a [Message]) -> Handing<'a> {
        Box::pin(waves::hand_over(messages, |wave| self.publish(wave)))
    }
}
