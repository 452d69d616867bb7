//! Chats: by their number, or by the name of a public one.

use serde_json::{Map, Value as Json, json};

use super::Refusal;
use crate::desk::Desk;
use crate::text;

/// A chat.
#[derive(Debug)]
pub(super) struct Chat {
    pub(super) id: i64,
    /// The public name, without `@`.
    name: Option<String>,
}

/// The chat that `chat_id` names.
pub(super) fn named(fields: &Map<String, Json>) -> Result<Chat, Refusal> {
    let given = match fields.get("chat_id") {
        Some(Json::Number(number)) => number.to_string(),
        Some(Json::String(text)) => text.trim().to_owned(),
        _ => String::new(),
    };
    if given.is_empty() {
        return Err("chat_id is empty".into());
    }
    if let Some(name) = given.strip_prefix('@') {
        if name.ends_with("missing") {
            return Err("chat not found".into());
        }
        let hash = i64::from_str_radix(&text::sha256(name.to_lowercase().as_bytes())[..8], 16).unwrap_or(0);
        return Ok(Chat { id: -1_000_000_000_000 - hash, name: Some(name.to_owned()) });
    }
    match given.parse() {
        Ok(0) | Err(_) => Err("chat not found".into()),
        Ok(-1) => Err(Refusal {
            words: "group chat was upgraded to a supergroup chat".to_owned(),
            parameters: json!({ "migrate_to_chat_id": -1_001_234_567_890_i64 }),
        }),
        Ok(id) => Ok(Chat { id, name: None }),
    }
}

impl Chat {
    /// A group, as opposed to a channel or a person.
    pub(super) fn is_group(&self) -> bool {
        self.id < 0 && self.id > -1_000_000_000_000
    }

    pub(super) fn shown(&self) -> Json {
        let kind = match self.id {
            id if id > 0 => "private",
            _ if self.is_group() => "group",
            _ => "channel",
        };
        let mut shown = json!({ "id": self.id, "type": kind });
        match &self.name {
            Some(name) => {
                shown["username"] = json!(name);
                shown["title"] = json!(name);
            }
            None if self.id > 0 => shown["first_name"] = json!("Rehearsal"),
            None => shown["title"] = json!("Rehearsal"),
        }
        shown
    }
}

/// The bot itself.
pub(super) fn me(desk: &Desk<'_>) -> Json {
    let account = desk.visit.account.as_deref().unwrap_or("0");
    let id = u64::from_str_radix(account, 16).unwrap_or(0) % 10_000_000_000;
    json!({ "id": id, "is_bot": true, "first_name": "Rehearsal", "username": format!("rehearsal_{account}_bot") })
}
