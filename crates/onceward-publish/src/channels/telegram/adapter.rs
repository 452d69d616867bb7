//! The channel: one request for one message, and no way to look for it.

use std::time::Duration;

use onceward::{Class, Failure, Intent, Receipt, SendError};
use onceward_http::{Client, SendFailure};
use secrecy::SecretString;
use serde_json::{Map, Value as Json, json};

use super::api::Api;
use super::media;
use super::render::{self, Message};
use crate::channel::{Channel, Checked, Doing, Limits, Part, Reason, Sending};
use crate::channels::answer::unseen;
use crate::dress::Dressed;

/// A bot that posts to one chat.
#[derive(Debug, Clone)]
pub struct TelegramChannel {
    api: Api,
    chat: String,
}

impl TelegramChannel {
    /// A bot by the token that @`BotFather` gave, and a chat by its number or its `@name`; `timeout` is for one request.
    ///
    /// # Errors
    /// When the address of the API cannot be used.
    pub fn new(
        api: &str,
        token: SecretString,
        chat: &str,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        Ok(Self { api: Api::new(api, token, client, timeout)?, chat: chat.to_owned() })
    }
}

impl Channel for TelegramChannel {
    /// `https://t.me/NAME/NUMBER`, or `…/c/CHAT/NUMBER`.
    fn id_at(&self, url: &str) -> Option<String> {
        let (_, number) = url.split(['?', '#']).next()?.rsplit_once('/')?;
        Some(format!("{}/{}", self.chat, number.parse::<u64>().ok()?))
    }

    fn limits(&self, _server: &Json) -> Limits {
        Limits { text: Some(render::LONGEST), media: Some(media::limits()) }
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        render::parts(post, &self.chat)
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
            let message: Message = serde_json::from_value(intent.request.clone())?;
            let given = if message.media.is_empty() {
                self.api.call("sendMessage", &text(&message, to)).await?
            } else {
                let (method, form) = media::form(to, &message, &fields(&message, to)).await?;
                self.api.call_with_files(method, form).await?
            };
            Ok(receipt(&given).ok_or("Telegram took the message and did not say its number")?)
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            let bot = self.api.call("getMe", &json!({})).await.map_err(unseen)?;
            let chat = self.api.call("getChat", &json!({ "chat_id": self.chat })).await.map_err(unseen)?;
            let word = |value: &Json| value.as_str().map(str::to_owned);
            let name = word(&chat["title"]).or_else(|| word(&chat["username"])).unwrap_or(self.chat.clone());
            let kind = word(&chat["type"]).unwrap_or_else(|| "chat".to_owned());
            let bot = word(&bot["username"]).unwrap_or_else(|| "?".to_owned());
            Ok(Checked {
                account: chat["id"].as_i64().map(|id| id.to_string()),
                text: format!("@{bot} posts to the {kind} {name:?}"),
            })
        })
    }
}

/// What every method that sends something takes.
fn fields(message: &Message, to: &Sending<'_>) -> Map<String, Json> {
    let mut fields = Map::new();
    fields.insert("chat_id".to_owned(), json!(message.chat));
    if message.silent {
        fields.insert("disable_notification".to_owned(), json!(true));
    }
    fields.extend(parent(to).map(|parent| ("reply_parameters".to_owned(), parent)));
    fields
}

/// A text without media.
fn text(message: &Message, to: &Sending<'_>) -> Json {
    let preview = match &message.preview {
        Some(url) => json!({ "url": url }),
        None => json!({ "is_disabled": true }),
    };
    let mut body = Json::Object(fields(message, to));
    body["text"] = json!(message.text);
    body["entities"] = json!(message.entities);
    body["link_preview_options"] = preview;
    body
}

/// The part before. Were it gone, this one would stand alone, so it is refused then.
fn parent(to: &Sending<'_>) -> Option<Json> {
    let (_, number) = to.before.last()?.id.as_deref()?.rsplit_once('/')?;
    let number: i64 = number.parse().ok()?;
    Some(json!({ "message_id": number, "allow_sending_without_reply": false }))
}

/// A message, or the first of a group, by the numbers of its chat and its own.
fn receipt(given: &Json) -> Option<Receipt> {
    let first = given.get(0).unwrap_or(given);
    let (chat, number) = (first["chat"]["id"].as_i64()?, first["message_id"].as_i64()?);
    let receipt = Receipt::id(format!("{chat}/{number}"));
    let public = first["chat"]["username"].as_str();
    Some(match public {
        Some(name) => receipt.at(format!("https://t.me/{name}/{number}")),
        None => receipt,
    })
}
