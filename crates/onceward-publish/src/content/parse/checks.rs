//! What only shows when a file is seen as a whole.

use jiff::tz::TimeZone;

use super::Reader;
use crate::content::{Content, Thread, keys};
use crate::date;
use crate::front_matter::{Parts, Table, Value, line_at};
use crate::refusal::Refusal;

impl Reader<'_> {
    /// Other tools wait for these dates; who relies on that would be published too early.
    pub(super) fn foreign_dates(&mut self, table: &Table, content: &Content) {
        if content.lines.contains_key("publish_at") {
            return;
        }
        for entry in table.iter().filter(|entry| keys::is_foreign_date(&entry.key)) {
            let rules = self.fields.rules;
            let Some(text) = self.fields.text(&entry.key, &entry.node) else { continue };
            let zone = rules.timezone.clone().unwrap_or(TimeZone::UTC);
            let (code, text) = match date::parse(&text, Some(&zone)) {
                Ok(wish) if wish.at <= rules.now => continue,
                Ok(_) => (
                    "date_in_future",
                    format!(
                        "{} lies in the future, but only publish_at holds a post back; add publish_at",
                        entry.key
                    ),
                ),
                Err(error) => {
                    (error.code(), format!("{}: {error}; or add publish_at to say when", entry.key))
                }
            };
            self.fields.refuse(&entry.key, entry.node.line, code, text);
        }
    }

    pub(super) fn as_a_whole(&mut self, content: &Content) {
        if let (Some(publish), Some(expire)) = (&content.publish_at, &content.expire_at)
            && expire.at <= publish.at
        {
            let line = content.line_of("expire_at");
            self.fields.refuse(
                "expire_at",
                line,
                "expires_first",
                "expire_at is not after publish_at: it would never go out",
            );
        }
        if !self.fields.refused.is_empty() {
            return;
        }
        let nothing = content.body.trim().is_empty()
            && content.title.as_deref().is_none_or(|title| title.trim().is_empty())
            && content.link.is_none();
        if nothing
            && content.media.is_empty()
            && content.variants.is_empty()
            && content.thread == Thread::Auto
        {
            let refusal = Refusal::new(
                self.fields.file,
                "content_empty",
                "there is nothing to publish: no body, title, link or media",
            );
            self.fields.refused.push(refusal);
        }
    }

    /// `PostgreSQL` keeps no U+0000 in text, and no channel takes it.
    pub(super) fn text_is_clean(&mut self, table: &Table, parts: &Parts<'_>) {
        if let Some(at) = parts.body.find('\0') {
            let line = line_at(&parts.body.as_bytes()[..at], parts.body_line);
            self.fields.refuse(
                "body",
                line,
                "text_has_nul",
                "the body holds the character U+0000; take it out",
            );
        }
        for entry in table.iter().filter(|entry| has_nul(&entry.node.value) || entry.key.contains('\0')) {
            let key = entry.key.replace('\0', "␀");
            let text = format!("{key} holds the character U+0000; take it out");
            self.fields.refuse(&key, entry.line, "text_has_nul", text);
        }
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.contains('\0'),
        Value::List(items) => items.iter().any(|item| has_nul(&item.value)),
        Value::Table(table) => {
            table.iter().any(|entry| entry.key.contains('\0') || has_nul(&entry.node.value))
        }
        _ => false,
    }
}
