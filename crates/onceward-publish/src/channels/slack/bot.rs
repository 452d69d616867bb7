//! A bot in a room. Each message carries our key as metadata, by which it is found again.

use std::time::Duration;

use onceward::{Cause, Class, Failure, Intent, Receipt, Seen, SendError};
use onceward_http::{Client, SendFailure};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::api::{Api, Given};
use super::errors;
use super::history::{self, EVENT, place, receipt};
use super::pictures::{self, Picture};
use super::render::{self, Text};
use crate::channel::{Channel, Checked, Doing, Limits, Part, Reason, Sending};
use crate::channels::answer::unseen;
use crate::dress::Dressed;

/// How long a fresh message may be missing from the history: Slack says nothing, so this is generous.
const LAG: Duration = Duration::from_secs(30);

/// A bot that posts to one room.
#[derive(Debug, Clone)]
pub struct SlackBot {
    api: Api,
    room: String,
}

/// A message as it is frozen. The room is part of it, so that a look goes where the message went.
#[derive(Serialize, Deserialize)]
struct Frozen {
    room: String,
    text: String,
    /// Whether Slack shows a preview of the first link.
    unfurl: bool,
    #[serde(default)]
    pictures: Vec<Picture>,
}

impl SlackBot {
    /// A bot by its token (`xoxb-…`), and the id of a room where it is a member; `timeout` is for one request.
    ///
    /// # Errors
    /// When the address of the API cannot be used.
    pub fn new(
        api: &str,
        token: SecretString,
        room: &str,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        Ok(Self { api: Api::new(api, token, client, timeout)?, room: room.to_owned() })
    }

    fn part(&self, text: Text, unfurl: bool, pictures: Vec<Picture>) -> Part {
        let length = text.mrkdwn.chars().count();
        let frozen = Frozen { room: self.room.clone(), text: text.mrkdwn, unfurl, pictures };
        Part { text: text.shown, length, request: json!(frozen) }
    }
}

impl Channel for SlackBot {
    fn limits(&self, _server: &Json) -> Limits {
        Limits { text: Some(render::LONGEST), media: Some(pictures::limits()) }
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        let texts = render::texts(post, !post.post.media.is_empty())?;
        let unfurl = render::unfurl(post)?;
        let pictures: Vec<_> = post.post.media.iter().map(Picture::of).collect();
        let first = Some(pictures).into_iter();
        let parts = texts.into_iter().zip(first.chain(std::iter::repeat_with(Vec::new)));
        Ok(parts.map(|(text, pictures)| self.part(text, unfurl, pictures)).collect())
    }

    fn class(&self, _request: &Json) -> Class {
        Class::LookUp { lag: LAG }
    }

    fn prepare<'a>(&'a self, to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        Box::pin(async move {
            let mut frozen: Frozen = serde_json::from_value(request)?;
            pictures::ready(&self.api, to, &mut frozen.pictures).await?;
            Ok(json!(frozen))
        })
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let frozen: Frozen = serde_json::from_value(intent.request.clone())?;
            let message = message(&frozen, thread(to), &intent.key);
            let given = self.api.post_visibly("chat.postMessage", &message).await?;
            let ts = given.body["ts"].as_str().ok_or("Slack took the message and did not say its `ts`")?;
            Ok(receipt(&frozen.room, ts))
        })
    }

    fn verify<'a>(&'a self, to: &'a Sending<'a>, intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        Box::pin(async move {
            let Ok(frozen) = serde_json::from_value::<Frozen>(intent.request.clone()) else {
                return Seen::CannotTell;
            };
            history::look(&self.api, &frozen.room, thread(to), intent).await
        })
    }

    fn finish<'a>(&'a self, _to: &'a Sending<'a>, receipt: &'a Receipt) -> Doing<'a, Option<String>> {
        Box::pin(async move {
            let (room, ts) = place(receipt)?;
            let query = [("channel", room), ("message_ts", ts)];
            let given = self.api.get("chat.getPermalink", &query).await.ok()?;
            given.body["permalink"].as_str().map(str::to_owned)
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            let bot = self.api.post("auth.test", &json!({})).await.map_err(unseen)?;
            let room = self.api.get("conversations.info", &[("channel", &self.room)]).await;
            let room = room.map_err(unseen)?;
            self.checked(&bot, &room.body["channel"])
        })
    }
}

impl SlackBot {
    fn checked(&self, bot: &Given, room: &Json) -> Result<Checked, Failure> {
        let word = |value: &Json| value.as_str().unwrap_or("?").to_owned();
        let name = room["name"].as_str().unwrap_or(&self.room);
        for (lacks, code) in
            [(room["is_archived"] == true, "is_archived"), (room["is_member"] == false, "not_in_channel")]
        {
            if lacks {
                let text = format!("#{name}: {}", errors::text(code));
                return Err(Failure::AuthNeeded { cause: Cause::new(code, text) });
            }
        }
        let mut text =
            format!("posts as {} of {} in #{name}", word(&bot.body["user"]), word(&bot.body["team"]));
        if self.blind(bot, room) {
            text.push_str(
                "; it may not read the room, so a lost answer needs a person: give it the scope channels:history, or \
                 groups:history for a private room",
            );
        }
        Ok(Checked { account: Some(format!("{}/{}", word(&bot.body["team_id"]), self.room)), text })
    }

    /// Whether the headers list what the token may do, and reading the room is not in it.
    fn blind(&self, bot: &Given, room: &Json) -> bool {
        let needed = match (self.room.starts_with('D'), room["is_private"] == true) {
            (true, _) => "im:history",
            (_, true) => "groups:history",
            _ => "channels:history",
        };
        bot.scopes.as_ref().is_some_and(|scopes| !scopes.split(',').any(|scope| scope.trim() == needed))
    }
}

/// The message that a part of a thread answers: always its first, never a reply.
fn thread<'a>(to: &'a Sending<'a>) -> Option<&'a str> {
    to.before.first().and_then(place).map(|(_, ts)| ts)
}

/// The body of the one request that everybody sees.
fn message(frozen: &Frozen, thread: Option<&str>, key: &str) -> Json {
    let Frozen { room, text, unfurl, pictures } = frozen;
    let mut message = json!({
        "channel": room,
        "text": text,
        "unfurl_links": unfurl,
        "unfurl_media": unfurl,
        "metadata": { "event_type": EVENT, "event_payload": { "key": key } },
    });
    if let Some(ts) = thread {
        message["thread_ts"] = json!(ts);
    }
    if !pictures.is_empty() {
        let section = json!({ "type": "section", "text": { "type": "mrkdwn", "text": text } });
        let blocks = Some(section).filter(|_| !text.is_empty()).into_iter();
        message["blocks"] = blocks.chain(pictures.iter().map(Picture::block)).collect();
    }
    message
}
